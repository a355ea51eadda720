package haproxy

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/publish"
)

// pool is small, so that what is there and what is wanted often meet.
var pool = []string{
	"10.42.0.1:8080", "10.42.0.2:8080", "10.42.0.2:8081", "10.42.0.3:8080", "10.42.0.4:8080",
	"[2001:db8::1]:8080", "[2001:db8::2]:8080", "[2001:db8::2]:443",
}

// drawDesired draws what is wanted out of the pool.
func drawDesired(t *rapid.T, label string) publish.Desired {
	desired := publish.Desired{DrainTimeout: rapid.SampledFrom([]time.Duration{0, time.Second, 5 * time.Second}).Draw(t, label+" timeout")}
	for _, addr := range pool {
		ap := netip.MustParseAddrPort(addr)
		b := endpointset.Backend{ID: endpointset.ID{PortName: "http", Protocol: "TCP", Addr: ap.Addr(), Number: ap.Port()}}
		switch rapid.IntRange(0, 2).Draw(t, label+" "+addr) {
		case 1:
			desired.Active = append(desired.Active, b)
		case 2:
			desired.Draining = append(desired.Draining, b)
		}
	}
	return desired
}

// drawServers puts servers into the model, in any state that the driver, a crash
// of it, or a person may have left.
func drawServers(t *rapid.T, f *fakeHAProxy, name func(i int, addr netip.AddrPort) string, n int) {
	for i := range n {
		ap := netip.MustParseAddrPort(rapid.SampledFrom(pool).Draw(t, "address"))
		s := &fakeServer{
			name: name(i, ap), ip: ap.Addr().String(), port: int(ap.Port()),
			admin:   rapid.SampledFrom([]int{0, 1, 8, 9, 4, 5, 12}).Draw(t, "admin"),
			changed: f.now - rapid.Int64Range(0, 9).Draw(t, "since"),
			check:   true, checking: rapid.Bool().Draw(t, "checking"),
		}
		if rapid.Bool().Draw(t, "busy") {
			s.sessions = rapid.IntRange(1, 3).Draw(t, "sessions")
		}
		if s.maint() && rapid.IntRange(0, 4).Draw(t, "idle") == 0 {
			s.idle = 1
		}
		if rapid.IntRange(0, 9).Draw(t, "edited") == 0 {
			s.ip = "10.66.6.6"
		}
		if _, there := f.find("web/" + s.name); there == nil {
			f.insert("web", s)
		}
	}
}

// readyAddrs is the set of addresses that get new connections.
func (f *fakeHAProxy) readyAddrs() map[string]bool {
	set := make(map[string]bool)
	for _, s := range f.backends["web"] {
		if s.ready() {
			set[netip.AddrPortFrom(netip.MustParseAddr(s.ip), uint16(s.port)).String()] = true
		}
	}
	return set
}

func endpoints(list []endpointset.Backend) map[string]bool {
	set := make(map[string]bool)
	for _, b := range list {
		set[b.Endpoint()] = true
	}
	return set
}

// TestLaws: from any state, one Apply brings HAProxy to what is desired, in an
// order that never loses a wanted server and never moves a slot in use; applied
// twice is as applied once; the next plan is empty; and with time all that is
// not wanted goes, and nothing that is foreign.
func TestLaws(t *testing.T) {
	for _, mode := range []Mode{Dynamic, Slots} {
		t.Run(string(mode), func(t *testing.T) {
			f := newFakeHAProxy()
			d := newDriver(t, f.listen(t), func(c *Config) {
				c.Mode = mode
				if mode == Slots {
					c.SlotPrefix = "srv"
				} else {
					c.Server.Check = true
				}
			})
			rapid.Check(t, func(t *rapid.T) { checkLaws(t, d, f, mode) })
		})
	}
}

