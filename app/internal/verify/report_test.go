package verify

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files again")

// golden compares a whole report with its file.
func golden(t *testing.T, name string, r *Report) {
	t.Helper()
	got, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	path := filepath.Join("testdata", "reports", name+".json")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; -update writes it again):\n%s", path, diff)
	}
}

// TestReports holds whole reports to files: what one part of a report counts, no
// other test has to repeat.
func TestReports(t *testing.T) {
	for _, c := range []struct {
		name, story string
		until       float64
	}{
		{"nothing", ``, 3},
		{
			"consumer and probe follow", `
			0 slices a=active b=active c=terminating d=excluded
			0 view a=new b=new c=draining d=idle
			1 answer a
			2 answer b
			2 answer a
			3 view a=new b=new c=draining d=idle
			4 slices a=active e=active
			5 view a=new e=new
			5 answer e
			6 slices a=active e=active f=active
			6.5 slices a=active e=active
			7 view a=new e=new
			8 answer a
			9 view a=new e=new`, 9,
		},
		{
			"findings of every kind", `
			0 slices a=active b=active c=terminating d=excluded e=active f=active
			0 view a=new b=draining c=new d=new g=new
			1 answer a
			2 answer c
			3 answer d
			3 answer g
			4 failed refused a
			4 failed timeout
			5 failed refused b
			4 view a=new b=draining c=new d=new g=new
			8 view a=new b=draining c=new d=new g=new
			9 answer c
			10 answer d
			12 view a=new b=draining c=new d=new g=new
			12 answer g`, 12,
		},
		{
			"looks that fail", `
			0 slices a=active b=active
			0 view a=new b=new
			1 bad
			4 bad
			9 view a=new b=new
			10 view a=new
			11 view a=new b=new
			12 bad
			13 view a=new b=new`, 30,
		},
		{
			"slices that cannot be read", `
			0 slices a=active b=active
			0 view a=new b=new
			0 answer a
			2 lost
			2.5 lost
			3 back
			4 view a=new b=new
			5 lost
			6 view a=new
			6 answer c
			8 view a=new b=new
			12 back
			12.5 back
			13 view a=new
			14 lost
			15 view a=new`, 16,
		},
		{
			"slices lost while looks fail", `
			0 slices a=active
			0 view a=new
			1 lost
			12 back
			20 view a=new
			24 view a=new
			25 lost
			27 view b=new
			40 view a=new`, 50,
		},
		{
			"changes that nobody followed", `
			0 slices a=active
			0 view a=new
			1 view a=new
			2 slices a=active b=active
			2.5 slices a=active b=active c=active
			3 slices a=active b=active`, 4,
		},
		{
			"failures that were to be expected", `
			0 slices a=active
			0 view a=new
			0 answer a
			1 slices a=terminating
			2 failed refused
			3 failed reset a
			9 failed refused
			10 slices a=active
			11 failed refused
			20 answer a
			21 failed unidentified
			22 unidentified`, 23,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			golden(t, strings.ReplaceAll(c.name, " ", "-"), story(t, c.story).Report(sec(c.until)))
		})
	}
}

// A report lists so much and no more, and says how much it leaves out.
func TestLongReportsAreCut(t *testing.T) {
	l := NewLog(Options{Consumers: []string{"consumer"}, Probes: []string{"probe", "other probe"}})
	const more = 7
	address := func(i int) netip.AddrPort { return key(t, fmt.Sprintf("10.0.%d.%d:80", i/250, i%250)) }
	standings := map[netip.AddrPort]Standing{}
	for i := range maxAddresses + more {
		standings[address(i)] = Active
		l.Answered(0, Answer{Began: sec(1), Ended: sec(1), From: address(i)})
	}
	l.Slices(Slices{At: sec(0), Standings: standings})
	for i := range maxListed + more {
		l.Answered(0, Answer{Began: sec(7), Ended: sec(7), From: address(10_000 + i)})
	}
	// The consumer has another address than the slices, each time, and follows.
	for i := range maxListed + more {
		at := float64(10 + 4*i)
		l.Slices(Slices{At: sec(at), Standings: map[netip.AddrPort]Standing{address(i % 2): Active}})
		l.Viewed(0, View{At: sec(at + 1), Members: []Member{{Address: address((i + 1) % 2), Use: New}}})
		l.Viewed(0, View{At: sec(at + 2), Members: []Member{{Address: address(i % 2), Use: New}}})
		l.SlicesLost(sec(at+2.5), "gone")
		l.SlicesBack(sec(at + 2.6))
	}
	l.Slices(Slices{At: sec(1000), Standings: standings})
	r := l.Report(sec(1000))
	c, p, other := r.Consumers[0], r.Probes[0], r.Probes[1]
	got := map[string][2]int{
		"gaps":         {len(r.Slices.Gaps), 0},
		"differences":  {len(c.Differences), c.DifferencesLeftOut},
		"convergences": {len(c.Convergences), c.ConvergencesLeft},
		"answering":    {len(p.Answering), p.AnsweringLeftOut},
		"used":         {len(p.Used), p.UsedLeftOut},
		"unreached":    {len(other.Unreached), other.UnreachedLeftOut},
	}
	want := map[string][2]int{
		"gaps":         {maxListed, 0},
		"differences":  {maxListed, 2*(maxListed+more) - maxListed},
		"convergences": {maxListed, more - 1}, // the first set is before the first view; no view tells the last two apart
		"answering":    {maxAddresses, more + maxListed + more},
		"used":         {maxListed, more},
		"unreached":    {maxAddresses, more},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("listed and left out (-want +got):\n%s", diff)
	}
}

// An interrupt and another part's findings change what a report says.
func TestInterruptedReport(t *testing.T) {
	for was, want := range map[Outcome]Outcome{Equal: Undetermined, Undetermined: Undetermined, Different: Different} {
		r := &Report{Outcome: was}
		r.Interrupt("it was ended")
		if diff := cmp.Diff(&Report{Outcome: want, Interrupted: true, Reasons: []string{"it was ended"}}, r); diff != "" {
			t.Errorf("%s (-want +got):\n%s", was, diff)
		}
	}
	r := &Report{Outcome: Equal}
	r.Add("part", Equal, "nothing")
	if diff := cmp.Diff(&Report{Outcome: Equal}, r); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
