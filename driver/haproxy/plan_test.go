package haproxy

import (
	"flag"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/publish"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares got with testdata/name.golden.
func golden(t *testing.T, name, got string) {
	t.Helper()
	name = strings.ReplaceAll(strings.ReplaceAll(name, ",", ""), " ", "-")
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// describe prints all that a plan says.
func describe(planned publish.Ops) string {
	var b strings.Builder
	b.WriteString(planned.String())
	waiting, again := planned.Waiting()
	for _, w := range waiting {
		fmt.Fprintf(&b, "waiting: %s\n", w)
	}
	if again > 0 {
		fmt.Fprintf(&b, "again in: %v\n", again)
	}
	for _, p := range planned.(*ops).problems {
		fmt.Fprintf(&b, "problem: %v\n", p)
	}
	fmt.Fprintf(&b, "empty: %v\n", planned.Empty())
	return b.String()
}

// at is a server of ours at its right address.
func at(addr string, state State, since time.Duration, sessions int) Server {
	ap := netip.MustParseAddrPort(addr)
	return Server{Name: serverName(ap, ""), Addr: ap, State: state, Since: since, Sessions: sessions}
}

func TestPlanDynamic(t *testing.T) {
	const s = time.Second
	const a, b, c = "10.42.0.1:8080", "10.42.0.2:8080", "[2001:db8::3]:8443"
	moved := at(a, Ready, 9*s, 3)
	moved.Addr = netip.MustParseAddrPort("10.66.6.6:8080")
	kept := at(a, Maint, 9*s, 0)
	kept.Idle = 2
	unchecked := at(a, Ready, 9*s, 0)
	checked := Options{Check: true, Interval: 500 * time.Millisecond, Rise: 1, Fall: 2}
	unchecked.Name = serverName(unchecked.Addr, checked.String())

	for _, tc := range []struct {
		name             string
		active, draining []string
		timeout          time.Duration
		seen             []Server
		options          Options
		file             string
	}{
		{name: "all are new", active: []string{a, b, c}},
		{name: "nothing to do", active: []string{a, b}, seen: []Server{at(a, Ready, 0, 1), at(b, Ready, 9*s, 0)}},
		{name: "nothing is wanted and nothing is there"},
		{name: "one for one", active: []string{b}, seen: []Server{at(a, Ready, 9*s, 2)}},
		{name: "options", active: []string{a, c}, options: Options{Weight: 10, MaxConn: 50, Check: true, Interval: 2 * s, Rise: 2, Fall: 3, Proto: "h2", SendProxy: "v2", SSL: true, Verify: "required", CAFile: "/etc/ssl/ca.pem", SNI: "web.example.com"}},
		{name: "left in maintenance by a crash", active: []string{a}, seen: []Server{at(a, Maint, 0, 0)}},
		{name: "checks were never enabled", active: []string{a}, seen: []Server{unchecked}, options: checked},
		{name: "options changed", active: []string{a}, seen: []Server{at(a, Ready, 9*s, 0)}, options: checked},
		{name: "someone changed the address", active: []string{a}, seen: []Server{moved}},
		{name: "someone changed the address of one that leaves", seen: []Server{moved}},
		{name: "returns while draining", active: []string{a}, seen: []Server{at(a, Drain, 5*s, 2)}},
		{name: "returns after its time was over", active: []string{a}, seen: []Server{at(a, Maint, 5*s, 2)}},

		{name: "leaves, just drained", seen: []Server{at(a, Drain, 1*s, 0)}},
		{name: "leaves, idle", seen: []Server{at(a, Drain, 2*s, 0)}},
		{name: "leaves, busy without a timeout", seen: []Server{at(a, Drain, 9999*s, 2)}},
		{name: "leaves, busy within its timeout", timeout: 30 * s, seen: []Server{at(a, Drain, 30*s, 2)}},
		{name: "leaves, busy after its timeout", timeout: 30 * s, seen: []Server{at(a, Drain, 31*s, 2)}},
		{name: "leaves, in maintenance and just cut", timeout: 30 * s, seen: []Server{at(a, Maint, 0, 0)}},
		{name: "leaves, in maintenance and busy", timeout: 30 * s, seen: []Server{at(a, Maint, 5*s, 1)}},
		{name: "leaves, in maintenance and busy after its timeout", timeout: 3 * s, seen: []Server{at(a, Maint, 5*s, 1)}},
		{name: "leaves, in maintenance with kept connections", seen: []Server{kept}},
		{name: "leaves, in maintenance", seen: []Server{at(a, Maint, 5*s, 0)}},

		{name: "terminating", draining: []string{a}, seen: []Server{at(a, Ready, 9*s, 2)}},
		{name: "terminating with a timeout", draining: []string{a}, timeout: 30 * s, seen: []Server{at(a, Ready, 9*s, 2)}},
		{name: "terminating, never there", draining: []string{a}},
		{name: "terminating, idle is kept", draining: []string{a}, seen: []Server{at(a, Drain, 9*s, 0)}},
		{name: "terminating, busy within its timeout", draining: []string{a}, timeout: 30 * s, seen: []Server{at(a, Drain, 10*s, 2)}},
		{name: "terminating, busy after its timeout", draining: []string{a}, timeout: 30 * s, seen: []Server{at(a, Drain, 31*s, 2)}},
		{name: "terminating, after its time was over", draining: []string{a}, timeout: 30 * s, seen: []Server{at(a, Maint, 3*s, 0)}},

		{name: "servers file", active: []string{a, c}, seen: []Server{at(a, Ready, 9*s, 2), at(c, Ready, 9*s, 2)}, file: "/etc/haproxy/web.cfg"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := newDriver(t, "/run/haproxy.sock", func(c *Config) { c.Server, c.ServersFile = tc.options, tc.file })
			desired := publish.Desired{Active: backends(t, tc.active...), Draining: backends(t, tc.draining...), DrainTimeout: tc.timeout}
			planned := d.Plan(desired, &Observed{Servers: tc.seen})
			golden(t, "dynamic "+tc.name, describe(planned))
		})
	}
}

func TestPlanSlots(t *testing.T) {
	const s = time.Second
	slot := func(n int, addr string, state State, since time.Duration, sessions int) Server {
		sv := at(addr, state, since, sessions)
		sv.Name = fmt.Sprintf("srv%d", n)
		return sv
	}
	const a, b, c, x = "10.42.0.1:8080", "10.42.0.2:8080", "[2001:db8::3]:8443", "127.0.0.1:1"
	free := func(n int) Server { return slot(n, x, Maint, 99*s, 0) }

	for _, tc := range []struct {
		name             string
		active, draining []string
		timeout          time.Duration
		seen             []Server
	}{
		{name: "fill", active: []string{a, c}, seen: []Server{free(1), free(2), free(3)}},
		{name: "nothing to do", active: []string{a}, seen: []Server{free(1), slot(2, a, Ready, 0, 5)}},
		{name: "one for one takes another slot", active: []string{b}, seen: []Server{slot(1, a, Ready, 9*s, 0), free(2)}},
		{name: "busy in maintenance is not free", active: []string{b}, seen: []Server{slot(1, a, Maint, 9*s, 1), free(2)}},
		{name: "returns into its own slot", active: []string{a}, seen: []Server{free(1), slot(2, a, Drain, 9*s, 1)}},
		{name: "comes back to the address it had", active: []string{a}, seen: []Server{free(1), slot(2, a, Maint, 9*s, 0)}},
		{name: "two have one address", active: []string{a}, seen: []Server{slot(1, a, Drain, 9*s, 1), slot(2, a, Ready, 9*s, 1)}},
		{name: "too few", active: []string{a, b, c}, seen: []Server{free(1), slot(2, "10.42.0.9:8080", Drain, 9*s, 1)}},
		{name: "leaves, idle", seen: []Server{slot(1, a, Drain, 9*s, 0)}},
		{name: "leaves, after its timeout", timeout: 3 * s, seen: []Server{slot(1, a, Drain, 9*s, 1)}},
		{name: "leaves, was never disabled", seen: []Server{slot(1, x, Ready, 9*s, 0)}},
		{name: "terminating", draining: []string{a}, seen: []Server{slot(1, a, Ready, 9*s, 1)}},
		{name: "terminating keeps its slot", active: []string{b}, draining: []string{a}, seen: []Server{slot(1, a, Drain, 9*s, 0)}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := newDriver(t, "/run/haproxy.sock", func(c *Config) { c.Mode, c.SlotPrefix = Slots, "srv" })
			desired := publish.Desired{Active: backends(t, tc.active...), Draining: backends(t, tc.draining...), DrainTimeout: tc.timeout}
			golden(t, "slots "+tc.name, describe(d.Plan(desired, &Observed{Servers: tc.seen})))
		})
	}
}

