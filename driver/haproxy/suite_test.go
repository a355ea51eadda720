package haproxy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slicewright/slicewright/publish"
	"github.com/slicewright/slicewright/publish/publishtest"
)

// A wire is between a driver and the socket of a HAProxy. It can be slow, and it
// can break after a number of commands that change something.
type wire struct {
	path string
	done chan struct{} // closed at the end of the test

	mu     sync.Mutex // guards what follows
	socket string     // where new connections go
	delay  time.Duration
	left   int // changes until all connections break; below 0: they do not
}

func newWire(t testing.TB, socket string) *wire {
	t.Helper()
	// Not t.TempDir: with a long test name the socket's path would be too long.
	dir, err := os.MkdirTemp("", "sw")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	w := &wire{path: dir + "/wire.sock", done: make(chan struct{}), socket: socket, left: -1}
	serveUnix(t, w.path, w.serve)
	t.Cleanup(func() { close(w.done) })
	return w
}

// use changes how the wire behaves.
func (w *wire) use(change func(*wire)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change(w)
}

// serve hands the commands of a connection on, line by line.
func (w *wire) serve(conn net.Conn) {
	var socket string
	w.use(func(w *wire) { socket = w.socket })
	haproxy, err := net.Dial("unix", socket)
	if err != nil {
		return
	}
	defer haproxy.Close()
	var answers sync.WaitGroup
	answers.Go(func() { io.Copy(conn, haproxy); conn.Close() })
	defer answers.Wait()
	defer haproxy.Close()
	for in := bufio.NewReader(conn); ; {
		line, err := in.ReadString('\n')
		if err != nil || !w.lets(line) {
			return
		}
		if _, err := io.WriteString(haproxy, line); err != nil {
			return
		}
	}
}

// lets takes the time of a command, and reports whether it comes through.
func (w *wire) lets(line string) bool {
	var delay time.Duration
	w.use(func(w *wire) { delay = w.delay })
	if delay > 0 {
		select {
		case <-w.done:
		case <-time.After(delay):
		}
	}
	for _, reading := range []string{"show ", "prompt", "set severity-output "} {
		if strings.HasPrefix(line, reading) {
			return true
		}
	}
	through := true
	w.use(func(w *wire) {
		through = w.left != 0
		if w.left > 0 {
			w.left--
		}
	})
	return through
}

// suiteTarget is a HAProxy, a real one or the model, behind a wire.
type suiteTarget struct {
	*wire
	admin   string // socket without the wire
	refuse  func(on bool)
	restart func(t testing.TB)
	config  func(*Config)
}

func (s *suiteTarget) Driver(t testing.TB) publish.Driver { return newDriver(t, s.path, s.config) }

func (s *suiteTarget) Active(t testing.TB) []string {
	d := newDriver(t, s.admin, s.config)
	seen, err := d.Observe(t.Context())
	if err != nil {
		return nil // it is just starting
	}
	return addrsIn(seen.(*Observed), Ready)
}

func (s *suiteTarget) Restart(t testing.TB) { s.restart(t) }

func (s *suiteTarget) Refuse(_ testing.TB, on bool) { s.refuse(on) }

func (s *suiteTarget) Slow(_ testing.TB, by time.Duration) {
	s.use(func(w *wire) { w.delay = by })
}

func (s *suiteTarget) Cut(t testing.TB, desired publish.Desired, n int) bool {
	d := newDriver(t, s.path, s.config)
	plan := d.Plan(desired, observe(t, d))
	s.use(func(w *wire) { w.left = n })
	defer s.use(func(w *wire) { w.left = -1 })
	_, err := d.Apply(t.Context(), plan)
	return err == nil
}

func TestTheDriverPassesTheSuite(t *testing.T) {
	for name, tc := range map[string]struct {
		slots  int
		config func(*Config)
	}{
		"dynamic": {0, func(*Config) {}},
		"checked": {0, func(c *Config) { c.Server.Check = true }},
		"slots":   {300, func(c *Config) { c.Mode, c.SlotPrefix = Slots, "srv" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			publishtest.Run(t, func(t testing.TB) publishtest.Target { return modelTarget(t, tc.slots, tc.config) })
		})
	}
}

// modelTarget is a model HAProxy with a number of slots.
func modelTarget(t testing.TB, slots int, config func(*Config)) publishtest.Target {
	f := newFakeHAProxy("web")
	fill := func(testing.TB) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.backends["web"] = nil
		for i := range slots {
			f.insert("web", &fakeServer{name: fmt.Sprint("srv", i+1), ip: "127.0.0.1", port: 1, admin: 5})
		}
	}
	fill(t)
	admin := f.listen(t)
	return &suiteTarget{
		wire: newWire(t, admin), admin: admin, restart: fill, config: config,
		refuse: func(on bool) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.level = map[bool]string{false: "admin", true: "user"}[on]
		},
	}
}

func TestTheDriverPassesTheSuiteWithTheRealHAProxy(t *testing.T) {
	t.Parallel()
	publishtest.Run(t, func(t testing.TB) publishtest.Target {
		h := newHAProxy(t, emptySection)
		w := newWire(t, h.admin)
		return &suiteTarget{
			wire: w, admin: h.admin, config: func(*Config) {},
			restart: func(t testing.TB) { h.stop(t); h.start(t) },
			refuse: func(on bool) {
				w.use(func(w *wire) { w.socket = map[bool]string{false: h.admin, true: h.user}[on] })
			},
		}
	})
}
