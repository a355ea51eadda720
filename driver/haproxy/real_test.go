package haproxy

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/publish"
)

func TestRealFollowsTheDesiredSet(t *testing.T) {
	t.Parallel()
	h := newHAProxy(t, emptySection)
	d := newDriver(t, h.admin)
	addrs := pods(t, "127.0.0.1", "127.0.0.2", "127.0.0.3", "::1")
	h.wantAnswering(t, "")

	bring(t, d, publish.Desired{Active: backends(t, addrs...)})
	h.wantAnswering(t, addrs...)
	bring(t, d, publish.Desired{Active: backends(t, addrs[1:]...)})
	h.wantAnswering(t, addrs[1:]...)
	h.settle(t, d, publish.Desired{Active: backends(t, addrs[1:]...)})
	if n := len(observe(t, d).Servers); n != 3 {
		t.Errorf("HAProxy has %d servers, want 3", n)
	}
	h.settle(t, d, publish.Desired{})
	h.wantAnswering(t, "")
	if n := len(observe(t, d).Servers); n != 0 {
		t.Errorf("HAProxy has %d servers, want none", n)
	}
}

// TestRealBalanceByHashReachesAll: see ids.take.
func TestRealBalanceByHashReachesAll(t *testing.T) {
	t.Parallel()
	addrs := pods(t, "127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.6")
	h := newHAProxy(t, emptySection+"    balance random\n")
	d := newDriver(t, h.admin)
	bring(t, d, publish.Desired{Active: backends(t, addrs[:4]...)})
	bring(t, d, publish.Desired{Active: backends(t, addrs...)})
	if diff := cmp.Diff(setOf(addrs...), h.answering(t, 200)); diff != "" {
		t.Errorf("those that answer (-want +got):\n%s", diff)
	}
}

func TestRealOverTCP(t *testing.T) {
	t.Parallel()
	h := newHAProxy(t, emptySection)
	// A port that was free a moment ago; nobody else uses this address.
	l, err := net.Listen("tcp", "127.0.0.77:0")
	if err != nil {
		t.Fatal(err)
	}
	socket := l.Addr().String()
	l.Close()
	h.stop(t)
	h.write(t, "tcp.cfg", "global\n    stats socket ipv4@"+socket+" level admin\n")
	h.start(t)
	d := newDriver(t, socket)
	addrs := pods(t, "127.0.0.1")
	desired := publish.Desired{Active: backends(t, addrs...)}
	bring(t, d, desired)
	h.wantAnswering(t, addrs...)
	if planned := d.Plan(desired, observe(t, d)); !planned.Empty() {
		t.Errorf("the next plan is not empty:\n%s", planned)
	}
}

// TestRealStateFileCreatesNoServers is why there is a servers file: HAProxy's own
// state file does not bring servers back that were added at run time.
func TestRealStateFileCreatesNoServers(t *testing.T) {
	t.Parallel()
	h := newHAProxy(t, emptySection+"    load-server-state-from-file global\n")
	d := newDriver(t, h.admin)
	bring(t, d, publish.Desired{Active: backends(t, "127.0.0.1:9")})
	h.write(t, "state", h.ask("show servers state"))
	h.files = h.files[:len(h.files)-2] // it is no configuration
	h.write(t, "global.cfg", "global\n    server-state-file "+h.dir+"/state\n")
	h.stop(t)
	h.start(t)
	if n := len(observe(t, d).Servers); n != 0 {
		t.Errorf("HAProxy has %d servers: the servers file is not needed any more", n)
	}
}

func TestRealDrainsThenDeletes(t *testing.T) {
	t.Parallel()
	h := newHAProxy(t, emptySection)
	d := newDriver(t, h.admin)
	addrs := pods(t, "127.0.0.1", "127.0.0.2")
	bring(t, d, publish.Desired{Active: backends(t, addrs[0])})
	long := h.connect(t)

	// Terminating: the open connection lives, new ones go elsewhere.
	terminating := publish.Desired{Active: backends(t, addrs[1]), Draining: backends(t, addrs[0])}
	bring(t, d, terminating)
	h.wantAnswering(t, addrs[1])
	if !long.echoes() {
		t.Fatal("the open connection was cut when its server began to drain")
	}
	// Gone from the slices: the connection still lives, and holds the server.
	gone := publish.Desired{Active: backends(t, addrs[1])}
	h.waitUntil(t, "the plan only waits for the connection", func() bool {
		planned := d.Plan(gone, observe(t, d))
		waiting, _ := planned.Waiting()
		return planned.Empty() && len(waiting) == 1 && strings.Contains(waiting[0], "1 sessions")
	})
	if !long.echoes() || len(observe(t, d).Servers) != 2 {
		t.Fatal("the open connection or its server is gone")
	}
	// Back while draining: made ready again, with the connection.
	bring(t, d, publish.Desired{Active: backends(t, addrs...)})
	h.wantAnswering(t, addrs...)
	if !long.echoes() {
		t.Fatal("the open connection was cut when its server came back")
	}
	bring(t, d, gone)
	long.Close()
	h.settle(t, d, gone)
	if o := observe(t, d); len(o.Servers) != 1 || o.Servers[0].Addr.String() != addrs[1] {
		t.Errorf("HAProxy has %v, want %s alone", o.Servers, addrs[1])
	}
}

