package kubelet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// loopback is where tests without a sandbox can listen.
var loopback = netip.MustParseAddr("127.0.0.1")

func listen(t *testing.T) (*Server, string) {
	t.Helper()
	// The port is the kernel's choice, so that tests do not meet.
	s, err := Listen(Identity{Name: "web-1", Namespace: "shop", UID: "u1", Node: "lab-a-1"}, []netip.Addr{loopback}, []uint16{0})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, "http://" + s.listeners[0].Addr().String()
}

func client(t *testing.T, protocol func(*http.Protocols)) *http.Client {
	var protocols http.Protocols
	protocol(&protocols)
	transport := &http.Transport{Protocols: &protocols}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func http1(p *http.Protocols) { p.SetHTTP1(true) }
func http2(p *http.Protocols) { p.SetUnencryptedHTTP2(true) }

func TestServerSaysWhoItIsOverBothProtocols(t *testing.T) {
	s, url := listen(t)
	for want, protocol := range map[string]func(*http.Protocols){"HTTP/1.1": http1, "HTTP/2.0": http2} {
		answer, err := client(t, protocol).Get(url)
		if err != nil {
			t.Fatal(err)
		}
		var got Identity
		err = json.NewDecoder(answer.Body).Decode(&got)
		answer.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		port := s.listeners[0].Addr().(*net.TCPAddr).Port
		expect := Identity{Name: "web-1", Namespace: "shop", UID: "u1", Node: "lab-a-1", IP: "127.0.0.1", Port: port, Protocol: want}
		if got != expect {
			t.Errorf("got %+v, want %+v", got, expect)
		}
		if answer.Header.Get("X-Lab-Pod") != "web-1" || answer.Header.Get("X-Lab-IP") != "127.0.0.1" {
			t.Errorf("headers %v", answer.Header)
		}
	}
	if requests, last := s.Served(); requests != 2 || last.IsZero() {
		t.Errorf("served %d, last %s", requests, last)
	}
}

func TestNonsenseDelayIsRefused(t *testing.T) {
	_, url := listen(t)
	for _, delay := range []string{"", "soon", "-1s", "100h"} {
		answer, err := client(t, http1).Get(url + "/slow?for=" + delay)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusBadRequest {
			t.Errorf("for=%s: %s", delay, answer.Status)
		}
	}
}

// open begins a request that takes longer than any test, and returns when the
// server has it.
func open(t *testing.T, s *Server, url string, delay time.Duration) <-chan error {
	t.Helper()
	ended := make(chan error, 1)
	c := client(t, http1)
	go func() {
		answer, err := c.Get(fmt.Sprintf("%s/slow?for=%s", url, delay))
		if err == nil {
			answer.Body.Close()
		}
		ended <- err
	}()
	for requests := int64(0); requests == 0; requests, _ = s.Served() {
		time.Sleep(time.Millisecond)
	}
	return ended
}

func refused(url string) bool {
	_, err := net.Dial("tcp", url[len("http://"):])
	return errors.Is(err, syscall.ECONNREFUSED)
}

func TestDrainFinishesOpenRequestsAndRefusesNewConnections(t *testing.T) {
	s, url := listen(t)
	ended := open(t, s, url, 300*time.Millisecond)
	s.StopAccepting()
	if !refused(url) {
		t.Error("a connection is accepted after StopAccepting")
	}
	if err := s.Drain(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the open request failed: %v", err)
	}
}

func TestDrainGivesUpWhenItsTimeIsOverAndCloseCuts(t *testing.T) {
	s, url := listen(t)
	ended := open(t, s, url, 5*time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Drain(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Drain: %v", err)
	}
	s.Close()
	if err := <-ended; err == nil {
		t.Error("the open request was not cut")
	}
}

func TestServerTellsPrometheusHowManyAsked(t *testing.T) {
	_, url := listen(t)
	h1 := client(t, http1)
	for want := 1; want <= 2; want++ {
		answer, err := h1.Get(url + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if expect := fmt.Sprintf("# TYPE lab_requests_total counter\nlab_requests_total %d\n", want); string(body) != expect {
			t.Errorf("got %q", body)
		}
	}
}
