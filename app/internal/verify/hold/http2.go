package hold

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// http2Conn is a client's side of HTTP/2, down to the frames: an ordinary client
// hides GOAWAY and opens another connection instead of a stream that cannot be
// had.
type http2Conn struct {
	target *Target
	conn   net.Conn
	framer *http2.Framer
	done   chan struct{} // closed by serve at the connection's end
	taken  chan struct{} // closed by serve when the server's settings are there

	mu      sync.Mutex // guards writing, and what follows
	encoder *hpack.Encoder
	block   bytes.Buffer
	next    uint32 // number of the next stream
	window  int64  // how much may be sent over the connection
	initial int64  // and over a new stream
	limit   int    // of open streams
	open    map[uint32]*stream
	held    *stream // nil if Silent
	result  HTTP2
	leaving bool // from here on what ends is our own doing
}

// What is accepted of a server.
const (
	defaultWindow = 65535
	maxHead       = 64 << 10
	maxStreams    = 10000 // kept in a report
	maxGoAways    = 10    // a server sends two
)

func openHTTP2(ctx context.Context, conn net.Conn, t *Target) (*http2Conn, error) {
	c := &http2Conn{
		target: t, conn: conn, framer: http2.NewFramer(conn, conn),
		done: make(chan struct{}), taken: make(chan struct{}),
		next: 1, window: defaultWindow, initial: defaultWindow, limit: 100,
		open: map[uint32]*stream{}, result: HTTP2{End: End{Kind: Open}, Streams: []Stream{}},
	}
	c.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	c.framer.MaxHeaderListSize = maxHead
	c.encoder = hpack.NewEncoder(&c.block)
	c.encoder.SetMaxDynamicTableSize(0) // so that no setting of the server's matters
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		return nil, err
	}
	if err := c.framer.WriteSettings(http2.Setting{ID: http2.SettingEnablePush, Val: 0}); err != nil {
		return nil, err
	}
	go c.serve()
	select {
	case <-c.taken:
	case <-c.done:
		return nil, fmt.Errorf("the server does not speak HTTP/2: %s", c.ending())
	case <-ctx.Done():
		c.cut()
		<-c.done
		return nil, fmt.Errorf("no HTTP/2 settings from the server: %w", ctx.Err())
	}
	if t.options.Silent {
		return c, nil
	}
	held, err := c.begin(http.MethodPost, make(chan string, 64))
	if err != nil {
		c.cut()
		<-c.done
		return nil, err
	}
	c.mu.Lock()
	c.held = held
	c.mu.Unlock()
	return c, nil
}

// begin opens a stream. One with lines stays open for messages; another is a
// whole request.
func (c *http2Conn) begin(method string, lines chan string) (*stream, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.result.End.Kind != Open:
		return nil, errors.New("the connection has ended")
	case len(c.result.GoAways) > 0:
		return nil, errGoAway
	case len(c.open) >= c.limit:
		return nil, errNotSent
	}
	s := &stream{id: c.next, window: c.initial, lines: lines, ended: make(chan struct{})}
	c.block.Reset()
	scheme := "http"
	if c.target.secure() {
		scheme = "https"
	}
	fields := []hpack.HeaderField{
		{Name: ":method", Value: method},
		{Name: ":scheme", Value: scheme},
		{Name: ":authority", Value: c.target.host()},
		{Name: ":path", Value: c.target.target.Path},
		{Name: "user-agent", Value: "slicewright-hold"},
	}
	if lines != nil {
		fields = append(fields, hpack.HeaderField{Name: strings.ToLower(headerHold), Value: "1"})
	}
	for name, values := range c.target.options.Header {
		for _, value := range values {
			if name = strings.ToLower(name); name != "host" {
				fields = append(fields, hpack.HeaderField{Name: name, Value: value})
			}
		}
	}
	for _, f := range fields {
		if err := c.encoder.WriteField(f); err != nil {
			return nil, err
		}
	}
	c.open[s.id] = s
	c.next += 2
	return s, c.framer.WriteHeaders(http2.HeadersFrameParam{
		StreamID: s.id, BlockFragment: c.block.Bytes(), EndHeaders: true, EndStream: lines == nil,
	})
}

// errGoAway says that the other side wants no new streams.
var errGoAway = errors.New("GOAWAY")

// send writes a message into the held stream.
func (c *http2Conn) send(text string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	data := []byte(text + "\n")
	if n := int64(len(data)); n > c.window || n > c.held.window {
		return errNotSent
	}
	c.window -= int64(len(data))
	c.held.window -= int64(len(data))
	return c.framer.WriteData(c.held.id, false, data)
}

// receive waits for a line of the held stream.
func (c *http2Conn) receive() (string, error) {
	if c.held == nil {
		<-c.done
		return "", errStreamEnded
	}
	select {
	case line := <-c.held.lines:
		return line, nil
	case <-c.held.ended:
	}
	select { // what came before the end
	case line := <-c.held.lines:
		return line, nil
	default:
		return "", errStreamEnded
	}
}

// errStreamEnded means the end that the stream has recorded.
var errStreamEnded = errors.New("the stream has ended")

func (c *http2Conn) end(error) End {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held == nil {
		return c.result.End
	}
	return c.held.end
}

// ending is that of the connection.
func (c *http2Conn) ending() End {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.result.End
}

// goodbye ends the held stream and says that we go.
func (c *http2Conn) goodbye() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leaving = true
	// Errors mean that it has ended already.
	if c.held != nil && c.open[c.held.id] != nil {
		_ = c.framer.WriteData(c.held.id, true, nil)
	}
	_ = c.framer.WriteGoAway(0, http2.ErrCodeNo, nil)
}

func (c *http2Conn) cut() {
	_ = c.conn.Close()
	<-c.done
}

func (c *http2Conn) report() *HTTP2 {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.result
	r.GoAways = append([]GoAway(nil), r.GoAways...)
	r.Streams = append([]Stream{}, r.Streams...)
	return &r
}

// ask opens a new stream again and again until ctx or the connection ends, or
// the other side wants no more.
func (c *http2Conn) ask(ctx context.Context) {
	ticker := time.NewTicker(c.target.options.Every)
	defer ticker.Stop()
	for {
		result, err := c.request(ctx)
		switch {
		case errors.Is(err, errGoAway):
			return
		case err == nil:
			c.mu.Lock()
			if len(c.result.Streams) < maxStreams {
				c.result.Streams = append(c.result.Streams, result)
			} else {
				c.result.StreamsNotKept++
			}
			c.mu.Unlock()
		}
		select {
		case <-ctx.Done():
			return
		case <-c.done:
			return
		case <-ticker.C:
		}
	}
}

// status is what a head says, 0 if it says none.
func status(fields []hpack.HeaderField) int {
	for _, f := range fields {
		if f.Name == ":status" {
			code, err := strconv.Atoi(f.Value)
			if err != nil {
				return 0
			}
			return code
		}
	}
	return 0
}