func TestPlanLeavesOutWhatHAProxyCannotReach(t *testing.T) {
	d := newDriver(t, "/run/haproxy.sock")
	desired := publish.Desired{Active: backends(t, "10.42.0.1:53", "10.42.0.2:53", "10.42.0.3:0", "[::ffff:10.42.0.4]:53")}
	desired.Active[1].Protocol = "UDP"
	golden(t, "unreachable", describe(d.Plan(desired, &Observed{})))
	desired.Active = desired.Active[1:3]
	golden(t, "all unreachable", describe(d.Plan(desired, &Observed{})))
}

func TestPlanMergesWhatDiffersInThePortsNameOnly(t *testing.T) {
	d := newDriver(t, "/run/haproxy.sock")
	desired := publish.Desired{Active: backends(t, "10.42.0.1:80", "10.42.0.1:80"), Draining: backends(t, "10.42.0.1:80")}
	desired.Active[1].PortName = "other"
	if n := d.Plan(desired, &Observed{}).Len(); n != 2 {
		t.Errorf("%d commands, want an add and a ready", n)
	}
}

func TestPlanNeverMergesACollision(t *testing.T) {
	d := newDriver(t, "/run/haproxy.sock")
	d.name = func(netip.AddrPort, string) string { return "sw-same" }
	desired := publish.Desired{Active: backends(t, "10.42.0.1:80", "10.42.0.2:80"), Draining: backends(t, "10.42.0.3:80")}
	golden(t, "collision", describe(d.Plan(desired, &Observed{})))
}

