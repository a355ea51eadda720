package hold

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/net/http2"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/identify"
)

// stream is one of an http2Conn, whose mu guards it until ended is closed.
type stream struct {
	id     uint32
	window int64       // how much may be sent
	lines  chan string // of the held stream; nil for a request
	status int
	head   http.Header
	body   []byte // a request's answer, or the held stream's unfinished line
	end    End
	ended  chan struct{} // closed by the http2Conn
}

// headers takes in a head; trailers add to it.
func (s *stream) headers(f *http2.MetaHeadersFrame) {
	if code := status(f.Fields); code >= 200 { // 100 to 199 only announce
		s.status = code
	}
	if s.head == nil {
		s.head = http.Header{}
	}
	for _, field := range f.RegularFields() {
		s.head.Add(field.Name, field.Value)
	}
}

// data takes in a part of the body and returns the lines that it completes, if
// the stream carries lines.
func (s *stream) data(part []byte) (lines []string) {
	if s.lines == nil || s.status != http.StatusOK {
		s.body = append(s.body, part[:min(len(part), identify.MaxBody-len(s.body))]...)
		return nil
	}
	for {
		line, rest, found := bytes.Cut(part, []byte("\n"))
		// What is longer than any answer is cut: it is strange either way.
		s.body = append(s.body, line[:min(len(line), maxLine+1-min(len(s.body), maxLine+1))]...)
		if !found {
			return lines
		}
		lines = append(lines, string(s.body))
		s.body, part = s.body[:0], rest
	}
}

// ending is what the end of an answer means.
func (s *stream) ending() End {
	if s.lines != nil && s.status >= http.StatusBadRequest {
		return End{Kind: NoStream, Code: s.status, Detail: http.StatusText(s.status)}
	}
	return End{Kind: EndStream}
}

// request makes one over a new stream. An error means that none was begun.
func (c *http2Conn) request(ctx context.Context) (Stream, error) {
	result := Stream{Began: time.Now()}
	s, err := c.begin(http.MethodGet, nil)
	if err != nil {
		return Stream{}, err
	}
	timeout := time.NewTimer(c.target.options.Timeout)
	defer timeout.Stop()
	select {
	case <-s.ended:
	case <-timeout.C:
		c.mu.Lock()
		c.endStream(s.id, End{Kind: Failed})
		err := c.framer.WriteRSTStream(s.id, http2.ErrCodeCancel)
		c.mu.Unlock()
		result.Failure, result.Detail = verify.Timeout, fmt.Sprintf("no answer within %s", c.target.options.Timeout)
		if err != nil {
			result.Detail += ": " + err.Error()
		}
	}
	result.Ended = time.Now()
	if result.Failure != "" {
		return result, nil
	}
	if s.end.Kind != EndStream {
		result.Failure, result.Detail = verify.Reset, s.end.String()
		return result, nil
	}
	// What a program does to identify ends with its own time, not with ours.
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.target.options.Timeout)
	defer cancel()
	who, err := c.target.options.Identify.Who(within, identify.Answer{
		Head: s.head, Body: s.body, Status: s.status, Local: addrPort(c.conn.LocalAddr()), Remote: addrPort(c.conn.RemoteAddr()),
	})
	switch {
	case err == nil:
		result.Backend = backend(who.Resolve(c.target.options.Names))
	default:
		result.Failure, result.Detail = verify.Unidentified, err.Error()
	}
	if s.status >= http.StatusBadRequest {
		result.Failure, result.Detail = verify.Status, fmt.Sprintf("%d %s", s.status, http.StatusText(s.status))
	}
	return result, nil
}
