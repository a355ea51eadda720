package haproxy

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/internal/haproxytest"
	"github.com/slicewright/slicewright/internal/nettest"
	"github.com/slicewright/slicewright/publish"
)

// realHAProxy is a HAProxy that the test started.
type realHAProxy struct {
	dir   string
	admin string // socket with level admin
	user  string // socket with level user
	front string // socket of the frontend
	files []string
	cmd   *exec.Cmd
	log   bytes.Buffer
}

const realConfig = `
global
    stats socket %[1]s/admin.sock mode 600 level admin
    stats socket %[1]s/user.sock mode 600 level user
defaults tuned
    mode tcp
    balance roundrobin
    timeout connect 2s
    timeout client 5m
    timeout server 5m
frontend web from tuned
    mode %[2]s
    bind unix@%[1]s/front.sock
    default_backend web
backend static from tuned
    balance static-rr
`

// newHAProxy writes a configuration with the given section for the backend, and
// starts it.
func newHAProxy(t testing.TB, section string) *realHAProxy {
	t.Helper()
	// Not t.TempDir: with a long test name its sockets' paths would be too long.
	dir, err := os.MkdirTemp("", "sw")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	h := &realHAProxy{dir: dir, admin: dir + "/admin.sock", user: dir + "/user.sock", front: dir + "/front.sock"}
	mode := "tcp"
	if strings.Contains(section, "mode http") {
		mode = "http"
	}
	h.write(t, "haproxy.cfg", fmt.Sprintf(realConfig, dir, mode))
	h.write(t, "web.cfg", section)
	h.start(t)
	return h
}

func (h *realHAProxy) write(t testing.TB, name, text string) {
	t.Helper()
	path := filepath.Join(h.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	h.files = append(h.files, "-f", path)
}

// start runs master and worker in the foreground, and waits for the worker.
func (h *realHAProxy) start(t testing.TB) {
	t.Helper()
	h.cmd = exec.Command(haproxytest.Program(t), append([]string{"-W", "-db"}, h.files...)...)
	h.cmd.Stdout, h.cmd.Stderr = &h.log, &h.log
	if err := h.cmd.Start(); err != nil {
		t.Fatalf("start haproxy: %v", err)
	}
	cmd := h.cmd
	t.Cleanup(func() { cmd.Process.Signal(syscall.SIGTERM); cmd.Wait() })
	h.waitUntil(t, "the worker answers", func() bool { return h.pid(t) != "" })
}

func (h *realHAProxy) stop(t testing.TB) {
	t.Helper()
	h.cmd.Process.Signal(syscall.SIGTERM)
	h.cmd.Wait()
}

// reload has the master start a new worker, and waits until it answers.
func (h *realHAProxy) reload(t testing.TB) {
	t.Helper()
	old := h.pid(t)
	// A master that has only just started loses the signal: it is sent again.
	var sent time.Time
	h.waitUntil(t, "the new worker answers", func() bool {
		if time.Since(sent) > 2*time.Second {
			sent = time.Now()
			if err := h.cmd.Process.Signal(syscall.SIGUSR2); err != nil {
				t.Fatal(err)
			}
		}
		p := h.pid(t)
		return p != "" && p != old
	})
}

// pid is the worker's, "" when none answers.
func (h *realHAProxy) pid(t testing.TB) string {
	for line := range strings.Lines(h.ask("show info")) {
		if pid, ok := strings.CutPrefix(line, "Pid: "); ok {
			return strings.TrimSpace(pid)
		}
	}
	return ""
}

// ask sends one command and returns the answer, "" when nobody answers.
func (h *realHAProxy) ask(command string) string {
	conn, err := net.Dial("unix", h.admin)
	if err != nil {
		return ""
	}
	defer conn.Close()
	io.WriteString(conn, command+"\n")
	answer, _ := io.ReadAll(conn)
	return string(answer)
}

// waitUntil waits for a condition, and shows HAProxy's log if it does not come.
func (h *realHAProxy) waitUntil(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s; haproxy's log:\n%s\nservers:\n%s", what, h.log.String(), h.ask("show servers state web"))
		}
	}
}

// settle plays the publish loop until a plan neither sends nor waits.
func (h *realHAProxy) settle(t testing.TB, d *Driver, desired publish.Desired) {
	t.Helper()
	h.waitUntil(t, "nothing is left to do", func() bool {
		planned := d.Plan(desired, observe(t, d))
		if _, err := d.Apply(t.Context(), planned); err != nil {
			t.Fatal(err)
		}
		waiting, _ := planned.Waiting()
		return planned.Empty() && len(waiting) == 0
	})
}

// pods listens at n addresses. Each connection is greeted with the address, and
// then gets back what it sends.
func pods(t testing.TB, ips ...string) []string {
	t.Helper()
	var addrs []string
	for _, ip := range ips {
		addrs = append(addrs, nettest.Serve(t, ip, func(conn net.Conn) {
			fmt.Fprintln(conn, conn.LocalAddr())
			io.Copy(conn, conn)
		}))
	}
	return addrs
}

// A clientConn is a connection through HAProxy.
type clientConn struct {
	net.Conn
	in  *bufio.Reader
	pod string // that answers
}

// connect opens a connection and reads which pod answers; "" for none.
func (h *realHAProxy) connect(t testing.TB) *clientConn {
	t.Helper()
	conn, err := net.Dial("unix", h.front)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	c := &clientConn{Conn: conn, in: bufio.NewReader(conn)}
	line, _ := c.in.ReadString('\n')
	c.pod = strings.TrimSpace(line)
	return c
}

// echoes reports whether the connection still works both ways.
func (c *clientConn) echoes() bool {
	io.WriteString(c, "ping\n")
	line, err := c.in.ReadString('\n')
	return err == nil && line == "ping\n"
}

// answering is the set of pods that answer n new connections.
func (h *realHAProxy) answering(t testing.TB, n int) map[string]bool {
	t.Helper()
	set := make(map[string]bool)
	for range n {
		c := h.connect(t)
		set[c.pod] = true
		c.Close()
	}
	return set
}

func setOf(addrs ...string) map[string]bool {
	set := make(map[string]bool)
	for _, a := range addrs {
		set[a] = true
	}
	return set
}

func (h *realHAProxy) wantAnswering(t testing.TB, addrs ...string) {
	t.Helper()
	if diff := cmp.Diff(setOf(addrs...), h.answering(t, 4*len(addrs)+2)); diff != "" {
		t.Errorf("those that answer (-want +got):\n%s", diff)
	}
}

const emptySection = "backend web from tuned\n"
