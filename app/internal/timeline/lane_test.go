package timeline_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/app/internal/timeline/timelinetest"
)

// TestLanes: what a lane's spans are, as "from-to conditions of the speaker in
// its slice, ×number of records".
func TestLanes(t *testing.T) {
	tests := []struct {
		name, script string
		want         []string
	}{
		{
			"gone and back is two spans with nothing between", `
			0s slice web-1 10.0.0.1=a:T/T/F
			2s slice web-1
			5s slice web-1 10.0.0.1=a:T/T/F
			9s slice web-9 10.0.0.9:T/T/F`,
			[]string{"0-2 T/T/F web-1", "5-9 T/T/F web-1 open"},
		},
		{
			"a move, gained first: never out of the slices", `
			0s slice web-1 10.0.0.1=a:T/T/F
			2s slice web-2 10.0.0.1=a:T/T/F
			3s slice web-1
			9s slice web-9 10.0.0.9:T/T/F`,
			[]string{"0-2 T/T/F web-1", "2-3 T/T/F web-2 ×2", "3-9 T/T/F web-2 open"},
		},
		{
			"a move, lost first: out for a while", `
			0s slice web-1 10.0.0.1=a:T/T/F
			2s slice web-1
			3s slice web-2 10.0.0.1=a:T/T/F`,
			[]string{"0-2 T/T/F web-1", "3-3 T/T/F web-2 open"},
		},
		{
			"two slices disagree, and a rewrite of the other one changes who speaks (S6)", `
			0s slice web-1 10.0.0.1=a:T/T/F
			1s slice web-2 10.0.0.1=a:F/F/F
			5s slice web-1 10.0.0.1=a:T/T/F 10.0.0.7:T/T/F`,
			[]string{"0-1 T/T/F web-1", "1-5 F/F/F web-2 ×2", "5-5 T/T/F web-1 ×2 open"},
		},
		{
			"a rewrite for another address's sake is nothing", `
			0s slice web-1 10.0.0.1=a:T/T/F
			1s slice web-1 10.0.0.1=a:T/T/F 10.0.0.7:T/T/F`,
			[]string{"0-1 T/T/F web-1 open"},
		},
		{
			"a new Pod on the address of one that still terminates (S6)", `
			0s slice web-1 10.0.0.1=a:F/T/T
			1s slice web-2 10.0.0.1=b:T/T/F
			2s slice web-1 gone`,
			[]string{"0-1 F/T/T web-1", "1-2 T/T/F web-2 ×2", "2-2 T/T/F web-2 open"},
		},
		{
			"twice in one slice", `
			0s slice web-1 10.0.0.1=a:F/F/F 10.0.0.1=b:T/T/F
			1s slice web-1 10.0.0.1=b:T/T/F`,
			[]string{"0-1 T/T/F web-1 ×2", "1-1 T/T/F web-1 open"},
		},
		{
			"absent conditions are kept as absent, and mean what they mean (S4)", `
			0s slice web-1 10.0.0.1=a:-/-/-
			1s slice web-1 10.0.0.1=a:T/T/F`,
			[]string{"0-1 -/-/- web-1", "1-1 T/T/F web-1 open"},
		},
		{
			"the label moves the slice away and back (S1)", `
			0s slice web-1 10.0.0.1=a:T/T/F
			2s slice web-1 of other 10.0.0.1=a:T/T/F
			4s slice web-1 10.0.0.1=a:F/F/F`,
			[]string{"0-2 T/T/F web-1", "4-4 F/F/F web-1 open"},
		},
		{
			"found by a list is not joined", `
			0s slice web-1 10.0.0.7:T/T/F
			3s list slice web-1 10.0.0.7:T/T/F 10.0.0.1=a:T/T/F`,
			[]string{"3-3 T/T/F web-1 before open"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			services := history(timelinetest.MustParse(tt.script)).Services
			i := slices.IndexFunc(services, func(s *timeline.ServiceHistory) bool { return s.Key.Name == "web" })
			if i < 0 {
				t.Fatalf("web is not among %d Services", len(services))
			}
			for _, s := range services[i].Lane("10.0.0.1").Spans {
				got = append(got, spanLine(&s))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("spans (-want +got):\n%s", diff)
			}
		})
	}
}

func spanLine(s *timeline.Span) string {
	line := fmt.Sprintf("%.0f-%.0f %s %s", s.From.Sub(timelinetest.Start).Seconds(), s.To.Sub(timelinetest.Start).Seconds(),
		s.Speaker().Conditions, s.Speaker().Slice)
	if n := len(s.Presences); n > 1 {
		line += fmt.Sprintf(" ×%d", n)
	}
	if s.Before {
		line += " before"
	}
	if s.Open {
		line += " open"
	}
	return line
}

// TestTransitions: the table says what happened in words.
func TestTransitions(t *testing.T) {
	events := timelinetest.MustParse(`
		0s   service web
		0s   pod a 10.0.0.1 unready
		1s   slice web-1 10.0.0.1=a:F/F/F@n1#z1
		2s   pod a ready
		2.5s slice web-1 10.0.0.1=a:T/T/F@n1#z1
		3s   slice web-2 10.0.0.1=a:T/T/F@n1#z1
		4s   slice web-1
		5s   slice web-2 10.0.0.1=b:T/T/F@n2#z1
		6s   pod a deleting 30s
		7s   gap endpointslices 6.5s lost too old
		8s   pod a gone
		9s   slice web-2 gone`)
	want := `00.0 10.0.0.1 Pod added; phase Running; IP 10.0.0.1
00.0 - Service added
01.0 10.0.0.1 joined, not ready
02.0 10.0.0.1 Pod ready
02.5 10.0.0.1 ready
03.0 10.0.0.1 duplicate: in slices web-1,web-2
04.0 10.0.0.1 now in slice web-2 alone
05.0 10.0.0.1 now Pod b, before a; now on node "n2", zone "z1"
06.0 10.0.0.1 deletion asked for at 10:00:06, grace 30s
06.5 - GAP: watch of endpointslices in all namespaces lost for 500ms, changes may be missing: too old
08.0 10.0.0.1 Pod gone
09.0 10.0.0.1 left the slices`
	var got []string
	for _, tr := range timeline.Transitions(history(events)) {
		address := tr.Address
		if address == "" {
			address = "-"
		}
		got = append(got, fmt.Sprintf("%s %s %s", tr.At.Format("05.0"), address, tr.What))
	}
	if diff := cmp.Diff(want, strings.Join(got, "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