func TestPlanRefusesWhatAnotherDriverSaw(t *testing.T) {
	for _, seen := range []publish.Observed{nil, (*Observed)(nil)} {
		planned := newDriver(t, "/run/haproxy.sock").Plan(publish.Desired{}, seen)
		if planned.Empty() || planned.Len() != 0 {
			t.Errorf("planned %q, want an error and nothing to send", planned)
		}
	}
}

func TestPlanSendsOnlyWhatChanged(t *testing.T) {
	d := newDriver(t, "/run/haproxy.sock")
	all := nBackends(t, 5000)
	seen := &Observed{}
	for _, b := range all {
		seen.Servers = append(seen.Servers, at(b.Endpoint(), Ready, 9*time.Second, 1))
	}
	planned := d.Plan(publish.Desired{Active: append(all[1:], backends(t, "10.99.0.1:8080")...)}, seen)
	if planned.Len() != 3 { // add, ready, drain
		t.Errorf("%d commands for one of 5000 that changed:\n%.400s", planned.Len(), planned)
	}
}

func TestPlanGivesNoIDThatIsInUse(t *testing.T) {
	d := newDriver(t, "/run/haproxy.sock")
	const addr = "10.42.0.1:8080"
	first := ids{}.take(serverName(netip.MustParseAddrPort(addr), ""))
	ours := at("10.42.0.2:8080", Ready, 0, 1)
	ours.ID = first
	seen := &Observed{Servers: []Server{ours}, foreign: []Server{{Name: "static", ID: first + 1}}}
	text := d.Plan(publish.Desired{Active: backends(t, addr, "10.42.0.2:8080")}, seen).String()
	if want := fmt.Sprintf("%s id %d\n", addr, first+2); !strings.Contains(text, want) {
		t.Errorf("ids %d and %d are in use; the plan should have %q:\n%s", first, first+1, want, text)
	}
}

func BenchmarkPlan5000(b *testing.B) {
	d := newDriver(b, "/run/haproxy.sock")
	all := nBackends(b, 5000)
	seen := &Observed{}
	for _, be := range all {
		seen.Servers = append(seen.Servers, at(be.Endpoint(), Ready, 9*time.Second, 1))
	}
	desired := publish.Desired{Active: all[1:]}
	b.ReportAllocs()
	for b.Loop() {
		d.Plan(desired, seen)
	}
}
