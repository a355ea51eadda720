package verify

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/slicewright/slicewright/endpointset"
)

// fact is one fact of a drawn history.
type fact struct {
	at   float64
	tell func(*Log)
	// source is 0 for the slices, then one for each consumer and probe.
	source int
}

// history draws what slices said, on a clock of half seconds, so that things
// happen at the same moment often.
func drawSlices(t *rapid.T) []Slices {
	var all []Slices
	at := 0.0
	for range rapid.IntRange(1, 8).Draw(t, "changes") {
		s := Slices{At: sec(at), Standings: map[netip.AddrPort]Standing{}, Reasons: map[netip.AddrPort]endpointset.Reason{}}
		for i := range 4 {
			if standing := rapid.SampledFrom([]Standing{Absent, Active, Active, Terminating, Excluded}).Draw(t, "standing"); standing != Absent {
				s.Standings[netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}), 80)] = standing
			}
		}
		all = append(all, s)
		at += float64(rapid.IntRange(1, 12).Draw(t, "pause")) / 2
	}
	return all
}

// at returns what the slices said at a moment.
func at(all []Slices, moment time.Time) Slices {
	now := all[0]
	for _, s := range all {
		if !s.At.After(moment) {
			now = s
		}
	}
	return now
}

func drawMoments(t *rapid.T) []float64 {
	var moments []float64
	now := float64(rapid.IntRange(0, 4).Draw(t, "first")) / 2
	for range rapid.IntRange(1, 20).Draw(t, "looks") {
		moments = append(moments, now)
		now += float64(rapid.IntRange(1, 6).Draw(t, "pause")) / 2
	}
	return moments
}

func drawView(t *rapid.T, moment time.Time) View {
	v := View{At: moment}
	for i := range 4 {
		use := Use(rapid.IntRange(0, 3).Draw(t, "use"))
		if use != 0 {
			v.Members = append(v.Members, Member{
				Address: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}), 80), Use: use, Total: Unknown, Open: Unknown,
			})
		}
	}
	return v
}

// feed adds facts in the order of their moments; of one moment the slices first.
func feed(l *Log, facts []fact) {
	slices.SortStableFunc(facts, func(a, b fact) int {
		switch {
		case a.at < b.at || a.at == b.at && a.source == 0 && b.source != 0:
			return -1
		case a.at > b.at || a.at == b.at && a.source != 0 && b.source == 0:
			return 1
		}
		return 0
	})
	for _, f := range facts {
		f.tell(l)
	}
}

func sliceFacts(all []Slices) []fact {
	var facts []fact
	for _, s := range all {
		facts = append(facts, fact{at: s.At.Sub(zero).Seconds(), tell: func(l *Log) { l.Slices(s) }})
	}
	return facts
}

// A consumer that has at every look what the slices say then is equal, whatever
// the slices do, and even where they change at the moment of a look.
func TestLawAConsumerThatFollowsIsEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		said := drawSlices(t)
		facts := sliceFacts(said)
		addresses := rapid.Bool().Draw(t, "addresses alone")
		last := 0.0
		for _, moment := range drawMoments(t) {
			v := View{At: sec(moment)}
			if !v.At.Before(said[0].At) {
				for key, standing := range at(said, v.At).Standings {
					if addresses {
						key = netip.AddrPortFrom(key.Addr(), 0)
					}
					m := Member{Address: key, Use: Idle, Total: Unknown}
					if standing == Active {
						m.Use = New
					}
					v.Members = append(v.Members, m)
				}
			}
			facts = append(facts, fact{at: moment, source: 1, tell: func(l *Log) { l.Viewed(0, v) }})
			for key, standing := range at(said, v.At).Standings {
				if standing == Active {
					a := Answer{Began: v.At, Ended: v.At.Add(time.Second / 4), From: key}
					facts = append(facts, fact{at: moment, source: 2, tell: func(l *Log) { l.Answered(0, a) }})
				}
			}
			last = moment
		}
		l := NewLog(Options{Consumers: []string{"c"}, Probes: []string{"p"}})
		feed(l, facts)
		r := l.Report(sec(last))
		if len(r.Consumers[0].Differences) > 0 || r.Consumers[0].Outcome != Equal {
			t.Errorf("%s: %s, %+v", r.Consumers[0].Outcome, r.Consumers[0].Reason, r.Consumers[0].Differences)
		}
		if r.Probes[0].Outcome == Different || len(r.Probes[0].Used) > 0 {
			t.Errorf("%s: %s", r.Probes[0].Outcome, r.Probes[0].Reason)
		}
	})
}

