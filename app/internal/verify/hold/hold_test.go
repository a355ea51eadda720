package hold_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/connect"
	"github.com/slicewright/slicewright/app/internal/verify/hold"
	"github.com/slicewright/slicewright/app/internal/verify/hold/echo"
	"github.com/slicewright/slicewright/internal/nettest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is what a loaded machine may need.
const patience = 30 * time.Second

// once sends the first message and no more, so that none is under way when a
// test ends something.
const once = time.Hour

// backend runs an echo server until the test ends, and returns its host and port.
func backend(t *testing.T, name string) (*echo.Server, string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &echo.Server{Name: name}
	served := make(chan error, 1)
	go func() { served <- s.Serve(listener) }()
	t.Cleanup(func() {
		s.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return s, listener.Addr().String()
}

func targets(t *testing.T, options hold.Options, texts ...string) []*hold.Target {
	t.Helper()
	if options.Timeout == 0 {
		options.Timeout = patience
	}
	var all []*hold.Target
	for _, text := range texts {
		target, err := hold.Parse(text, options)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, target)
	}
	return all
}

// run holds connections, does something once they are there, and goes on until
// all have ended. A do that returns true is the end.
func run(t *testing.T, all []*hold.Target, do func(hold.Report) (stop bool)) hold.Report {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	var waiting sync.WaitGroup
	defer waiting.Wait()
	return hold.Run(ctx, all, func(r hold.Report) {
		waiting.Go(func() {
			if do(r) {
				cancel()
			}
		})
	})
}

func TestConnectionsThatNobodyEndsAreOpenAndLoseNothing(t *testing.T) {
	_, address := backend(t, "web-1")
	want := netip.MustParseAddrPort(address)
	all := targets(t, hold.Options{Every: time.Millisecond, Connections: 2}, "tcp://"+address, "ws://"+address+"/any", "h2c://"+address+"/any?a=b")
	begun := time.Now()
	r := run(t, all, func(r hold.Report) bool {
		for _, c := range r.Connections {
			if c.Messages == nil || c.Holder.Address != want {
				t.Errorf("not ready: %+v", c)
			}
		}
		time.Sleep(100 * time.Millisecond) // some messages
		return true
	})
	if len(r.Connections) != 6 {
		t.Fatalf("%d connections", len(r.Connections))
	}
	for _, c := range r.Connections {
		m := c.Messages
		if c.End.Kind != hold.Open || !c.Clean || c.Holder.Name != "web-1" || m.Answered != m.Sent || m.Sent < 2 || c.Problems() != nil {
			t.Errorf("%s: %+v %+v", c.Target, c, m)
		}
		if !c.Local.IsValid() || c.Remote != want || c.Opened.Before(begun) || c.LastHeard.Before(c.Opened) {
			t.Errorf("%s: %+v", c.Target, c)
		}
		if c.Protocol != "http2" {
			continue
		}
		if c.HTTP2.End.Kind != hold.Open || len(c.HTTP2.Streams) < 2 || len(c.HTTP2.GoAways) > 0 {
			t.Errorf("%+v", c.HTTP2)
		}
		for _, s := range c.HTTP2.Streams {
			if s.Backend != c.Holder || s.Failure != "" || s.Ended.Before(s.Began) {
				t.Errorf("%+v", s)
			}
		}
	}
}

func TestBackendSaysGoodbye(t *testing.T) {
	s, address := backend(t, "web-1")
	all := targets(t, hold.Options{Every: once}, "tcp://"+address, "ws://"+address, "h2c://"+address)
	r := run(t, all, func(hold.Report) bool {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		return false
	})
	for i, want := range []string{"fin", "close-frame 1001", "end-stream"} {
		c := r.Connections[i]
		if c.End.String() != want || !c.Clean || c.End.At.IsZero() || c.Messages.Answered != 1 || c.Messages.Lost != 0 || c.Problems() != nil {
			t.Errorf("%s ended with %s, clean %t, %+v", c.Target, c.End, c.Clean, c.Messages)
		}
	}
	h2 := r.Connections[2].HTTP2
	if len(h2.GoAways) == 0 || h2.GoAways[0].Code != 0 || h2.End.Kind != hold.FIN || h2.GoAways[0].At.After(h2.End.At) {
		t.Errorf("HTTP/2 ended with %s after %+v", h2.End, h2.GoAways)
	}
}

func TestBackendCuts(t *testing.T) {
	s, address := backend(t, "web-1")
	all := targets(t, hold.Options{Every: 5 * time.Millisecond}, "tcp://"+address, "ws://"+address, "h2c://"+address)
	r := run(t, all, func(hold.Report) bool { s.Close(); return false })
	for _, c := range r.Connections {
		if c.End.Kind != hold.RST || c.Clean || len(c.Problems()) == 0 {
			t.Errorf("%s ended with %s, clean %t", c.Target, c.End, c.Clean)
		}
	}
	if h2 := r.Connections[2].HTTP2; h2.End.Kind != hold.RST || len(h2.GoAways) > 0 {
		t.Errorf("%+v", h2)
	}
}

func TestEncryptedConnections(t *testing.T) {
	s := &echo.Server{Name: "web-1"}
	encrypted := httptest.NewUnstartedServer(s)
	encrypted.EnableHTTP2 = true
	encrypted.StartTLS()
	defer encrypted.Close()
	insecure, err := connect.TLSConfig("", "", true)
	if err != nil {
		t.Fatal(err)
	}
	address := encrypted.Listener.Addr().String()
	all := targets(t, hold.Options{Every: time.Millisecond, Dialer: connect.Dialer{TLS: insecure}}, "wss://"+address, "h2://"+address)
	r := run(t, all, func(hold.Report) bool { return true })
	for _, c := range r.Connections {
		if c.Messages == nil || c.Holder.Name != "web-1" || !c.Clean {
			t.Errorf("%+v", c)
		}
	}
	s.Close()
}

func TestBackendsThatDoNotSpeakTheMessages(t *testing.T) {
	sendsBack := nettest.Serve(t, "127.0.0.1", func(c net.Conn) { _, _ = io.Copy(c, c) })
	mute := nettest.Serve(t, "127.0.0.1", func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
	hangsUp := nettest.Serve(t, "127.0.0.1", func(c net.Conn) { bufio.NewReader(c).ReadString('\n') })
	babbles := nettest.Serve(t, "127.0.0.1", func(c net.Conn) {
		c.Read(make([]byte, 100))
		fmt.Fprintf(c, "%s\n\x00\x1b[2J\n-\n", strings.Repeat("x", 5000))
		_, _ = io.Copy(io.Discard, c)
	})
	for target, want := range map[string]string{
		"tcp://" + sendsBack: "open true answers",
		"tcp://" + mute:      "open true silent",
		"tcp://" + hangsUp:   "fin true silent",
		"tcp://" + babbles:   "open true silent",
		"h2c://" + mute:      "not-made false silent",
		"h2c://" + hangsUp:   "not-made false silent",
		"h2c://" + babbles:   "not-made false silent",
		"ws://" + mute:       "not-made false silent",
		"ws://" + babbles:    "not-made false silent",
	} {
		all := targets(t, hold.Options{Every: time.Millisecond, Timeout: 300 * time.Millisecond}, target)
		c := run(t, all, func(hold.Report) bool { return true }).Connections[0]
		got := fmt.Sprint(c.End.Kind, " ", c.Clean, " silent")
		if c.Messages != nil {
			got = fmt.Sprint(c.End.Kind, " ", c.Clean, " answers")
		}
		if got != want {
			t.Errorf("%s: %s (%s), want %s", target, got, c.End, want)
		}
	}
}

func TestOrdinaryHTTP2ServerTellsByItsNewStreams(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			http.Error(w, "no", http.StatusMethodNotAllowed)
			return
		}
		io.WriteString(w, "10.0.0.1:80")
	}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	defer server.Close()
	for _, silent := range []bool{false, true} {
		all := targets(t, hold.Options{Every: time.Millisecond, Silent: silent}, "h2c://"+server.Listener.Addr().String())
		c := run(t, all, func(hold.Report) bool {
			time.Sleep(50 * time.Millisecond)
			return true
		}).Connections[0]
		want := "no-stream 405 (Method Not Allowed)"
		if silent {
			want = "open"
		}
		if c.End.String() != want || c.Messages != nil || c.Holder.Address.String() != "10.0.0.1:80" || c.HTTP2.End.Kind != hold.Open || len(c.HTTP2.Streams) < 2 {
			t.Errorf("silent %t: %+v %+v", silent, c, c.HTTP2)
		}
	}
}

