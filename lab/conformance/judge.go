package conformance

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Verdict is what a cell of the table says.
type Verdict string

// The verdicts.
const (
	// Expected: after every step exactly the addresses that the promise means.
	Expected Verdict = "expected"
	// KnownDifference: as promised, where the promise is another than "ready"; or
	// a difference that the consumer's file names.
	KnownDifference Verdict = "known difference"
	// Breaks: not what the consumer promises.
	Breaks Verdict = "breaks"
	// NotRun: the consumer could not be run or looked at.
	NotRun Verdict = "not run"
	// NotApplicable: the scenario has nothing that the consumer could follow.
	NotApplicable Verdict = "not applicable"
)

// Observation is what a consumer did after a step, for one Service.
type Observation struct {
	// Step counts from 1.
	Step    int    `json:"step"`
	Service string `json:"service"`
	// Want, Seen and View are sets as scenarios write them. Seen are the addresses
	// that answered new connections, "" for a consumer that nobody connects
	// through; View what the consumer says it has, "" if it says nothing.
	Want string `json:"want"`
	Seen string `json:"seen,omitempty"`
	View string `json:"view,omitempty"`
	// Rule is the one that Want follows.
	Rule string `json:"rule"`
	// Ready is what the policy "ready" wants, where that is something else.
	Ready string `json:"ready,omitempty"`
	// Requests and Failed count the last round of new connections.
	Requests int            `json:"requests,omitempty"`
	Failed   int            `json:"failed,omitempty"`
	Failures map[string]int `json:"failures,omitempty"`
	// ViewUnknown says why the view could not be read of a consumer that was
	// judged by who answered, Unknown why there was nothing to judge by.
	ViewUnknown string `json:"viewUnknown,omitempty"`
	Unknown     string `json:"unknown,omitempty"`
	OK          bool   `json:"ok"`
}

// matches reports whether got is want. Where got knows no ports, the addresses
// alone are compared.
func matches(want, got []netip.AddrPort) bool {
	missing, extra := differ(want, got)
	return len(missing) == 0 && len(extra) == 0
}

// differ returns what of want is not in got, and what of got is not in want.
func differ(want, got []netip.AddrPort) (missing, extra []netip.AddrPort) {
	if slices.ContainsFunc(got, func(a netip.AddrPort) bool { return a.Port() == 0 }) {
		want, got = withoutPorts(want), withoutPorts(got)
	}
	return without(want, got), without(got, want)
}

func without(all, these []netip.AddrPort) []netip.AddrPort {
	return slices.DeleteFunc(slices.Clone(all), func(a netip.AddrPort) bool {
		_, found := slices.BinarySearchFunc(these, a, netip.AddrPort.Compare)
		return found
	})
}

func withoutPorts(all []netip.AddrPort) []netip.AddrPort {
	plain := make([]netip.AddrPort, len(all))
	for i, a := range all {
		plain[i] = netip.AddrPortFrom(a.Addr(), 0)
	}
	return inOrder(plain)
}

// Cell is what one consumer did in one scenario.
type Cell struct {
	Scenario string  `json:"scenario"`
	Consumer string  `json:"consumer"`
	Verdict  Verdict `json:"verdict"`
	// Rule is the one that is broken, or that the difference is about.
	Rule string `json:"rule,omitempty"`
	// Step is the first one that broke, from 1; 0 if none did.
	Step int    `json:"step,omitempty"`
	Note string `json:"note,omitempty"`
	// Plays counts how often the scenario was played, Broken how often it broke.
	Plays  int `json:"plays"`
	Broken int `json:"broken,omitempty"`
	// RestartHeals says whether a restart of the consumer at the step that broke
	// made it right: "yes", "no", "" if that was not tried.
	RestartHeals string        `json:"restartHeals,omitempty"`
	Observations []Observation `json:"observations,omitempty"`
}

// judge makes a cell of one play.
func judge(c *Consumer, scenario string, observations []Observation) Cell {
	cell := Cell{Scenario: scenario, Consumer: c.Name, Verdict: Expected, Plays: 1, Observations: observations}
	for _, o := range observations {
		switch {
		case o.Unknown != "":
			cell.Verdict, cell.Note, cell.Step = NotRun, o.Unknown, o.Step
			return cell
		case !o.OK:
			cell.Verdict, cell.Rule, cell.Step, cell.Broken = Breaks, o.Rule, o.Step, 1
			return c.known(cell)
		case o.Ready != "" && cell.Verdict == Expected:
			cell.Verdict, cell.Rule = KnownDifference, o.Rule
		}
	}
	return cell
}

// known turns a break into a known difference if the consumer's file names it.
func (c *Consumer) known(cell Cell) Cell {
	for _, d := range c.Differences {
		if d.Scenario == cell.Scenario {
			cell.Verdict, cell.Rule, cell.Note = KnownDifference, d.Rule, d.Why
			return cell
		}
	}
	return cell
}

// Summary says what was seen, in words.
func (o Observation) Summary() string {
	if o.Unknown != "" {
		return "unknown: " + o.Unknown
	}
	var parts []string
	if o.Seen != "" {
		parts = append(parts, o.Seen)
	}
	if o.View != "" && o.View != o.Seen {
		parts = append(parts, "its own view is "+o.View)
	}
	if o.ViewUnknown != "" {
		parts = append(parts, "its own view cannot be read: "+o.ViewUnknown)
	}
	if o.Failed > 0 && o.Want != none {
		parts = append(parts, fmt.Sprintf("%d of %d requests failed", o.Failed, o.Requests))
	}
	return strings.Join(parts, "; ")
}
