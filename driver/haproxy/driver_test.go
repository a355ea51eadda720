package haproxy

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/publish"
)

func TestAddingManyTakesOneConnectionAndFewRoundTrips(t *testing.T) {
	f := newFakeHAProxy("web")
	d := newDriver(t, f.listen(t), func(c *Config) { c.Server.Check = true })
	desired := publish.Desired{Active: nBackends(t, 240)}
	planned := d.Plan(desired, observe(t, d))
	n := count(d)
	result, err := d.Apply(t.Context(), planned)
	if err != nil {
		t.Fatal(err)
	}
	if result.Writes != 3*240 || len(f.lines) != 3*240 {
		t.Errorf("%d writes, %d commands arrived; want add, enable health and ready for each of 240", result.Writes, len(f.lines))
	}
	// Two for the handshake; 240 lines of about 75 bytes are two batches a phase.
	if c, w := n.connections.Load(), n.writes.Load(); c != 1 || w > 8 {
		t.Errorf("%d connections and %d round trips, want 1 and at most 8", c, w)
	}
	if got := observe(t, d).Ours(); got != 240 {
		t.Errorf("%d servers are ready, want 240", got)
	}
	if again := d.Plan(desired, observe(t, d)); !again.Empty() {
		t.Errorf("the next plan is not empty:\n%s", again)
	}
}

func TestObserveTakesThreeRoundTrips(t *testing.T) {
	d := newDriver(t, newFakeHAProxy("web").listen(t))
	n := count(d)
	observe(t, d)
	if c, w := n.connections.Load(), n.writes.Load(); c != 1 || w != 3 {
		t.Errorf("%d connections and %d round trips, want 1 and 3", c, w)
	}
}

func TestNothingGoesOutWhenSomethingCannotComeIn(t *testing.T) {
	f := newFakeHAProxy("web")
	d := newDriver(t, f.listen(t))
	bring(t, d, publish.Desired{Active: backends(t, "10.42.0.1:80")})
	planned := d.Plan(publish.Desired{Active: backends(t, "10.42.0.2:80", "10.42.0.3:80")}, observe(t, d))
	// Meanwhile someone adds a server of that name elsewhere.
	name := planned.(*ops).commands[0].server
	f.exec("add server web/" + name + " 10.66.6.6:80")
	d.config.Timeout = 50 * time.Millisecond // how long its address may take to become right
	result, err := d.Apply(t.Context(), planned)
	if err == nil || !strings.Contains(err.Error(), "10.66.6.6:80 and not at 10.42.0.2:80") {
		t.Errorf("error %v, want one that names the wrong address", err)
	}
	if result.Writes != 1 {
		t.Errorf("%d writes, want 1: the other add", result.Writes)
	}
	if got := addrsIn(observe(t, d), Ready); !cmp.Equal(got, []string{"10.42.0.1:80"}) {
		t.Errorf("ready are %v, want the old one alone", got)
	}
}

func TestDeleteRefusedForConnectionsIsNoError(t *testing.T) {
	f := newFakeHAProxy("web")
	d := newDriver(t, f.listen(t))
	bring(t, d, publish.Desired{Active: backends(t, "10.42.0.1:80")})
	bring(t, d, publish.Desired{})
	f.now += 5
	planned := d.Plan(publish.Desired{}, observe(t, d))
	f.backends["web"][0].sessions = 1 // after the look
	result, err := d.Apply(t.Context(), planned)
	if err != nil || result.Writes != 1 {
		t.Errorf("%d writes, error %v; want 1 (maint) and none", result.Writes, err)
	}
	again := d.Plan(publish.Desired{}, observe(t, d))
	if waiting, after := again.Waiting(); !again.Empty() || len(waiting) != 1 || after <= 0 {
		t.Errorf("the next plan is %q, waiting for %v again in %v; want to wait only", again, waiting, after)
	}
}

func TestTooFewSlotsServesThoseThatFit(t *testing.T) {
	f := newFakeHAProxy("web")
	f.insert("web", &fakeServer{name: "srv1", ip: "127.0.0.1", port: 1, admin: 5})
	d := newDriver(t, f.listen(t), func(c *Config) { c.Mode, c.SlotPrefix = Slots, "srv" })
	desired := publish.Desired{Active: backends(t, "10.42.0.1:80", "10.42.0.2:80")}
	for range 2 { // and says so each time
		_, err := d.Apply(t.Context(), d.Plan(desired, observe(t, d)))
		if !errors.Is(err, ErrNotEnoughSlots) || !strings.Contains(err.Error(), "at least 2") {
			t.Errorf("error %v, want ErrNotEnoughSlots and the number needed", err)
		}
		if got := addrsIn(observe(t, d), Ready); !cmp.Equal(got, []string{"10.42.0.1:80"}) {
			t.Errorf("ready are %v, want the first", got)
		}
	}
}