func TestSilentConnectionSaysNothing(t *testing.T) {
	heard := make(chan string, 1)
	address := nettest.Serve(t, "127.0.0.1", func(c net.Conn) {
		text, _ := io.ReadAll(c)
		heard <- string(text)
	})
	all := targets(t, hold.Options{Every: time.Millisecond, Silent: true}, "tcp://"+address)
	r := run(t, all, func(hold.Report) bool { time.Sleep(20 * time.Millisecond); return true })
	if text := <-heard; text != "" || r.Connections[0].End.Kind != hold.Open {
		t.Errorf("it said %q: %+v", text, r.Connections[0])
	}
}

// This backend closes as soon as the client has said goodbye, even while it
// still works on answers.
func TestLastAnswersAreWaitedFor(t *testing.T) {
	address := nettest.Serve(t, "127.0.0.1", func(c net.Conn) {
		work := make(chan int, 1000)
		var working sync.WaitGroup
		working.Go(func() {
			for n := range work {
				time.Sleep(20 * time.Millisecond)
				fmt.Fprintf(c, "%d %d 10.0.0.1:80 web-1\n", n, n)
			}
		})
		in := bufio.NewScanner(c)
		in.Scan() // hello
		for n := 1; in.Scan(); n++ {
			work <- n
		}
		close(work)
		c.Close()
		working.Wait()
	})
	all := targets(t, hold.Options{Every: time.Millisecond}, "tcp://"+address)
	c := run(t, all, func(hold.Report) bool { time.Sleep(50 * time.Millisecond); return true }).Connections[0]
	if m := c.Messages; m.Sent < 2 || m.Answered != m.Sent || m.InFlight != 0 || !c.Clean {
		t.Errorf("%+v", m)
	}
}

