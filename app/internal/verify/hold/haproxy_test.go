package hold_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/slicewright/slicewright/app/internal/verify/hold"
	"github.com/slicewright/slicewright/internal/haproxytest"
)

// balanced runs HAProxy before two echo servers, web-1 and web-2, and holds a
// connection of each scheme through it, to web-1: the other is drained until
// they are there.
func balanced(t *testing.T, mode, bind, server string, schemes []string, change func(h *haproxytest.HAProxy)) hold.Report {
	t.Helper()
	_, one := backend(t, "web-1")
	_, two := backend(t, "web-2")
	h := haproxytest.Start(t, fmt.Sprintf(`
defaults
  mode %s
  timeout connect 5s
  timeout client 5m
  timeout server 5m
  timeout tunnel 5m
listen users
  bind FRONT %s
  server web-1 %s %s
  server web-2 %s %s
`, mode, bind, one, server, two, server))
	if answer := h.Ask("set server users/web-2 state drain"); answer != "" {
		t.Fatal(answer)
	}
	var texts []string
	for _, scheme := range schemes {
		texts = append(texts, scheme+"://"+h.Front)
	}
	r := run(t, targets(t, hold.Options{Every: 5 * time.Millisecond}, texts...), func(r hold.Report) bool {
		for _, c := range r.Connections {
			if c.Holder.Name != "web-1" {
				t.Errorf("%s is held by %s (%s)", c.Target, c.Holder, c.End)
			}
		}
		for _, command := range []string{"set server users/web-2 state ready", "set server users/web-1 state drain"} {
			if answer := h.Ask(command); answer != "" {
				t.Error(answer)
			}
		}
		change(h)
		return true
	})
	for _, c := range r.Connections {
		if len(c.Moves) > 0 || c.Messages == nil || c.Messages.Duplicated+c.Messages.Reordered+c.Messages.Strange > 0 {
			t.Errorf("%s: %+v %+v", c.Target, c.Moves, c.Messages)
		}
	}
	return r
}

// pause lets some messages pass and some new streams begin.
func pause() { time.Sleep(700 * time.Millisecond) }

func TestDrainedServerKeepsWhatItHas(t *testing.T) {
	var drained time.Time
	note := func(*haproxytest.HAProxy) { drained = time.Now(); pause() }
	open := func(c hold.Connection) {
		if c.End.Kind != hold.Open || !c.Clean || c.Messages.Lost > 0 || c.Problems() != nil {
			t.Errorf("%s: %s %+v", c.Target, c.End, c.Messages)
		}
	}
	// Over TCP HAProxy knows nothing of streams: what it drains is the connection,
	// and new streams on it go on to the server that it has.
	r := balanced(t, "tcp", "", "", []string{"tcp", "ws", "h2c"}, note)
	for _, c := range r.Connections {
		open(c)
	}
	if a := r.Connections[2].After(drained, time.Now()); a.ToHolder == 0 || a.Elsewhere > 0 || a.Failed > 0 || !a.Open || a.Outlived == 0 {
		t.Errorf("new streams on a connection through TCP: %+v", a)
	}
	// Over HTTP it chooses a server for every stream, whatever connection the
	// stream came on.
	for _, server := range []string{"", "proto h2"} {
		r = balanced(t, "http", "proto h2", server, []string{"h2c"}, note)
		open(r.Connections[0])
		if a := r.Connections[0].After(drained, time.Now()); a.Elsewhere == 0 || a.ToHolder > 0 || a.Failed > 0 {
			t.Errorf("new streams on a connection through HTTP (server %q): %+v", server, a)
		}
	}
	r = balanced(t, "http", "", "", []string{"ws"}, note)
	open(r.Connections[0])
}

func TestEndedSessions(t *testing.T) {
	end := func(h *haproxytest.HAProxy) {
		h.Ask("shutdown sessions server users/web-1")
		pause()
	}
	r := balanced(t, "tcp", "", "", []string{"tcp", "ws", "h2c"}, end)
	for _, c := range r.Connections {
		// HAProxy closes towards the client; what was on its way is lost or not, as it
		// happens.
		if c.End.Kind != hold.FIN && c.End.Kind != hold.RST || c.Protocol != "tcp" && c.Clean {
			t.Errorf("%s: %s, clean %t", c.Target, c.End, c.Clean)
		}
	}
	if h2 := r.Connections[2].HTTP2; h2.End.Kind == hold.Open || len(h2.GoAways) > 0 {
		t.Errorf("%+v", h2.End)
	}
	// Over HTTP/2 it ends the stream, and keeps the client's connection.
	r = balanced(t, "http", "proto h2", "", []string{"h2c"}, end)
	c := r.Connections[0]
	if c.End.Kind == hold.Open || c.HTTP2.End.Kind != hold.Open {
		t.Errorf("stream %s, connection %s", c.End, c.HTTP2.End)
	}
	t.Logf("HAProxy ended the stream with %s, %d messages lost", c.End, c.Messages.Lost)
}

// The holder of a stream releases it when it has ended. Otherwise the backend's
// server could not be deleted as long as the client's connection lasts.
func TestEndedStreamHoldsNoServer(t *testing.T) {
	s, address := backend(t, "web-1")
	h := haproxytest.Start(t, `
defaults
  mode http
  timeout connect 5s
  timeout client 5m
  timeout server 5m
listen users
  bind FRONT proto h2
  server web-1 `+address+"\n")
	sessions := func() string {
		for line := range strings.Lines(h.Ask("show stat")) {
			if fields := strings.Split(line, ","); len(fields) > 4 && fields[1] == "web-1" {
				return fields[4]
			}
		}
		return "unknown"
	}
	become := func(want string) {
		t.Helper()
		got := sessions()
		for deadline := time.Now().Add(patience); got != want && time.Now().Before(deadline); got = sessions() {
			time.Sleep(10 * time.Millisecond)
		}
		if got != want {
			t.Errorf("%s sessions, want %s", got, want)
		}
	}
	run(t, targets(t, hold.Options{Every: once}, "h2c://"+h.Front), func(hold.Report) bool {
		become("1") // the stream that asks where new ones go may not have ended yet
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		become("0")
		return true
	})
}

// A HAProxy that is asked to stop says GOAWAY, and then ends.
func TestStoppingProxySaysGoAway(t *testing.T) {
	r := balanced(t, "http", "proto h2", "", []string{"h2c"}, func(h *haproxytest.HAProxy) {
		h.StopSoftly(t)
		pause()
	})
	h2 := r.Connections[0].HTTP2
	if len(h2.GoAways) == 0 {
		t.Fatalf("no GOAWAY; stream %s, connection %s", r.Connections[0].End, h2.End)
	}
	for _, s := range h2.Streams {
		if s.Began.After(h2.GoAways[0].At) {
			t.Errorf("a stream began %s after the GOAWAY", s.Began.Sub(h2.GoAways[0].At))
		}
	}
	if r.Connections[0].End.Kind != hold.Open || r.Connections[0].Messages.Lost > 0 {
		t.Errorf("the stream: %s %+v", r.Connections[0].End, r.Connections[0].Messages)
	}
}

func TestBalancerWithoutServerHoldsNothing(t *testing.T) {
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
	c := run(t, targets(t, hold.Options{}, "ws://"+h.Front), func(hold.Report) bool { return false }).Connections[0]
	if c.End.Kind != hold.NotMade || !strings.Contains(c.End.Detail, "503 Service Unavailable") {
		t.Errorf("%+v", c)
	}
}
