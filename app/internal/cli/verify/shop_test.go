package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/slicewright/slicewright/app/internal/cli/clitest"
	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/verify/live"
	"github.com/slicewright/slicewright/internal/haproxytest"
)

// shop is a Service with real backends behind a real HAProxy.
type shop struct {
	t        *testing.T
	backends []*backend
	haproxy  *haproxytest.HAProxy
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
	s := &shop{t: t}
	for range n {
		s.listen()
	}
	var servers strings.Builder
	for _, i := range has {
		fmt.Fprintf(&servers, "    server s%d %s\n", i, s.backends[i].address)
	}
	s.haproxy = haproxytest.Start(t, `
defaults
    mode http
    timeout connect 2s
    timeout client 1m
    timeout server 1m
    retries 0
frontend users
    bind FRONT
    default_backend web
backend web
    balance roundrobin
`+servers.String())
	s.url = "http://" + s.haproxy.Front + "/"
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
	return clitest.WriteFile(s.t, "slices.yaml", text.String())
}

func (s *shop) consumer() string { return "haproxy:" + s.haproxy.Socket + "/web" }

// verify runs the command and returns the report, the exit code and stderr.
func (s *shop) verify(ctx context.Context, args ...string) (*live.Report, int, string) {
	s.t.Helper()
	var out bytes.Buffer
	var errs clitest.Buffer
	code := program.Main(ctx, command.Streams{In: strings.NewReader(""), Out: &out, Err: &errs},
		append([]string{"slicewright", "verify", "shop/web", "--kubeconfig", filepath.Join(s.t.TempDir(), "none"), "-o", "json"}, args...))
	if out.Len() == 0 {
		return nil, code, errs.String()
	}
	clitest.CheckSchema(s.t, "verifyreport", out.String())
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
