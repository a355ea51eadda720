package conformance

import (
	"net/netip"
	"testing"
)

func TestVerdicts(t *testing.T) {
	c := &Consumer{Name: "mine", Differences: []Difference{{Scenario: "ghost", Rule: "S6", Why: "its authors mean it"}}}
	good := Observation{Step: 1, Want: "1", Seen: "1", Rule: "S1", OK: true}
	otherwise := Observation{Step: 2, Want: "1-2", Seen: "1-2", Rule: "S10", Ready: "none", OK: true}
	bad := Observation{Step: 3, Want: "1", Seen: "1-2", Rule: "S7"}
	unknown := Observation{Step: 1, Unknown: "no answer"}
	for _, test := range []struct {
		name, scenario string
		observations   []Observation
		want           Verdict
		rule           string
		step           int
	}{
		{"all right", "x", []Observation{good, good}, Expected, "", 0},
		{"as promised, where ready is something else", "x", []Observation{good, otherwise}, KnownDifference, "S10", 0},
		{"wrong", "x", []Observation{good, otherwise, bad}, Breaks, "S7", 3},
		{"wrong, and its file says why", "ghost", []Observation{good, bad}, KnownDifference, "S6", 3},
		{"not to be looked at", "x", []Observation{unknown, bad}, NotRun, "", 1},
		{"not to be looked at is no known difference", "ghost", []Observation{unknown}, NotRun, "", 1},
	} {
		cell := judge(c, test.scenario, test.observations)
		if cell.Verdict != test.want || cell.Rule != test.rule || cell.Step != test.step {
			t.Errorf("%s: %s %s at step %d", test.name, cell.Verdict, cell.Rule, cell.Step)
		}
	}
}

func TestRepeatedPlaysAreCounted(t *testing.T) {
	broke := Cell{Verdict: Breaks, Rule: "S7", Plays: 1, Broken: 1}
	held := Cell{Verdict: Expected, Plays: 1, RestartHeals: "yes"}
	got := merge(merge(merge(Cell{}, broke), held), broke)
	if got.Verdict != Breaks || got.Plays != 3 || got.Broken != 2 || got.RestartHeals != "yes" {
		t.Errorf("got %+v", got)
	}
}

func TestDifferencesAreByAddressWhereNoPortIsKnown(t *testing.T) {
	b := block{number: 1}
	set := func(text string) (all []netip.AddrPort) {
		all, err := b.set(text)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	for _, test := range []struct {
		want, got string
		same      bool
	}{
		{"1-3", "1-3", true},
		{"1-3", "1-2", false},
		{"1-2", "1-3", false},
		{"none", "1", false},
		{"1", "none", false},
		{"1,2@9090", "1,2", false},
		{"1,2@9090", "1@0,2@0", true},
		{"1,1@9090", "1@0", true},
		{"1,3@9090", "1@0,2@0", false},
	} {
		if got := matches(set(test.want), set(test.got)); got != test.same {
			t.Errorf("%s and %s: %v", test.want, test.got, got)
		}
	}
}
