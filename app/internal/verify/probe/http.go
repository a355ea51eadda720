package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"

	"golang.org/x/net/http2"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/connect"
	"github.com/slicewright/slicewright/app/internal/verify/identify"
)

// maxHead bounds an answer's head; 64 KiB are eight times what proxies accept.
const maxHead = 64 << 10

// request makes an HTTP request and reads who answered.
func (t *Target) request(ctx context.Context, a *verify.Answer) {
	secure := schemes[t.target.Scheme].TLS
	url := "http://"
	if secure {
		url = "https://"
	}
	request, err := http.NewRequestWithContext(ctx, t.options.Method, url+t.target.HostPort()+t.target.Path, nil)
	if err != nil {
		fail(a, verify.Other, err.Error())
		return
	}
	if t.options.Header != nil {
		request.Header = t.options.Header.Clone()
	}
	if host := request.Header.Get("Host"); host != "" {
		request.Host = host
	} else if u := t.target.Host; t.target.Port == schemes[t.target.Scheme].Port && net.ParseIP(u) == nil {
		request.Host = u // as clients write it: without the scheme's own port
	}
	if request.Header.Get("User-Agent") == "" {
		request.Header.Set("User-Agent", "slicewright-probe")
	}

	protocol, versions := "http/1.1", new(http.Protocols)
	switch t.target.Scheme {
	case "h2c":
		versions.SetUnencryptedHTTP2(true)
	case "h2":
		protocol = "h2"
		versions.SetHTTP2(true)
	default:
		versions.SetHTTP1(true)
	}
	// Dialled here and handed over, for net/http would dial again by itself when a
	// connection ends before it took the request.
	conn, err := t.options.Dial(ctx, t.target, secure, protocol)
	if err != nil {
		fail(a, connect.Failure(err), err.Error())
		return
	}
	var given atomic.Bool
	hand := func(context.Context, string, string) (net.Conn, error) {
		if given.Swap(true) {
			return nil, errTwice
		}
		return conn, nil
	}
	transport := &http.Transport{
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHead,
		Protocols:              versions,
		DialContext:            hand,
		DialTLSContext:         hand,
	}
	defer func() {
		transport.CloseIdleConnections()
		_ = conn.Close() // HTTP/2 would keep it open a while
	}()

	answer, err := transport.RoundTrip(request)
	if err != nil {
		failHTTP(ctx, a, err)
		return
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, identify.MaxBody))
	if err != nil {
		failHTTP(ctx, a, err)
		return
	}
	who, err := t.options.Identify.Who(ctx, identify.Answer{
		Head: answer.Header, Body: body, Status: answer.StatusCode,
		Local: addrPort(conn.LocalAddr()), Remote: addrPort(conn.RemoteAddr()),
	})
	t.answered(a, who, err)
	if answer.StatusCode >= http.StatusBadRequest {
		// Who gave it stays, if it tells: an error of a backend and one of the load
		// balancer are not the same.
		fail(a, verify.Status, fmt.Sprintf("%d %s", answer.StatusCode, http.StatusText(answer.StatusCode)))
	}
}

// errTwice says that the connection ended before the request was taken.
var errTwice = errors.New("the connection ended before it took the request")

// endedHTTP reports whether an error of net/http is that of a connection or an
// HTTP/2 stream which the other side ended. Some of those have no type.
func endedHTTP(err error) bool {
	var stream http2.StreamError
	if errors.As(err, &stream) || errors.Is(err, errTwice) {
		return true
	}
	text := err.Error()
	for _, words := range []string{"server sent GOAWAY", "received GOAWAY", "client connection lost", "client conn is closed", "client conn could not be established", "server closed idle connection"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}

// failHTTP notes an error of a request.
func failHTTP(ctx context.Context, a *verify.Answer, err error) {
	failure := connect.Failure(err)
	if failure == verify.Other && ctx.Err() == nil && endedHTTP(err) {
		failure = verify.Reset
	}
	fail(a, failure, err.Error())
}

func addrPort(address net.Addr) netip.AddrPort {
	if tcp, ok := address.(*net.TCPAddr); ok {
		p := tcp.AddrPort()
		return netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
	}
	return netip.AddrPort{}
}
