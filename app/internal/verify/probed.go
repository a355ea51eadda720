package verify

import (
	"cmp"
	"net/netip"
	"slices"
	"time"
)

// probed is what came of one prober's requests.
type probed struct{ answers []Answer }

// lostRequests is the requests that failed in one way.
type lostRequests struct {
	Failure Failure
	// Count is how many were lost though somebody was there to answer, and
	// Expected how many failed while the slices had nobody active, or had not had
	// for longer than a consumer may take to follow.
	Count, Expected int64
	// First and Last are when those began that count as lost, or else those that
	// were expected; Detail is what the last one said.
	First, Last time.Time
	Detail      string
}

// answeringAddress is how often one address answered.
type answeringAddress struct {
	Address     netip.AddrPort
	Count       int64
	First, Last time.Time
}

// probing is the judgement of one prober's answers.
type probing struct {
	requests, identified, unidentified, early, unjudged int64
	lost                                                []lostRequests
	answering                                           []answeringAddress
	used                                                []usedAddress
	// good are when the last requests began, as far back as all were answered as
	// they should be, though not more than maxGood of them.
	good []time.Time
}

// maxGood bounds what is kept to tell whether all has settled.
const maxGood = 4096

func (l *Log) probing(p *probed) probing {
	r := probing{requests: int64(len(p.answers))}
	lost := map[Failure]*lostRequests{}
	answering := map[netip.AddrPort]*answeringAddress{}
	found := uses{}
	for i := range p.answers {
		a := &p.answers[i]
		bad := false
		switch {
		case a.Failure == Unidentified || a.Failure == "" && !a.From.IsValid():
			r.unidentified++
			bad = true
		case a.Failure != "":
			bad = !l.failed(lost, a)
		default:
			r.identified++
		}
		// A backend that answers with an error was connected to all the same.
		if a.From.IsValid() && a.Failure != Unidentified {
			who := answering[a.From]
			if who == nil {
				who = &answeringAddress{Address: a.From, First: a.Began}
				answering[a.From] = who
			}
			who.Count++
			who.First, who.Last = earlier(who.First, a.Began), later(who.Last, a.Began)
			u := l.judge(a.From, a.Began, a.Ended)
			switch {
			case u.unjudged:
				r.unjudged++
				bad = true
			case u.early:
				r.early++
			case !u.fine:
				found.add(a.From, u, 1, a.Began, a.Began, l.options.Settle)
				bad = true
			}
		}
		if r.good = append(r.good, a.Began); bad {
			r.good = r.good[:0]
		} else if len(r.good) == 2*maxGood {
			r.good = append(r.good[:0], r.good[maxGood:]...)
		}
	}
	r.used = found.sorted()
	for _, x := range lost {
		r.lost = append(r.lost, *x)
	}
	slices.SortFunc(r.lost, func(a, b lostRequests) int { return cmp.Compare(a.Failure, b.Failure) })
	for _, who := range answering {
		r.answering = append(r.answering, *who)
	}
	slices.SortFunc(r.answering, func(a, b answeringAddress) int { return a.Address.Compare(b.Address) })
	return r
}

// failed counts a failure and reports whether it was to be expected.
func (l *Log) failed(lost map[Failure]*lostRequests, a *Answer) bool {
	x := lost[a.Failure]
	if x == nil {
		x = &lostRequests{Failure: a.Failure}
		lost[a.Failure] = x
	}
	// 1 means that no address was active, 0 that the slices were not known.
	expected := l.active.within(a.Began.Add(-l.options.Settle), a.Ended, func(n int) bool { return n == 1 })
	counts := !expected || x.Count == 0
	if !expected && x.Count == 0 {
		x.First, x.Last = time.Time{}, time.Time{}
	}
	if counts {
		x.First, x.Last = earlier(x.First, a.Began), later(x.Last, a.Began)
		x.Detail = a.Detail
	}
	if expected {
		x.Expected++
	} else {
		x.Count++
	}
	return expected
}

// earlier and later take a zero time for none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// unreached are the addresses that are active and never answered.
func (l *Log) unreached(r *probing) []netip.AddrPort {
	answered := map[netip.AddrPort]bool{}
	for _, who := range r.answering {
		answered[who.Address] = true
	}
	var none []netip.AddrPort
	for key, standing := range l.latest.Standings {
		key = unmapped(key)
		if standing == Active && !answered[key] && !answered[netip.AddrPortFrom(key.Addr(), 0)] {
			none = append(none, key)
		}
	}
	slices.SortFunc(none, netip.AddrPort.Compare)
	return none
}