// A proxy that goes on with another backend in the middle of a connection, loses
// an answer and repeats one.
func TestMovedLostAndRepeated(t *testing.T) {
	address := nettest.Serve(t, "127.0.0.1", func(c net.Conn) {
		in := bufio.NewScanner(c)
		in.Scan() // hello
		for n := 1; in.Scan(); n++ {
			switch {
			case n == 3: // lost
			case n == 4:
				fmt.Fprintf(c, "4 4 10.0.0.1:80 web-1\n4 4 10.0.0.1:80 web-1\n")
			case n > 5:
				fmt.Fprintf(c, "%d %d 10.0.0.2:80 web-2\n", n, n-5)
			default:
				fmt.Fprintf(c, "%d %d 10.0.0.1:80 web-1\n", n, n)
			}
			if n == 8 {
				return
			}
		}
	})
	c := run(t, targets(t, hold.Options{Every: time.Millisecond}, "tcp://"+address), func(hold.Report) bool { return false }).Connections[0]
	m := c.Messages
	if m.Lost < 1 || m.LostBack != 1 || m.Duplicated != 1 || len(c.Moves) != 1 || c.Moves[0].To.Name != "web-2" || c.Holder.Name != "web-1" || c.Clean {
		t.Errorf("%+v %+v", c, m)
	}
	text := strings.Join(c.Problems(), "; ")
	if !strings.Contains(text, "messages lost") || !strings.Contains(text, "1 of ") || !strings.Contains(text, "moved from web-1 (10.0.0.1:80) to web-2 (10.0.0.2:80)") {
		t.Error(text)
	}
}

func TestTargetThatIsNotAllowedOrNotThere(t *testing.T) {
	var reached atomic.Bool
	address := nettest.Serve(t, "127.0.0.1", func(net.Conn) { reached.Store(true) })
	allow := connect.Within(netip.MustParsePrefix("10.0.0.0/8"))
	all := targets(t, hold.Options{Dialer: connect.Dialer{Allow: allow}}, "tcp://"+address)
	c := run(t, all, func(hold.Report) bool { return false }).Connections[0]
	if c.End.Kind != hold.NotMade || !strings.Contains(c.End.Detail, "not an allowed address") || reached.Load() {
		t.Errorf("%+v", c)
	}
	if err := all[0].Check(t.Context()); !errors.Is(err, connect.ErrNotAllowed) {
		t.Errorf("Check: %v", err)
	}
	c = run(t, targets(t, hold.Options{}, "ws://"+nettest.FreeAddress(t)), func(hold.Report) bool { return false }).Connections[0]
	if c.End.Kind != hold.NotMade || !strings.Contains(c.End.Detail, "refused") || len(c.Problems()) != 1 {
		t.Errorf("%+v", c)
	}
}

func TestTargetsThatCannotBe(t *testing.T) {
	for target, options := range map[string]hold.Options{
		"http://x":  {},
		"tcp://x":   {},
		"tcp://x:1": {Connections: 1001},
		"tcp://y:1": {Every: -1},
		"ws://x":    {Header: http.Header{"A": {"b\nc"}}},
	} {
		if _, err := hold.Parse(target, options); err == nil || !strings.Contains(err.Error(), target) {
			t.Errorf("%s: %v", target, err)
		}
	}
}

func TestWhatCameAfterTheHolderBeganToGo(t *testing.T) {
	at := func(seconds int) time.Time { return time.Unix(int64(seconds), 0) }
	one := hold.Backend{Address: netip.MustParseAddrPort("10.0.0.1:80"), Name: "web-1"}
	c := hold.Connection{Holder: one, End: hold.End{Kind: hold.EndStream, At: at(5)}, HTTP2: &hold.HTTP2{
		End: hold.End{Kind: hold.Open},
		Streams: []hold.Stream{
			{Began: at(1), Backend: one},
			{Began: at(3), Backend: one},
			{Began: at(4), Backend: hold.Backend{Address: netip.MustParseAddrPort("10.0.0.1:0")}}, // tells the address alone
			{Began: at(5), Backend: hold.Backend{Address: netip.MustParseAddrPort("10.0.0.2:80")}},
			{Began: at(6), Failure: verify.Reset},
		},
	}}
	want := hold.After{Outlived: 7 * time.Second, Open: true, ToHolder: 2, Elsewhere: 1, Failed: 1}
	if got := c.After(at(2), at(9)); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	c.HTTP2 = nil
	if got := c.After(at(7), at(9)); got != (hold.After{}) {
		t.Errorf("ended before: %+v", got)
	}
}
