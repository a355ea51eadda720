package probe_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/net/http2"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/connect"
	"github.com/slicewright/slicewright/app/internal/verify/identify"
	"github.com/slicewright/slicewright/app/internal/verify/probe"
	"github.com/slicewright/slicewright/internal/haproxytest"
	"github.com/slicewright/slicewright/internal/nettest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is what a loaded machine may need.
const patience = 30 * time.Second

func parse(t *testing.T, target string, options probe.Options) *probe.Target {
	t.Helper()
	if options.Timeout == 0 {
		options.Timeout = patience
	}
	p, err := probe.Parse(target, options)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// backend answers with its address and the protocol, and counts connections.
func backend(t *testing.T, configure func(*httptest.Server)) (server *httptest.Server, connections *atomic.Int64) {
	t.Helper()
	connections = new(atomic.Int64)
	server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Pod", "web-1")
		w.Header().Set("X-Seen", fmt.Sprint(r.Proto, " ", r.Method, " ", r.Host, r.URL.RequestURI(), " ", r.Header.Get("X-Tenant")))
		if r.URL.Path == "/broken" {
			w.WriteHeader(http.StatusInternalServerError)
		}
		if r.URL.Path == "/elsewhere" {
			w.Header().Set("Location", "http://192.0.2.1/")
			w.WriteHeader(http.StatusFound)
		}
		fmt.Fprintf(w, `{"ip":"10.0.0.1","port":8080,"proto":%q}`, r.Proto)
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	if configure != nil {
		configure(server)
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	return server, connections
}

// what reads the protocol that the backend saw, as the name of who answered.
func what(t *testing.T) identify.How {
	how, err := identify.Parse("json:proto")
	if err != nil {
		t.Fatal(err)
	}
	return how
}

func TestEveryProtocolOpensAConnectionOfItsOwn(t *testing.T) {
	insecure, err := connect.TLSConfig("", "", true)
	if err != nil {
		t.Fatal(err)
	}
	for scheme, c := range map[string]struct {
		configure func(*httptest.Server)
		want      string
	}{
		"http": {nil, "HTTP/1.1"},
		"h2c": {func(s *httptest.Server) {
			s.Config.Protocols = new(http.Protocols)
			s.Config.Protocols.SetUnencryptedHTTP2(true)
			s.Start()
		}, "HTTP/2.0"},
		"https": {func(s *httptest.Server) { s.EnableHTTP2 = true; s.StartTLS() }, "HTTP/1.1"},
		"h2":    {func(s *httptest.Server) { s.EnableHTTP2 = true; s.StartTLS() }, "HTTP/2.0"},
	} {
		server, connections := backend(t, c.configure)
		target := scheme + "://" + server.Listener.Addr().String() + "/"
		p := parse(t, target, probe.Options{Identify: what(t), Dialer: connect.Dialer{TLS: insecure}})
		for range 3 {
			a := p.Probe(t.Context())
			if a.Name != c.want || a.Failure != verify.Unidentified {
				t.Errorf("%s: %+v, want one over %s", scheme, a, c.want)
			}
		}
		if got := connections.Load(); got != 3 {
			t.Errorf("%s: %d connections for 3 probes", scheme, got)
		}
	}
}

func TestHTTP2IsNotReplacedByHTTP1(t *testing.T) {
	server, _ := backend(t, func(s *httptest.Server) { s.StartTLS() })
	insecure, err := connect.TLSConfig("", "", true)
	if err != nil {
		t.Fatal(err)
	}
	// One that knows nothing of ALPN: the handshake itself succeeds.
	config := &tls.Config{Certificates: server.TLS.Certificates}
	old := nettest.Serve(t, "127.0.0.1", func(c net.Conn) { read(tls.Server(c, config)) })
	a := parse(t, "h2://"+old, probe.Options{Dialer: connect.Dialer{TLS: insecure}}).Probe(t.Context())
	if a.Failure != verify.TLS || !strings.Contains(a.Detail, "HTTP/2") {
		t.Errorf("%+v", a)
	}
}

func TestAnswerSaysWhoGaveIt(t *testing.T) {
	server, _ := backend(t, nil)
	header, err := identify.Parse("header:X-Pod")
	if err != nil {
		t.Fatal(err)
	}
	names := func(name string) (netip.AddrPort, bool) {
		return netip.MustParseAddrPort("10.0.0.5:0"), name == "web-1"
	}
	for _, c := range []struct {
		path    string
		options probe.Options
		from    string
		failure verify.Failure
	}{
		{"/", probe.Options{}, "10.0.0.1:8080", ""},
		{"/elsewhere", probe.Options{}, "10.0.0.1:8080", ""}, // a redirect is an answer
		{"/", probe.Options{Identify: header, Names: names}, "10.0.0.5:0", ""},
		{"/", probe.Options{Identify: header}, "invalid AddrPort", verify.Unidentified},
		{"/broken", probe.Options{}, "10.0.0.1:8080", verify.Status},
	} {
		a := parse(t, server.URL+c.path, c.options).Probe(t.Context())
		if a.From.String() != c.from || a.Failure != c.failure || a.Began.IsZero() || a.Ended.Before(a.Began) {
			t.Errorf("%s: %+v, want %s %s", c.path, a, c.from, c.failure)
		}
	}
}

func TestRequestIsTheOneAskedFor(t *testing.T) {
	server, _ := backend(t, nil)
	seen, err := identify.Parse("header:X-Seen")
	if err != nil {
		t.Fatal(err)
	}
	a := parse(t, server.URL+"/a?b=c", probe.Options{
		Method: "OPTIONS", Header: http.Header{"X-Tenant": {"seven"}, "Host": {"web.shop"}}, Identify: seen,
	}).Probe(t.Context())
	// A name has no spaces in it, so the text shows as what could not be read.
	if !strings.Contains(a.Detail, `"HTTP/1.1 OPTIONS web.shop/a?b=c seven"`) {
		t.Errorf("the backend saw %s", a.Detail)
	}
}

// read waits for what the client says first.
func read(conn net.Conn) { _, _ = conn.Read(make([]byte, 4096)) }

func TestFailuresAreToldApart(t *testing.T) {
	gone := nettest.Serve(t, "127.0.0.1", func(net.Conn) {})
	closed := nettest.FreeAddress(t)
	reset := nettest.Serve(t, "127.0.0.1", func(c net.Conn) { read(c); _ = c.(*net.TCPConn).SetLinger(0) })
	half := nettest.Serve(t, "127.0.0.1", func(c net.Conn) { read(c); io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf") })
	silent := nettest.Serve(t, "127.0.0.1", func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
	nonsense := nettest.Serve(t, "127.0.0.1", func(c net.Conn) { read(c); io.WriteString(c, "SSH-2.0-x\r\n\r\n") })
	// It refuses the request in a way after which clients try again.
	goesAway := nettest.Serve(t, "127.0.0.1", func(c net.Conn) {
		framer := http2.NewFramer(c, c)
		if _, err := io.ReadFull(c, make([]byte, len(http2.ClientPreface))); err != nil || framer.WriteSettings() != nil {
			return
		}
		for {
			frame, err := framer.ReadFrame()
			if err != nil {
				return
			}
			if frame.Header().Type == http2.FrameHeaders {
				framer.WriteGoAway(0, http2.ErrCodeNo, nil)
			}
		}
	})
	for _, c := range []struct {
		target  string
		timeout time.Duration
		want    verify.Failure
	}{
		{"http://" + closed, patience, verify.Refused},
		{"tcp://" + closed, patience, verify.Refused},
		{"http://" + reset, patience, verify.Reset},
		{"http://" + gone, patience, verify.Reset},
		{"http://" + half, patience, verify.Reset},
		{"h2c://" + gone, patience, verify.Reset},
		{"h2c://" + reset, patience, verify.Reset},
		{"h2c://" + goesAway, patience, verify.Reset},
		{"tcp://" + gone, patience, verify.Reset},
		{"https://" + gone, patience, verify.TLS},
		{"tls://" + nonsense, patience, verify.TLS},
		{"http://" + nonsense, patience, verify.Other},
		{"http://" + silent, 50 * time.Millisecond, verify.Timeout},
		{"h2c://" + silent, 50 * time.Millisecond, verify.Timeout},
		{"https://" + silent, 50 * time.Millisecond, verify.Timeout},
		{"tcp://" + silent, 50 * time.Millisecond, verify.Unidentified},
		{"http://name.invalid/", patience, verify.Other},
	} {
		a := parse(t, c.target, probe.Options{Timeout: c.timeout}).Probe(t.Context())
		if a.Failure != c.want || a.Detail == "" {
			t.Errorf("%s: %q (%s), want %q", c.target, a.Failure, a.Detail, c.want)
		}
	}
}

func TestStreamsTellByWhatTheySay(t *testing.T) {
	greeting := nettest.Serve(t, "127.0.0.1", func(c net.Conn) {
		io.WriteString(c, "10.0.0.1")     // an address, if it were all
		time.Sleep(50 * time.Millisecond) // so that it comes in two parts
		io.WriteString(c, "7\n")
		read(c)
	})
	asked := nettest.Serve(t, "127.0.0.1", func(c net.Conn) {
		line := make([]byte, 4)
		if _, err := io.ReadFull(c, line); err == nil && string(line) == "who\n" {
			io.WriteString(c, "banner\nserver web-7 at your service") // ends without a line end
		}
	})
	pattern, err := identify.Parse("regexp:server ([a-z0-9-]+)")
	if err != nil {
		t.Fatal(err)
	}
	a := parse(t, "tcp://"+greeting, probe.Options{}).Probe(t.Context())
	if a.From.Addr().String() != "10.0.0.17" || a.Failure != "" {
		t.Errorf("%+v", a)
	}
	a = parse(t, "tcp://"+asked, probe.Options{Send: "who\n", Identify: pattern}).Probe(t.Context())
	if a.Name != "web-7" {
		t.Errorf("%+v", a)
	}
}

// TestProgramTellsWhileTheConnectionIsOpen asks HAProxy itself which server has
// the session, for a backend that says nothing of itself.
func TestProgramTellsWhileTheConnectionIsOpen(t *testing.T) {
	mute := nettest.Serve(t, "127.0.0.1", func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
	h := haproxytest.Start(t, `
defaults
  mode tcp
  timeout connect 5s
  timeout client 1m
  timeout server 1m
listen users
  bind FRONT
  server web-1 `+mute+"\n")
	how := sessionTable{h}
	a := parse(t, "tcp://"+h.Front, probe.Options{Identify: how, Timeout: 2 * time.Second}).Probe(t.Context())
	if a.Name != "web-1" {
		t.Errorf("%+v", a)
	}
}

// sessionTable does what a user's program would do.
type sessionTable struct{ h *haproxytest.HAProxy }

func (sessionTable) String() string { return "exec:test" }

func (s sessionTable) Who(_ context.Context, a identify.Answer) (identify.Who, error) {
	for line := range strings.Lines(s.h.Ask("show sess")) {
		if strings.Contains(line, "src="+a.Local.String()) {
			_, rest, _ := strings.Cut(line, " srv=")
			name, _, _ := strings.Cut(rest, " ")
			return identify.Read(name)
		}
	}
	return identify.Who{}, errors.New("no such session")
}

func TestHAProxyWithoutServerAnswersByItself(t *testing.T) {
	h := haproxytest.Start(t, `
defaults
  timeout connect 5s
  timeout client 1m
  timeout server 1m
  timeout queue 1s
listen users
  mode http
  bind FRONT
`)
	a := parse(t, "http://"+h.Front, probe.Options{}).Probe(t.Context())
	if a.Failure != verify.Status || a.Detail != "503 Service Unavailable" || a.From.IsValid() {
		t.Errorf("%+v", a)
	}
}

func TestTargetThatIsNotAllowedGetsNothing(t *testing.T) {
	server, connections := backend(t, nil)
	p := parse(t, server.URL, probe.Options{Dialer: connect.Dialer{Allow: connect.Within(netip.MustParsePrefix("10.0.0.0/8"))}})
	if a := p.Probe(t.Context()); a.Failure != verify.Other || !strings.Contains(a.Detail, "not an allowed address") {
		t.Errorf("%+v", a)
	}
	if err := p.Check(t.Context()); !errors.Is(err, connect.ErrNotAllowed) {
		t.Error(err)
	}
	if connections.Load() != 0 {
		t.Error("it was connected to")
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	header, err := identify.Parse("header:X")
	if err != nil {
		t.Fatal(err)
	}
	for target, options := range map[string]probe.Options{
		"tcp://x:1":  {Identify: header},
		"http://x":   {Send: "hello"},
		"http://y":   {Method: "GET /"},
		"http://z":   {Header: http.Header{"A": {"b\r\nC: d"}}},
		"http://w":   {Header: http.Header{"A b": {"c"}}},
		"gopher://x": {},
	} {
		if _, err := probe.Parse(target, options); err == nil || !strings.Contains(err.Error(), target) {
			t.Errorf("%s: %v", target, err)
		}
	}
}
