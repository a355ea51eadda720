package shadow

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func judged(c Comparison) Verdict { return Verdict{Judged: true, Still: true, Comparison: c} }

func TestAHistoryRemembersADifference(t *testing.T) {
	expected := Comparison{Differences: []Difference{{Class: Terminating}}}
	tests := []struct {
		name     string
		verdicts []Verdict
		want     Outcome
		resolved bool
		summary  string
	}{
		{"nothing was judged", nil, Unknown, false, "too short"},
		{"a verdict that is none", []Verdict{{}}, Unknown, false, "too short"},
		{"equal", []Verdict{judged(Comparison{})}, Equal, false, ""},
		{"an expected difference", []Verdict{judged(expected)}, Equal, false, "1 terminating"},
		{"different", []Verdict{judged(Comparison{}), judged(differing("10.0.0.1"))}, Different, false, "1 endpoints-behind"},
		{
			"different and equal again",
			[]Verdict{judged(differing("10.0.0.1")), judged(Comparison{})},
			Different, true,
			"1 endpoints-behind (no more: it differed in 1 of 2 judgements)",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var h History
			for i, v := range tt.verdicts {
				h.Add(at(i), v)
			}
			r := h.Report(prices, "too short")
			if r.Outcome != tt.want || r.Resolved != tt.resolved || r.Summary() != tt.summary {
				t.Errorf("%s, resolved %t, %q; want %s, %t, %q", r.Outcome, r.Resolved, r.Summary(), tt.want, tt.resolved, tt.summary)
			}
		})
	}
}

func TestAReportIsWhatItsWorstServiceIs(t *testing.T) {
	part := func(o Outcome) ServiceReport { return ServiceReport{Outcome: o} }
	for _, tt := range []struct {
		parts []ServiceReport
		want  Outcome
	}{
		{nil, Unknown},
		{[]ServiceReport{part(Equal)}, Equal},
		{[]ServiceReport{part(Equal), part(Unknown)}, Unknown},
		{[]ServiceReport{part(Different), part(Unknown), part(Equal)}, Different},
	} {
		if r := NewReport(at(0), at(1), time.Second, tt.parts, nil); r.Outcome != tt.want {
			t.Errorf("%v: %s, want %s", tt.parts, r.Outcome, tt.want)
		}
	}
}

// What is to look at is never left out for what is expected, and the counts are
// of all.
func TestALongReportIsCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		expected, others := rapid.IntRange(0, 150).Draw(t, "expected"), rapid.IntRange(0, 150).Draw(t, "others")
		c := differing(many(expected + others)...)
		for i := range expected {
			c.Differences[i].Class = Terminating
		}
		var h History
		h.Add(at(0), judged(c))
		r := h.Report(prices, "")
		shown := 0
		for _, d := range r.Differences {
			if !d.Expected {
				shown++
			}
		}
		if shown != min(others, maxDifferences) || len(r.Differences)+r.LeftOut != expected+others || len(r.Differences) > maxDifferences {
			t.Fatalf("of %d and %d: %d shown, %d to look at, %d left out", expected, others, len(r.Differences), shown, r.LeftOut)
		}
		if r.Classes[Terminating] != expected || r.Classes[EndpointsBehind] != others {
			t.Fatalf("of %d and %d: counted %v", expected, others, r.Classes)
		}
	})
}