// At every look the differences are those that a plain comparison of that moment
// gives: nothing is merged away and nothing is made up.
func TestLawDifferencesAreThoseOfEveryLook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		said := drawSlices(t)
		facts := sliceFacts(said)
		var views []View
		for _, moment := range drawMoments(t) {
			v := drawView(t, sec(moment))
			views = append(views, v)
			facts = append(facts, fact{at: moment, source: 1, tell: func(l *Log) { l.Viewed(0, v) }})
		}
		until := views[len(views)-1].At.Add(time.Second)
		l := NewLog(Options{Consumers: []string{"c"}, Settle: 5 * time.Second})
		feed(l, facts)
		got := map[string]bool{}
		for _, d := range l.differences(l.consumers[0], until) {
			if d.least() < 0 || d.Most < d.least() || d.Finding != (d.least() > 5*time.Second) {
				t.Errorf("%+v", d)
			}
			for _, v := range views {
				if !v.At.Before(d.From) && !v.At.After(d.Seen) {
					line := fmt.Sprint(v.At, d.Address, d.Kind)
					if got[line] {
						t.Errorf("%s twice", line)
					}
					got[line] = true
				}
			}
		}
		want := map[string]bool{}
		for _, v := range views {
			if v.At.Before(said[0].At) {
				continue
			}
			uses := map[netip.AddrPort]Use{}
			for _, m := range v.Members {
				uses[m.Address] = m.Use
			}
			for i := range 4 {
				key := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}), 80)
				if kind := kindOf(at(said, v.At).Standings[key], uses[key]); kind != "" {
					want[fmt.Sprint(v.At, key, kind)] = true
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// Which of two consumers or probes was heard first at a moment changes nothing.
func TestLawOrderBetweenSourcesDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		facts := sliceFacts(drawSlices(t))
		for source := range 2 {
			for _, moment := range drawMoments(t) {
				v := drawView(t, sec(moment))
				bad := rapid.IntRange(0, 9).Draw(t, "bad") == 0
				facts = append(facts, fact{at: moment, source: 1 + source, tell: func(l *Log) {
					if bad {
						l.ViewFailed(source, v.At, errors.New("no"))
						return
					}
					l.Viewed(source, v)
				}})
			}
			for _, moment := range drawMoments(t) {
				a := Answer{Began: sec(moment), Ended: sec(moment + 0.5), From: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(rapid.IntRange(0, 5).Draw(t, "who"))}), 80)}
				if rapid.IntRange(0, 5).Draw(t, "fails") == 0 {
					a.From, a.Failure = netip.AddrPort{}, Reset
				}
				facts = append(facts, fact{at: moment + 0.5, source: 3 + source, tell: func(l *Log) { l.Answered(source, a) }})
			}
		}
		report := func(facts []fact) *Report {
			l := NewLog(Options{Consumers: []string{"c", "d"}, Probes: []string{"p", "q"}})
			feed(l, facts)
			return l.Report(sec(60))
		}
		one := report(slices.Clone(facts))
		// The same facts with the sources in the other order; of one source's own
		// facts the order stays.
		slices.SortStableFunc(facts, func(a, b fact) int { return b.source - a.source })
		if diff := cmp.Diff(one, report(facts), cmp.AllowUnexported(ProbeReport{}, ConsumerReport{})); diff != "" {
			t.Errorf("(-one +other):\n%s", diff)
		}
	})
}