func checkLaws(t *rapid.T, d *Driver, f *fakeHAProxy, mode Mode) {
	f.after = nil
	f.backends = map[string][]*fakeServer{"web": {
		{id: 1000, name: "static", ip: "127.0.0.9", port: 9999, admin: rapid.SampledFrom([]int{0, 1, 8}).Draw(t, "static")},
		{id: 1001, name: "sw-not-a-hash", ip: "127.0.0.9", port: 9998, admin: 1},
		{id: 1002, name: "srv0", ip: "127.0.0.9", port: 9998, admin: 1},
	}}
	static := []fakeServer{*f.backends["web"][0], *f.backends["web"][1], *f.backends["web"][2]}
	if mode == Slots {
		// Enough slots for any desired set beside all that still leave.
		drawServers(t, f, func(i int, _ netip.AddrPort) string { return fmt.Sprint("srv", i+1) }, 6)
		for i := range len(pool) {
			f.insert("web", &fakeServer{name: fmt.Sprint("srv", i+100), ip: "127.0.0.1", port: 1, admin: 5})
		}
	} else {
		drawServers(t, f, func(_ int, ap netip.AddrPort) string { return serverName(ap, " check") }, rapid.IntRange(0, 6).Draw(t, "servers"))
	}
	desired := drawDesired(t, "first")
	wanted := endpoints(desired.Active)

	served := f.readyAddrs()
	slots := make(map[int]string)
	for i, s := range f.backends["web"] {
		slots[i] = fmt.Sprint(s.ip, s.port)
	}
	var lost string
	f.after = func(line string) {
		for i, s := range f.backends["web"] {
			if mode == Slots && (s.ready() || s.sessions > 0) && slots[i] != fmt.Sprint(s.ip, s.port) {
				lost = fmt.Sprintf("%q moved a slot in use", line)
			}
			slots[i] = fmt.Sprint(s.ip, s.port)
		}
		now := f.readyAddrs()
		for addr := range served {
			if wanted[addr] && !now[addr] {
				lost = fmt.Sprintf("%q took away %s, which is wanted", line, addr)
			}
		}
	}
	step(t, d, desired)
	if lost != "" {
		t.Fatal(lost)
	}
	got := f.readyAddrs()
	for _, s := range static {
		if s.ready() && !wanted[fmt.Sprint(s.ip, ":", s.port)] {
			delete(got, fmt.Sprint(s.ip, ":", s.port))
		}
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Fatalf("new connections go (-wanted +got):\n%s", diff)
	}
	planned := plan(t, d, desired)
	if !planned.Empty() {
		t.Fatalf("the next plan is not empty:\n%s", describe(planned))
	}

	for round := 0; ; round++ {
		f.mu.Lock()
		f.now += 4
		for _, s := range f.backends["web"] {
			if !s.ready() {
				s.sessions, s.idle = 0, 0
			}
		}
		f.mu.Unlock()
		planned := step(t, d, desired)
		if waiting, _ := planned.Waiting(); planned.Empty() && len(waiting) == 0 {
			break
		}
		if round == 5 {
			t.Fatalf("after %d rounds still:\n%s", round, describe(planned))
		}
	}
	keeps := endpoints(desired.Draining)
	maps.Copy(keeps, wanted)
	names := make(map[string]bool)
	for addr := range keeps {
		names[serverName(netip.MustParseAddrPort(addr), d.options)] = true
	}
	for _, s := range observeLaw(t, d).Servers {
		if free := mode == Slots && s.State == Maint; !free && !keeps[s.Addr.String()] && !names[s.Name] {
			t.Fatalf("%s (%s, %s) is still there", s.Name, s.Addr, s.State)
		}
	}
	for i, want := range static {
		if !slices.ContainsFunc(f.backends["web"], func(s *fakeServer) bool { return *s == want }) {
			t.Fatalf("foreign server %d changed or went", i)
		}
	}
}

func observeLaw(t *rapid.T, d *Driver) *Observed {
	seen, err := d.Observe(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return seen.(*Observed)
}

func plan(t *rapid.T, d *Driver, desired publish.Desired) publish.Ops {
	return d.Plan(desired, observeLaw(t, d))
}

// step is one round of the publish loop, with its Apply done twice: the second
// must change nothing.
func step(t *rapid.T, d *Driver, desired publish.Desired) publish.Ops {
	planned := plan(t, d, desired)
	var states [2][]Server
	for i := range states {
		if _, err := d.Apply(context.Background(), planned); err != nil {
			t.Fatalf("apply number %d of\n%s%v", i+1, planned, err)
		}
		states[i] = observeLaw(t, d).Servers
	}
	if diff := cmp.Diff(states[0], states[1], cmp.Comparer(func(a, b netip.AddrPort) bool { return a == b })); diff != "" {
		t.Fatalf("applied twice is not as applied once (-once +twice):\n%s", diff)
	}
	return planned
}
