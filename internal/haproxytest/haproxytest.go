// Package haproxytest runs the real HAProxy for tests. It is found in
// SLICEWRIGHT_HAPROXY or the PATH; without it the test fails.
package haproxytest

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// HAProxy is an HAProxy that a test started.
type HAProxy struct {
	// Front is where clients connect to: "127.0.0.1:PORT".
	Front string
	// Socket is the runtime API's, with level admin; UserSocket the same with level
	// user, which may look and change nothing.
	Socket, UserSocket string

	cmd   *exec.Cmd
	ended chan struct{} // closed when the process has ended
	log   bytes.Buffer  // read after the process has ended, or when all is lost
}

// Start runs HAProxy with a configuration until the test ends or Stop is called.
// In it FRONT is what to bind: "bind FRONT" or "bind FRONT proto h2".
func Start(t testing.TB, config string) *HAProxy {
	t.Helper()
	// Not t.TempDir: with a long test name the socket's path would be too long.
	dir, err := os.MkdirTemp("", "sw")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	// We open the port and hand it down, so that nobody else can take it.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	file, err := listener.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	defer listener.Close()
	h := &HAProxy{
		Front: listener.Addr().String(), Socket: dir + "/admin.sock", UserSocket: dir + "/user.sock", ended: make(chan struct{}),
	}
	global := fmt.Sprintf("global\n  stats socket %s mode 600 level admin\n  stats socket %s mode 600 level user\n", h.Socket, h.UserSocket)
	path := dir + "/haproxy.cfg"
	// The first of ExtraFiles is descriptor 3.
	if err := os.WriteFile(path, []byte(global+strings.ReplaceAll(config, "FRONT", "fd@3")), 0o600); err != nil {
		t.Fatal(err)
	}
	h.cmd = exec.Command(Program(t), "-db", "-f", path)
	h.cmd.Stdout, h.cmd.Stderr = &h.log, &h.log
	h.cmd.ExtraFiles = []*os.File{file}
	if err := h.cmd.Start(); err != nil {
		t.Fatalf("start haproxy: %v", err)
	}
	go func() {
		defer close(h.ended)
		_ = h.cmd.Wait() // its log says why
	}()
	t.Cleanup(func() {
		if h.Stop(); t.Failed() {
			t.Logf("haproxy:\n%s", h.log.String())
		}
	})
	for deadline := time.Now().Add(30 * time.Second); !strings.Contains(h.Ask("show info"), "Pid:"); time.Sleep(10 * time.Millisecond) {
		select {
		case <-h.ended:
			t.Fatalf("haproxy ended:\n%s", h.log.String())
		default:
		}
		if time.Now().After(deadline) {
			t.Fatal("haproxy does not answer on its socket")
		}
	}
	return h
}

// Ask sends one command to the runtime API and returns the answer, "" if nobody
// answers.
func (h *HAProxy) Ask(command string) string {
	conn, err := net.DialTimeout("unix", h.Socket, 5*time.Second)
	if err != nil {
		return ""
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, command+"\n"); err != nil {
		return ""
	}
	answer, _ := io.ReadAll(conn)
	return strings.TrimSpace(string(answer))
}

// Stop ends it, with its connections, and returns when it is gone. It may be
// called again.
func (h *HAProxy) Stop() {
	_ = h.cmd.Process.Signal(syscall.SIGTERM)
	<-h.ended
}

// StopSoftly asks it to accept no more and to end when its connections have.
func (h *HAProxy) StopSoftly(t testing.TB) {
	t.Helper()
	if err := h.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
}

// Program is the path of HAProxy.
func Program(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("SLICEWRIGHT_HAPROXY"); path != "" {
		return path
	}
	path, err := exec.LookPath("haproxy")
	if err != nil {
		path = "/usr/sbin/haproxy" // not in everyone's PATH
		if _, err := os.Stat(path); err != nil {
			t.Fatal("haproxy is not installed: run `make deps`")
		}
	}
	return path
}
