package echo_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/slicewright/slicewright/app/internal/verify/hold/echo"
	"github.com/slicewright/slicewright/app/internal/verify/probe"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t *testing.T) (*echo.Server, string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &echo.Server{Name: "web-1"}
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

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(30 * time.Second))
	return c
}

func TestWhoeverAsksIsToldWhoAnswers(t *testing.T) {
	_, address := start(t)
	for _, scheme := range []string{"http", "h2c"} {
		p, err := probe.Parse(scheme+"://"+address+"/any", probe.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if a := p.Probe(t.Context()); a.From != netip.MustParseAddrPort(address) || a.Name != "web-1" || a.Failure != "" {
			t.Errorf("%s: %+v", scheme, a)
		}
	}
}

func TestLinesAreAnsweredOneByOne(t *testing.T) {
	_, address := start(t)
	c := dial(t, address)
	io.WriteString(c, "hold/1\n5\r\nnonsense\n\n18446744073709551616\n7\n")
	in := bufio.NewReader(c)
	for _, want := range []string{
		"5 1 " + address + " web-1", "error: a message is a number", "error: a message is a number", "error: a message is a number", "7 5 " + address + " web-1",
	} {
		if line, err := in.ReadString('\n'); strings.TrimSpace(line) != want {
			t.Errorf("%q (%v), want %q", line, err, want)
		}
	}
	// What is longer than any message ends the connection.
	io.WriteString(c, strings.Repeat("1", 5000)+"\n")
	if line, err := in.ReadString('\n'); err == nil {
		t.Errorf("answered %q", line)
	}
}

func TestOrdinaryAndBrokenClients(t *testing.T) {
	_, address := start(t)
	dial(t, address).Close() // says nothing
	c := dial(t, address)
	io.WriteString(c, "hol") // ends in the middle of the first words
	c.(*net.TCPConn).CloseWrite()
	io.ReadAll(c)
	answer, err := http.Post("http://"+address, "text/plain", strings.NewReader("1\n"))
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer answer.Body.Close()
	if body, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusOK || !strings.Contains(string(body), `"name":"web-1"`) {
		t.Errorf("a POST that holds nothing: %s %q", answer.Status, body)
	}
}

func TestItEndsOnce(t *testing.T) {
	s, address := start(t)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for range 2 {
		if err := s.Shutdown(ctx); err != nil {
			t.Error(err)
		}
	}
	s.Close()
	if c, err := net.Dial("tcp", address); err == nil {
		c.Close()
		t.Error("it accepts after its end")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Serve(listener); err != nil {
		t.Error(err)
	}
	if _, err := listener.Accept(); err == nil {
		t.Error("a listener that came too late is left open")
	}
}

// A client that does not go after the goodbye is waited for as long as ctx says,
// and then cut.
func TestShutdownGivesUp(t *testing.T) {
	s, address := start(t)
	c := dial(t, address)
	io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nSlicewright-Hold: 1\r\nContent-Length: 10\r\n\r\n1") // and no more
	if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.Contains(line, "200 OK") {
		t.Fatalf("%q, %v", line, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	<-ctx.Done()
	if err := s.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Shutdown: %v", err)
	}
	s.Close()
	if _, err := io.ReadAll(c); err != nil && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the client's connection: %v", err)
	}
}
