package verify

import (
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// What waits for everything to settle asks for the last looks and the last
// requests after a moment.
func TestAgreesAfterAMoment(t *testing.T) {
	r := story(t, `
		0 slices a=active
		0 view b=new
		1 view a=new
		2 view a=new
		3 view a=new
		0 failed refused
		1 answer a
		2 answer a
		3 answer b
		4 answer a
		5 answer a
		6 answer a`).Report(sec(7))
	for _, c := range []struct {
		after           float64
		consumer, probe int
	}{{0, 3, 3}, {1, 2, 3}, {2.5, 1, 3}, {4, 0, 2}, {6, 0, 0}} {
		for n := range 6 {
			if got := r.Consumers[0].Agrees(sec(c.after), n); got != (n <= c.consumer) {
				t.Errorf("the last %d views after %g agree: %t", n, c.after, got)
			}
			if got := r.Probes[0].Agrees(sec(c.after), n); got != (n <= c.probe) {
				t.Errorf("the last %d requests after %g agree: %t", n, c.after, got)
			}
		}
	}
}

func TestDecided(t *testing.T) {
	const settle = 5 * time.Second
	for _, c := range []struct {
		name string
		r    ConsumerReport
		now  float64
		want bool
	}{
		{"a finding", ConsumerReport{Outcome: Different, looked: sec(10)}, 10, true},
		{"a look a moment ago", ConsumerReport{Outcome: Equal, looked: sec(10)}, 14, false},
		{"no look for long", ConsumerReport{Outcome: Equal, looked: sec(10)}, 16, true},
		{"no look since the beginning", ConsumerReport{Outcome: Undetermined}, 4, false},
		{"no look at all for long", ConsumerReport{Outcome: Undetermined}, 6, true},
	} {
		if got := c.r.Decided(sec(c.now), sec(0), settle); got != c.want {
			t.Errorf("%s: decided %t", c.name, got)
		}
	}
	for _, c := range []struct {
		name string
		r    ProbeReport
		now  float64
		want bool
	}{
		{"a finding", ProbeReport{Outcome: Different, Identified: 1}, 1, true},
		{"an answer of nobody", ProbeReport{Unidentified: 1, Identified: 1}, 1, true},
		{"an answer that cannot be judged", ProbeReport{Unjudged: 1, Identified: 1}, 1, true},
		{"nothing yet", ProbeReport{}, 4, false},
		{"nothing for long", ProbeReport{}, 6, true},
		{"answers for long", ProbeReport{Outcome: Equal, Identified: 1}, 60, false},
	} {
		if got := c.r.Decided(sec(c.now), sec(0), settle); got != c.want {
			t.Errorf("%s: decided %t", c.name, got)
		}
	}
}

func TestACommandFailed(t *testing.T) {
	for _, c := range []struct {
		r    CommandReport
		want bool
	}{{CommandReport{}, false}, {CommandReport{Problem: "not found"}, true}, {CommandReport{ExitCode: 1}, true}} {
		if got := c.r.Failed(); got != c.want {
			t.Errorf("%+v: failed %t", c.r, got)
		}
	}
}

// Of several ports of an address the best counts, unless the address alone is
// there and better.
func TestTheBestPortOfAnAddressCounts(t *testing.T) {
	at := func(text string) netip.AddrPort { return netip.MustParseAddrPort(text) }
	for _, c := range []struct{ in, want map[netip.AddrPort]int }{
		{
			map[netip.AddrPort]int{at("10.0.0.1:80"): 1, at("10.0.0.1:81"): 3, at("10.0.0.1:82"): 2, at("10.0.0.2:80"): 1},
			map[netip.AddrPort]int{at("10.0.0.1:0"): 3, at("10.0.0.2:0"): 1},
		},
		{
			map[netip.AddrPort]int{at("10.0.0.1:0"): 2, at("10.0.0.1:80"): 1, at("10.0.0.2:0"): 1, at("10.0.0.2:80"): 2},
			map[netip.AddrPort]int{at("10.0.0.1:0"): 2, at("10.0.0.2:0"): 2},
		},
	} {
		byAddress(c.in, func(a, b int) bool { return a < b })
		for key, value := range c.want {
			if c.in[key] != value {
				t.Errorf("%s is %d, want %d", key, c.in[key], value)
			}
		}
	}
}

func TestNamesOfUses(t *testing.T) {
	var got []string
	for u := range Use(6) {
		got = append(got, u.String())
	}
	if diff := cmp.Diff([]string{"unknown", "new", "draining", "idle", "unknown", "unknown"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Standing(9).String(); got != "unknown" {
		t.Errorf("a standing that is not known is %q", got)
	}
}

// Times in which nothing is known are put together where they touch, and the
// longer one goes on.
func TestUnknownTimesArePutTogether(t *testing.T) {
	l := story(t, `
		0 slices a=active
		0 view a=new
		2 lost
		20 back
		22 view a=new
		24 view a=new
		26 lost
		27 back
		28 view a=new
		50 view a=new
		51 lost
		60 back`)
	var got []string
	for _, s := range l.unknown(l.consumers[0], sec(61)) {
		got = append(got, s.from.Sub(zero).String()+" "+s.to.Sub(zero).String())
	}
	if diff := cmp.Diff([]string{"0s 22s", "28s 1m1s"}, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