func TestRealCutsWhatOutlivesTheDrainTimeout(t *testing.T) {
	t.Parallel()
	h := newHAProxy(t, emptySection)
	d := newDriver(t, h.admin)
	addrs := pods(t, "127.0.0.1", "127.0.0.2")
	bring(t, d, publish.Desired{Active: backends(t, addrs...)})
	for range 2 {
		if c := h.connect(t); c.pod == addrs[0] {
			defer c.Close()
		}
	}
	stuck := h.connect(t)
	for stuck.pod != addrs[0] {
		stuck = h.connect(t)
	}
	left := publish.Desired{Active: backends(t, addrs[1]), DrainTimeout: 2 * time.Second}
	start := time.Now()
	h.settle(t, d, left)
	if took := time.Since(start); took < left.DrainTimeout {
		t.Errorf("gone after %v, before its %v were over", took, left.DrainTimeout)
	}
	if stuck.echoes() || len(observe(t, d).Servers) != 1 {
		t.Error("the connection or its server is still there")
	}
}

func TestRealPutsAllBackAfterRestartAndReload(t *testing.T) {
	t.Parallel()
	h := newHAProxy(t, emptySection)
	d := newDriver(t, h.admin, func(c *Config) { c.Server.Check = true })
	addrs := pods(t, "127.0.0.1", "127.0.0.2", "127.0.0.3")
	desired := publish.Desired{Active: backends(t, addrs...)}
	bring(t, d, desired)
	for name, again := range map[string]func(){
		"reload":  func() { h.reload(t) },
		"restart": func() { h.stop(t); h.start(t) },
	} {
		again()
		if n := observe(t, d).Ours(); n != 0 {
			t.Errorf("%s: %d servers are left, want none; the test tests nothing", name, n)
		}
		bring(t, d, desired)
		h.wantAnswering(t, addrs...)
		if planned := d.Plan(desired, observe(t, d)); !planned.Empty() {
			t.Errorf("%s: the next plan is not empty:\n%s", name, planned)
		}
	}
	h.stop(t)
	if _, err := d.Observe(t.Context()); err == nil {
		t.Error("a HAProxy that is stopped is no empty one (S15)")
	}
}

func TestRealComesUpRightFromTheServersFile(t *testing.T) {
	t.Parallel()
	h := newHAProxy(t, emptySection)
	d := newDriver(t, h.admin, func(c *Config) {
		c.ServersFile, c.ServersDefaults, c.Server.Check = h.dir+"/web.cfg", "tuned", true
	})
	addrs := pods(t, "127.0.0.1", "127.0.0.2", "::1")
	desired := publish.Desired{Active: backends(t, addrs...)}
	bring(t, d, desired)
	h.stop(t)
	h.start(t)
	h.wantAnswering(t, addrs...)
	if planned := d.Plan(desired, observe(t, d)); !planned.Empty() {
		t.Errorf("after a restart there is something to do:\n%s", planned)
	}
	// Servers from the file leave like those added at run time.
	h.settle(t, d, publish.Desired{Active: backends(t, addrs[0])})
	if n := len(observe(t, d).Servers); n != 1 {
		t.Errorf("HAProxy has %d servers, want 1", n)
	}
	h.reload(t)
	h.wantAnswering(t, addrs[0])
}

func TestRealDeletesAServerWithKeptConnections(t *testing.T) {
	t.Parallel()
	h := newHAProxy(t, emptySection+"    mode http\n")
	pod := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok") }))
	defer pod.Close()
	d := newDriver(t, h.admin, func(c *Config) { c.Server.PoolMaxConn = -1 })
	bring(t, d, publish.Desired{Active: backends(t, pod.Listener.Addr().String())})

	conn, err := net.Dial("unix", h.front)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: web\r\n\r\n")
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("answer %v, %v", answer, err)
	}
	h.waitUntil(t, "the connection is kept", func() bool { return observe(t, d).Servers[0].Idle == 1 })
	h.settle(t, d, publish.Desired{})
	if n := len(observe(t, d).Servers); n != 0 {
		t.Errorf("HAProxy has %d servers, want none", n)
	}
}

