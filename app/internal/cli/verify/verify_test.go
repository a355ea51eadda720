package verify

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/slicewright/slicewright/app/internal/cli/clitest"
	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/live"
	"github.com/slicewright/slicewright/app/internal/verify/publication"
)

func TestVerifyARealHAProxy(t *testing.T) {
	for _, c := range []struct {
		name   string
		has    []int
		slices []string
		by     string // done to HAProxy by hand before
		code   int
		kinds  map[verify.Kind]int
		used   verify.UseKind
	}{
		{name: "it has what the slices have", has: []int{0, 1, 2}, slices: []string{"0", "1", "2"}, code: command.ExitHolds},
		{
			name: "a server was put into maintenance by hand", has: []int{0, 1, 2}, slices: []string{"0", "1", "2"},
			by: "set server web/s1 state maint", code: command.ExitFinding, kinds: map[verify.Kind]int{verify.Missing: 1},
		},
		{name: "a server is not there", has: []int{0, 2}, slices: []string{"0", "1", "2"}, code: command.ExitFinding, kinds: map[verify.Kind]int{verify.Missing: 1}},
		{
			name: "a server too many", has: []int{0, 1, 2}, slices: []string{"0", "2"},
			code: command.ExitFinding, kinds: map[verify.Kind]int{verify.Stale: 1}, used: verify.UsedUnlisted,
		},
		{
			name: "a terminating one still gets connections", has: []int{0, 1, 2}, slices: []string{"0", "1=terminating", "2"},
			code: command.ExitFinding, kinds: map[verify.Kind]int{verify.StillNew: 1}, used: verify.UsedWhileTerminating,
		},
		{
			name: "a terminating one is drained", has: []int{0, 1, 2}, slices: []string{"0", "1=terminating", "2"},
			by: "set server web/s1 state drain", code: command.ExitHolds,
		},
		{
			name: "one that is not ready gets connections", has: []int{0, 1, 2}, slices: []string{"0", "1=not-ready", "2"},
			code: command.ExitFinding, kinds: map[verify.Kind]int{verify.NotChosen: 1}, used: verify.UsedWhileExcluded,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t, 3, c.has...)
			if c.by != "" {
				if answer := s.haproxy.Ask(c.by); answer != "" {
					t.Fatalf("%s: %s", c.by, answer)
				}
			}
			args := []string{"-f", s.slices(c.slices...), "--consumer", s.consumer(), "--probe", s.url}
			if c.code == command.ExitFinding {
				args = append(args, "--settle", "2s") // it is waited for; what is equal is said at once
			}
			r, code, errs := s.verify(t.Context(), args...)
			wantCode(t, r, code, errs, c.code)
			got := map[verify.Kind]int{}
			for kind, count := range r.Consumers[0].Kinds {
				got[kind] = count.Findings
			}
			if len(got)+len(c.kinds) > 0 && fmt.Sprint(got) != fmt.Sprint(c.kinds) {
				t.Errorf("differences %v, want %v", got, c.kinds)
			}
			if p := r.Probes[0]; p.LostRequests > 0 || p.Identified == 0 || s.requests.Load() < p.Identified {
				t.Errorf("%d lost, %d answered, and the backends had %d", p.LostRequests, p.Identified, s.requests.Load())
			}
			used := r.Probes[0].Used
			if (c.used == "") != (len(used) == 0) || len(used) > 0 && (used[0].Kind != c.used || used[0].Address != s.backends[1].address.String()) {
				t.Errorf("used are %+v, want %q", used, c.used)
			}
		})
	}
}

