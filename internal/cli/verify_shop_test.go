package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slicewright/slicewright/verify/live"
)

// shop is a Service with real backends behind a real HAProxy.
type shop struct {
	t        *testing.T
	backends []*backend
	haproxy  *exec.Cmd
	socket   string
	url      string
	requests atomic.Int64
}

type backend struct {
	address netip.AddrPort
	server  *http.Server
}

// ownAddress is one of this machine's that a slice may have: no loopback.
func ownAddress(t *testing.T) netip.Addr {
	t.Helper()
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil && prefix.Addr().Is4() && prefix.Addr().IsGlobalUnicast() {
			return prefix.Addr()
		}
	}
	t.Fatal("this machine has no IPv4 address but loopback, and slices may not have that one: give it a network")
	return netip.Addr{}
}

// newShop starts n backends and a HAProxy that has those of them that it is told.
func newShop(t *testing.T, n int, has ...int) *shop {
	t.Helper()
	// Not t.TempDir: with a long test name the socket's path would be too long.
	dir, err := os.MkdirTemp("", "sw")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &shop{t: t, socket: filepath.Join(dir, "admin.sock")}
	for range n {
		s.listen()
	}
	var servers strings.Builder
	for _, i := range has {
		fmt.Fprintf(&servers, "    server s%d %s\n", i, s.backends[i].address)
	}
	s.start(dir, servers.String())
	return s
}

func (s *shop) listen() {
	l, err := net.Listen("tcp", netip.AddrPortFrom(ownAddress(s.t), 0).String())
	if err != nil {
		s.t.Fatal(err)
	}
	b := &backend{address: l.Addr().(*net.TCPAddr).AddrPort()}
	b.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.requests.Add(1)
		fmt.Fprintf(w, `{"address":%q}`, b.address)
	})}
	go b.server.Serve(l)
	s.t.Cleanup(func() { b.server.Close() })
	s.backends = append(s.backends, b)
}

func (s *shop) start(dir, servers string) {
	path, err := exec.LookPath("haproxy")
	if err != nil {
		path = "/usr/sbin/haproxy" // not in everyone's PATH
		if _, err := os.Stat(path); err != nil {
			s.t.Fatal("haproxy is not installed: run `make deps`")
		}
	}
	// HAProxy takes over a listener of the test, so that no port has to be guessed.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	defer l.Close()
	file, err := l.(*net.TCPListener).File()
	if err != nil {
		s.t.Fatal(err)
	}
	defer file.Close()
	config := filepath.Join(dir, "haproxy.cfg")
	text := fmt.Sprintf(`
global
    stats socket unix@%s level admin
defaults
    mode http
    timeout connect 2s
    timeout client 1m
    timeout server 1m
    retries 0
frontend users
    bind fd@3
    default_backend web
backend web
    balance roundrobin
%s`, s.socket, servers)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.haproxy = exec.Command(path, "-db", "-f", config)
	s.haproxy.ExtraFiles = []*os.File{file}
	var log bytes.Buffer
	s.haproxy.Stdout, s.haproxy.Stderr = &log, &log
	if err := s.haproxy.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(s.stop)
	s.url = "http://" + l.Addr().String() + "/"
	for end := time.Now().Add(30 * time.Second); s.ask("show info") == ""; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.stop()
			s.t.Fatalf("haproxy does not answer:\n%s", log.String())
		}
	}
}

func (s *shop) stop() {
	s.haproxy.Process.Kill()
	s.haproxy.Wait()
}

// ask has HAProxy do something by hand; "" is no answer.
func (s *shop) ask(command string) string {
	conn, err := net.Dial("unix", s.socket)
	if err != nil {
		return ""
	}
	defer conn.Close()
	io.WriteString(conn, command+"\n")
	answer, _ := io.ReadAll(conn)
	return string(answer)
}

// slices writes a file in which the backends that are named are ready, and
// returns its path. "1=terminating" and "1=not-ready" have other conditions.
func (s *shop) slices(which ...string) string {
	s.t.Helper()
	var text strings.Builder
	for _, w := range which {
		number, state, _ := strings.Cut(w, "=")
		var i int
		if _, err := fmt.Sscan(number, &i); err != nil {
			s.t.Fatal(err)
		}
		// A slice each: they have one address and ports of their own.
		fmt.Fprintf(&text, `---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: web-%d, namespace: shop, labels: {kubernetes.io/service-name: web}}
addressType: IPv4
ports: [{name: http, port: %d}]
endpoints: [{addresses: ["%s"], conditions: {ready: %t, serving: true, terminating: %t}}]
`, i, s.backends[i].address.Port(), s.backends[i].address.Addr(), state == "", state == "terminating")
	}
	return writeFile(s.t, "slices.yaml", text.String())
}

func (s *shop) consumer() string { return "haproxy:" + s.socket + "/web" }

// verify runs the command and returns the report, the exit code and stderr.
func (s *shop) verify(ctx context.Context, args ...string) (*live.Report, int, string) {
	s.t.Helper()
	var out bytes.Buffer
	var errs syncBuffer
	code := Main(ctx, Streams{In: strings.NewReader(""), Out: &out, Err: &errs},
		append([]string{"slicewright", "verify", "shop/web", "--kubeconfig", filepath.Join(s.t.TempDir(), "none"), "-o", "json"}, args...))
	if out.Len() == 0 {
		return nil, code, errs.String()
	}
	checkSchema(s.t, "verifyreport", out.String())
	var report live.Report
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		s.t.Fatal(err)
	}
	return &report, code, errs.String()
}

func wantCode(t *testing.T, r *live.Report, got int, stderr string, want int) {
	t.Helper()
	if got != want {
		reasons := []string{}
		if r != nil {
			reasons = r.Reasons
		}
		t.Fatalf("exit code %d, want %d: %q\n%s", got, want, reasons, stderr)
	}
}