func TestRealRepairsWhatSomeoneEdited(t *testing.T) {
	t.Parallel()
	h := newHAProxy(t, emptySection+"    server static 127.0.0.9:9 disabled\n")
	d := newDriver(t, h.admin)
	addrs := pods(t, "127.0.0.1", "127.0.0.2")
	desired := publish.Desired{Active: backends(t, addrs[0])}
	bring(t, d, desired)
	name := observe(t, d).Servers[0].Name
	ip, port, _ := net.SplitHostPort(addrs[1])
	h.ask("set server web/" + name + " addr " + ip + " port " + port)
	h.waitUntil(t, "the edit is made", func() bool { return observe(t, d).Servers[0].Addr.String() == addrs[1] })
	bring(t, d, desired)
	h.wantAnswering(t, addrs[0])
	h.ask("set server web/" + name + " state maint")
	bring(t, d, desired)
	h.wantAnswering(t, addrs[0])
	if diff := cmp.Diff([]string{"static (127.0.0.9:9, maint)"}, observe(t, d).Foreign()); diff != "" {
		t.Errorf("foreign (-want +got):\n%s", diff)
	}
}

func TestRealSlots(t *testing.T) {
	t.Parallel()
	h := newHAProxy(t, emptySection+"    server-template srv 1-3 127.0.0.1:1 check disabled\n")
	d := newDriver(t, h.admin, func(c *Config) { c.Mode, c.SlotPrefix = Slots, "srv" })
	addrs := pods(t, "127.0.0.1", "127.0.0.2", "127.0.0.3", "::1")
	bring(t, d, publish.Desired{Active: backends(t, addrs[0])})
	h.wantAnswering(t, addrs[0])
	long := h.connect(t)

	// All three are wanted elsewhere; the one in use does not move.
	others := publish.Desired{Active: backends(t, addrs[1:]...)}
	_, err := d.Apply(t.Context(), d.Plan(others, observe(t, d)))
	if !errors.Is(err, ErrNotEnoughSlots) {
		t.Errorf("error %v, want ErrNotEnoughSlots", err)
	}
	h.wantAnswering(t, addrs[1:3]...)
	if !long.echoes() {
		t.Fatal("the open connection was cut")
	}
	long.Close()
	h.waitUntil(t, "the slot is free", func() bool {
		_, err := d.Apply(t.Context(), d.Plan(others, observe(t, d)))
		return err == nil
	})
	h.wantAnswering(t, addrs[1:]...)
	h.settle(t, d, publish.Desired{})
	h.wantAnswering(t, "")
}

func TestRealRefusals(t *testing.T) {
	t.Parallel()
	h := newHAProxy(t, emptySection)
	desired := publish.Desired{Active: backends(t, "127.0.0.1:9")}
	for name, tc := range map[string]struct {
		with func(*Config)
		is   error
		says string
	}{
		"read-only socket": {func(c *Config) { c.Socket = h.user }, ErrPermission, "level admin"},
		"no such backend":  {func(c *Config) { c.Backend = "nope" }, ErrNoBackend, "backend nope"},
		"not the API":      {func(c *Config) { c.Socket, c.Timeout = h.front, time.Second }, ErrNotHAProxy, h.front},
		"static balance":   {func(c *Config) { c.Backend = "static" }, nil, "balance roundrobin"},
		"proto in tcp":     {func(c *Config) { c.Server.Proto = "h2" }, nil, "MUX protocol"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDriver(t, h.admin, tc.with)
			seen, err := d.Observe(t.Context())
			if err == nil {
				_, err = d.Apply(t.Context(), d.Plan(desired, seen))
			}
			if err == nil || tc.is != nil && !errors.Is(err, tc.is) || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("error %v, want %v that says %q", err, tc.is, tc.says)
			}
		})
	}
}

func TestRealTakesManyAtOnce(t *testing.T) {
	t.Parallel()
	h := newHAProxy(t, emptySection)
	d := newDriver(t, h.admin, func(c *Config) { c.Server.Check, c.Server.Interval = true, time.Hour })
	desired := publish.Desired{Active: nBackends(t, 2000)}
	bring(t, d, desired)
	if planned := d.Plan(desired, observe(t, d)); !planned.Empty() {
		t.Errorf("the next plan has %d commands", planned.Len())
	}
	h.settle(t, d, publish.Desired{Active: desired.Active[:240]})
	if n := len(observe(t, d).Servers); n != 240 {
		t.Errorf("HAProxy has %d servers, want 240", n)
	}
}

func TestRealTakesEveryOption(t *testing.T) {
	t.Parallel()
	h := newHAProxy(t, emptySection+"    mode http\n")
	for name, o := range map[string]Options{
		"zero":   {},
		"pool":   {PoolMaxConn: -1},
		"check":  {Weight: 256, MaxConn: 9, PoolMaxConn: 5, Check: true, Interval: time.Second, Rise: 1, Fall: 2},
		"h2":     {Proto: "h2", SendProxy: "v1"},
		"tls":    {SendProxy: "v2", SSL: true, Verify: "none", SNI: "web.example.com"},
		"h1 tls": {Proto: "h1", SSL: true, Verify: "none"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDriver(t, h.admin, func(c *Config) { c.Server = o })
			bring(t, d, publish.Desired{Active: backends(t, "127.0.0.1:9", "[::1]:9")})
			if n := observe(t, d).Ours(); n < 2 {
				t.Errorf("%d servers are ready, want 2", n)
			}
		})
	}
}