// What HAProxy counts itself tells of connections that no probe of ours made.
func TestVerifyKnowsOfConnectionsThatItDidNotMake(t *testing.T) {
	t.Parallel()
	s := newShop(t, 3, 0, 1, 2)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		for ctx.Err() == nil {
			if response, err := http.Get(s.url); err == nil {
				response.Body.Close()
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	r, code, errs := s.verify(t.Context(), "-f", s.slices("0", "1=terminating", "2"), "--consumer", s.consumer(), "--for", "4s", "--settle", "2s")
	wantCode(t, r, code, errs, command.ExitFinding)
	used := r.Consumers[0].Used
	if len(used) != 1 || used[0].Kind != verify.UsedWhileTerminating || used[0].Address != s.backends[1].address.String() || used[0].Count == 0 {
		t.Errorf("%+v", used)
	}
}

func TestVerifyAConsumerThatIsDown(t *testing.T) {
	t.Parallel()
	s := newShop(t, 1, 0)
	s.haproxy.Stop()
	r, code, errs := s.verify(t.Context(), "-f", s.slices("0"), "--consumer", s.consumer(), "--probe", s.url)
	wantCode(t, r, code, errs, command.ExitUnknown)
	if c := r.Consumers[0]; c.Views != 0 || c.Failed == 0 || c.Problem == "" || r.Probes[0].Outcome != "unknown" {
		t.Errorf("%+v", r)
	}
}

// One that goes down while it is looked at is not equal because it was before.
func TestVerifyAConsumerThatGoesDown(t *testing.T) {
	t.Parallel()
	s := newShop(t, 1, 0)
	time.AfterFunc(time.Second, s.haproxy.Stop)
	r, code, errs := s.verify(t.Context(), "-f", s.slices("0"), "--consumer", s.consumer(), "--for", "4s", "--settle", "2s")
	wantCode(t, r, code, errs, command.ExitUnknown)
	if len(r.Consumers[0].Gaps) == 0 {
		t.Errorf("no gap: %+v", r.Consumers[0])
	}
}

func TestVerifyIsInterrupted(t *testing.T) {
	t.Parallel()
	s := newShop(t, 1, 0)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(2*time.Second, cancel)
	r, code, errs := s.verify(ctx, "-f", s.slices("0"), "--consumer", s.consumer(), "--for", "10m")
	wantCode(t, r, code, errs, command.ExitUnknown)
	if !r.Interrupted || r.Consumers[0].Views == 0 {
		t.Errorf("interrupted %t after %d views", r.Interrupted, r.Consumers[0].Views)
	}
}

// Nothing is sent to an address that is not allowed.
func TestVerifyProbesOnlyWhatIsAllowed(t *testing.T) {
	t.Parallel()
	s := newShop(t, 1, 0)
	b := s.backends[0].address
	if slices.ContainsFunc(private, func(p netip.Prefix) bool { return p.Contains(b.Addr()) }) {
		t.Log("this machine's address is a private one: a documentation address stands in for one that is not")
		b = netip.MustParseAddrPort("192.0.2.77:80")
	}
	r, code, errs := s.verify(t.Context(), "-f", s.slices("0"), "--probe", "http://"+b.String())
	wantCode(t, r, code, errs, command.ExitUsage)
	if s.requests.Load() > 0 || !strings.Contains(errs, b.Addr().String()) || !strings.Contains(errs, "--allow-probe") {
		t.Errorf("%d requests: %s", s.requests.Load(), errs)
	}
	r, code, errs = s.verify(t.Context(), "-f", s.slices("0"), "--probe", "http://"+s.backends[0].address.String(), "--allow-probe", s.backends[0].address.Addr().String()+"/32")
	wantCode(t, r, code, errs, command.ExitHolds)
	if s.requests.Load() == 0 {
		t.Error("no request, though it is allowed")
	}
}

// A connection of its own backend's is cut when that dies, and that is told.
func TestVerifyHeldConnections(t *testing.T) {
	t.Parallel()
	s := newShop(t, 1)
	l, err := net.Listen("tcp", netip.AddrPortFrom(ownAddress(t), 0).String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() { // sends back what it is sent, until it is told to cut all off
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go io.Copy(conn, conn)
			time.AfterFunc(3*time.Second, func() {
				conn.(*net.TCPConn).SetLinger(0)
				conn.Close()
			})
		}
	}()
	address := l.Addr().String()
	r, code, errs := s.verify(t.Context(), "-f", s.slices("0"), "--hold", "tcp://"+address, "--for", "5s", "--allow-probe", ownAddress(t).String()+"/32")
	wantCode(t, r, code, errs, command.ExitFinding)
	if c := r.Held.Connections[0]; c.End.Kind != "rst" || len(c.Problems) == 0 {
		t.Errorf("%+v", c)
	}
	r, code, errs = s.verify(t.Context(), "-f", s.slices("0"), "--hold", "tcp://"+address, "--for", "1s", "--allow-probe", ownAddress(t).String())
	wantCode(t, r, code, errs, command.ExitHolds)
	if c := r.Held.Connections[0]; c.End.Kind != "open" || c.Messages == nil || c.Messages.Answered == 0 {
		t.Errorf("%+v", c)
	}
}

// The four facts of a backend that is published, not ready, and in HAProxy.
func TestVerifyPublished(t *testing.T) {
	t.Parallel()
	s := newShop(t, 2, 0, 1)
	r, code, errs := s.verify(t.Context(), "-f", s.slices("0", "1=not-ready"), "--policy", "published", "--consumer", s.consumer(), "--probe", s.url,
		"--published", "--health", "http:///", "--allow-probe", ownAddress(t).String()+"/32")
	wantCode(t, r, code, errs, command.ExitHolds)
	if len(r.Published.Rows) != 2 {
		t.Fatalf("%+v", r.Published)
	}
	for _, row := range r.Published.Rows {
		ready := publication.Yes
		if row.Address == s.backends[1].address {
			ready = publication.No
		}
		if row.Health != publication.Yes || row.Ready != ready || row.Discovered[0] != publication.Yes || row.Answered == 0 {
			t.Errorf("%+v", row)
		}
	}
	var out bytes.Buffer
	if err := writeVerify(&out, r, "table"); err != nil || !strings.Contains(out.String(), "requests-not-ready") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// The other formats say the same, and nothing in them moves a cursor.
func TestVerifyOutputs(t *testing.T) {
	report := verify.NewLog(verify.Options{Consumers: []string{"a\x1b[2Jconsumer"}, Probes: []string{"probe"}})
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	a := netip.MustParseAddrPort("10.0.0.1:80")
	report.Slices(verify.Slices{At: at, Standings: map[netip.AddrPort]verify.Standing{a: verify.Active}})
	for i := range 10 {
		report.Viewed(0, verify.View{At: at.Add(time.Duration(i) * time.Second), Members: []verify.Member{
			{Address: netip.MustParseAddrPort("10.0.0.9:80"), Use: verify.New, Detail: "up\x1b[31m", Total: verify.Unknown},
		}})
		report.Answered(0, verify.Answer{Began: at, Ended: at, From: a})
		report.Answered(0, verify.Answer{Began: at, Ended: at, Failure: verify.Reset, Detail: "reset\r\nby peer"})
	}
	r := &live.Report{Report: report.Report(at.Add(10 * time.Second))}
	for format, wants := range map[string][]string{
		"table": {"stale", "10.0.0.9:80", "missing", "10.0.0.1:80", "reset", "different"},
		"wide":  {"stale", "10.0.0.9:80", "ANSWERING", "different"},
		"yaml":  {"kind: VerifyReport", "outcome: different"},
		"json":  {`"kind": "VerifyReport"`},
		"html":  {"is not used as its slices say", "10.0.0.9:80", "lost: reset"},
	} {
		var out bytes.Buffer
		if err := writeVerify(&out, r, format); err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s has no %q:\n%s", format, want, out.String())
			}
		}
		if strings.ContainsAny(out.String(), "\x1b\r") {
			t.Errorf("%s lets control characters through:\n%q", format, out.String())
		}
		if format == "yaml" {
			var back verify.Report
			if err := yaml.Unmarshal(out.Bytes(), &back); err != nil || back.Outcome != verify.Different {
				t.Errorf("%v, %s", err, back.Outcome)
			}
		}
	}
}

func TestVerifyRefuses(t *testing.T) {
	two := clitest.WriteFile(t, "two.yaml", `
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: a, namespace: shop, labels: {kubernetes.io/service-name: web}}
addressType: IPv4
ports: [{name: http, port: 80}, {name: metrics, port: 9090}]
endpoints: [{addresses: ["10.0.0.1"]}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: a, namespace: other, labels: {kubernetes.io/service-name: web}}
addressType: IPv4
ports: [{name: http, port: 80}]
endpoints: [{addresses: ["10.0.0.1"]}]
`)
	file := clitest.WriteFile(t, "backends.txt", "10.0.0.1:80\n")
	consumer := []string{"shop/web", "--consumer", "file:" + file}
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no Service", nil, command.ExitUsage, "which Service"},
		{"two Services", []string{"a", "b"}, command.ExitUsage, "at most 1 arg"},
		{"nothing to verify", []string{"shop/web"}, command.ExitUsage, "--consumer, --probe"},
		{"a consumer of no kind", []string{"shop/web", "--consumer", "squid:x"}, command.ExitUsage, "squid"},
		{"a consumer twice", append(consumer, "--consumer", "file:"+file, "-f", two), command.ExitUsage, "twice"},
		{"a probe of no kind", []string{"shop/web", "--probe", "gopher://10.0.0.1/", "-f", two}, command.ExitUsage, "gopher"},
		{"an identification of no kind", []string{"shop/web", "--probe", "http://10.0.0.1/", "--identify", "voice", "-f", two}, command.ExitUsage, "voice"},
		{"a header without a value", []string{"shop/web", "--probe", "http://10.0.0.1/", "--probe-header", "x", "-f", two}, command.ExitUsage, "NAME: VALUE"},
		{"a network that does not parse", []string{"shop/web", "--probe", "http://10.0.0.1/", "--allow-probe", "x", "-f", two}, command.ExitUsage, "203.0.113.0/24"},
		{"a cloud's metadata", []string{"shop/web", "--probe", "http://169.254.169.254/", "-f", two}, command.ExitUsage, "not an allowed address"},
		{"a time and a command", append(consumer, "--for", "1m", "--during", "true", "-f", two), command.ExitUsage, "exclude each other"},
		{"files and events", append(consumer, "--events", two, "-f", two), command.ExitUsage, "exclude each other"},
		{"connections held for no time", []string{"shop/web", "--hold", "tcp://10.0.0.1:80", "-f", two}, command.ExitUsage, "--for or --during"},
		{"connections to a cloud's metadata", []string{"shop/web", "--hold", "tcp://169.254.169.254:80", "--for", "1s", "-f", two}, command.ExitUsage, "not an allowed address"},
		{"health of nothing", append(consumer, "--health", "http://:80/", "-f", two), command.ExitUsage, "--published"},
		{"health with a host", append(consumer, "--published", "--health", "http://10.0.0.1/", "-f", two), command.ExitUsage, "without a host"},
		{"a recording without a cluster", append(consumer, "--record", "x.db", "-f", two), command.ExitUsage, "needs a cluster"},
		{"an unknown output", append(consumer, "-o", "xml", "-f", two), command.ExitUsage, "xml"},
		{"an unknown policy", append(consumer, "--policy", "x", "-f", two), command.ExitUsage, "unknown policy"},
		{"an interval that is too long", append(consumer, "--interval", "10s", "-f", two), command.ExitUsage, "half"},
		{"a port that must be chosen", append(consumer, "-f", two), command.ExitUsage, `"http"/TCP, "metrics"/TCP`},
		{"a port that is not there", append(consumer, "-f", two, "--port", "grpc"), command.ExitUsage, `no port "grpc"`},
		{"a Service in two namespaces", []string{"web", "--consumer", "file:" + file, "-f", two}, command.ExitUsage, "other and shop"},
		{"a Service that is not there", []string{"shop/cart", "--consumer", "file:" + file, "-f", two}, command.ExitUnknown, "no EndpointSlice belongs"},
		{"an unknown family", append(consumer, "--family", "IPX", "-f", two), command.ExitUsage, "IPX"},
		{"a port that was chosen", append(consumer, "-f", two, "--port", "http"), command.ExitHolds, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, errs, code := run(t, "", append([]string{"verify"}, c.args...)...)
			if code != c.code || !strings.Contains(errs, c.want) {
				t.Errorf("exit code %d (want %d):\n%s\nwant: %s", code, c.code, errs, c.want)
			}
		})
	}
}