func TestForeignServersAreReported(t *testing.T) {
	f := newFakeHAProxy("web")
	f.insert("web", &fakeServer{name: "static", ip: "127.0.0.9", port: 9999})
	f.insert("web", &fakeServer{name: "sw-0000", ip: "-", admin: 1})
	o := observe(t, newDriver(t, f.listen(t)))
	want := []string{"static (127.0.0.9:9999, ready)", "sw-0000 (no IP address, maint)"}
	if diff := cmp.Diff(want, o.Foreign()); diff != "" || o.Ours() != 0 {
		t.Errorf("ours %d, foreign (-want +got):\n%s", o.Ours(), diff)
	}
}

func TestServersFileIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "web.cfg")
	f := newFakeHAProxy("web")
	d := newDriver(t, f.listen(t), func(c *Config) { c.ServersFile, c.ServersDefaults = path, "tuned" })
	desired := publish.Desired{Active: backends(t, "10.42.0.1:80", "[2001:db8::1]:80")}
	bring(t, d, desired)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "servers-file", string(content))
	if again := d.Plan(desired, observe(t, d)); !again.Empty() {
		t.Errorf("the next plan is not empty:\n%s", again)
	}
	if err := errors.Join(os.WriteFile(path, []byte("backend web\n"), 0o600), os.Chmod(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	if sent := bring(t, d, desired); sent != "# write "+path+": 2 servers\n" {
		t.Errorf("sent %q, want the file alone", sent)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v (%v), want the one that it had", info.Mode(), err)
	}
	if err := os.RemoveAll(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Apply(t.Context(), d.Plan(desired, observe(t, d))); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want one that names the file", err)
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	answer := func(text string) func(net.Conn) {
		return func(c net.Conn) {
			bufio.NewReader(c).ReadString('\n')
			io.WriteString(c, text)
		}
	}
	model := func(change func(*fakeHAProxy)) func(net.Conn) {
		f := newFakeHAProxy("web")
		change(f)
		return f.serve
	}
	for name, tc := range map[string]struct {
		serve func(net.Conn)
		is    error
		says  string
	}{
		"a web server":       {answer("HTTP/1.1 400 Bad Request\r\n\r\n"), ErrNotHAProxy, "closed in the middle"},
		"something silent":   {func(c net.Conn) { io.Copy(io.Discard, c) }, ErrNotHAProxy, "no whole answer within"},
		"a chatty prompt":    {answer("login\n> "), ErrNotHAProxy, `"login" is no answer to "prompt"`},
		"no such backend":    {model(func(f *fakeHAProxy) { f.backends = nil }), ErrNoBackend, "add it to HAProxy's configuration"},
		"a read-only socket": {model(func(f *fakeHAProxy) { f.level = "user" }), ErrPermission, "level admin"},
		"an old HAProxy":     {model(func(f *fakeHAProxy) { f.version = "2.4.22-f8e3218" }), ErrVersion, "use mode slots"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s")
			serveUnix(t, path, tc.serve)
			d := newDriver(t, path, func(c *Config) { c.Timeout = 200 * time.Millisecond })
			seen, err := d.Observe(t.Context())
			if err == nil {
				_, err = d.Apply(t.Context(), d.Plan(publish.Desired{Active: backends(t, "10.42.0.1:80")}, seen))
			}
			if !errors.Is(err, tc.is) {
				t.Fatalf("error %v, want %v", err, tc.is)
			}
			for _, want := range []string{tc.says, path, "web"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
		})
	}
}

func TestNobodyListens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "admin.sock")
	_, err := newDriver(t, path).Observe(t.Context())
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "is HAProxy running") {
		t.Errorf("error %v, want one that asks whether HAProxy runs", err)
	}
}

func TestCancelEndsAnExchange(t *testing.T) {
	f := newFakeHAProxy("web")
	ctx, cancel := context.WithCancel(t.Context())
	f.hold = func(_ net.Conn, line string) {
		if strings.HasPrefix(line, "show servers state") {
			cancel()
			<-t.Context().Done()
		}
	}
	// The test's context ends before the cleanups, which wait for the model.
	if _, err := newDriver(t, f.listen(t), func(c *Config) { c.Timeout = 20 * time.Second }).Observe(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that it was cancelled", err)
	}
}

func TestAConnectionLostInTheMiddleCountsWhatWasDone(t *testing.T) {
	f := newFakeHAProxy("web")
	var cut atomic.Bool // once
	f.hold = func(conn net.Conn, line string) {
		if strings.Contains(line, "10.42.0.3:") && cut.CompareAndSwap(false, true) {
			conn.Close()
		}
	}
	d := newDriver(t, f.listen(t))
	desired := publish.Desired{Active: backends(t, "10.42.0.1:80", "10.42.0.2:80", "10.42.0.3:80", "10.42.0.4:80")}
	result, err := d.Apply(t.Context(), d.Plan(desired, observe(t, d)))
	if err == nil || result.Writes != 2 {
		t.Errorf("%d writes, error %v; want 2 and an error", result.Writes, err)
	}
	bring(t, d, desired) // what was lost is made up for
	if got := observe(t, d).Ours(); got != 4 {
		t.Errorf("%d servers are ready, want 4", got)
	}
}

func TestApplyRefusesWhatAnotherDriverPlanned(t *testing.T) {
	if _, err := newDriver(t, "/run/haproxy.sock").Apply(t.Context(), nil); err == nil {
		t.Error("no error")
	}
}
