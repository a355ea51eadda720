package verify

import (
	"cmp"
	"net/netip"
	"slices"
	"time"

	"github.com/slicewright/slicewright/endpointset"
)

// Kind says how a consumer's view differs from what the slices say.
type Kind string

// The kinds.
const (
	// Stale: new connections go to an address that no slice has.
	Stale Kind = "stale"
	// Missing: the slices have an active address, and it gets no new connections.
	Missing Kind = "missing"
	// StillNew: the slices say that an address terminates, and it gets new
	// connections all the same (S12). Where nothing else is left a policy with a
	// fallback makes it active, which is no difference (S10).
	StillNew Kind = "terminating"
	// NotChosen: the slices have the address, the policy or the topology excludes
	// it, and it gets new connections.
	NotChosen Kind = "excluded"
)

// Kinds returns all kinds in the order in which they are documented.
func Kinds() []Kind { return []Kind{Stale, Missing, StillNew, NotChosen} }

// kindOf compares what the slices say of an address with what a consumer does
// with it; "" is no difference. The consumer does not use an address that it
// has and sends nothing to.
func kindOf(s Standing, u Use) Kind {
	switch {
	case u != New && s == Active:
		return Missing
	case u != New || s == Active:
		return ""
	case s == Terminating:
		return StillNew
	case s == Excluded:
		return NotChosen
	}
	return Stale
}

// difference is one address for a time in which a consumer and the slices did
// not agree on it.
type difference struct {
	Kind    Kind
	Address netip.AddrPort // port 0 where the consumer knows none
	// From is when it began: the moment of the slices' change, or of the view
	// that was the first to show it. To is the first moment at which it was known
	// to be over; zero while it goes on.
	From, To time.Time
	// Seen is the last view that shows it. From there back to From is the least
	// that it lasted.
	Seen time.Time
	// Most is the longest that it can have lasted, for all that was not seen.
	Most time.Duration
	// Finding: it lasted longer than a consumer may take to follow.
	Finding bool
	// Undecided: it may have lasted longer, but it was not seen to: it goes on, or
	// the consumer or the slices could not be read in that time.
	Undecided bool
	// Reason is why an excluded address is, Word the consumer's own for its state.
	Reason endpointset.Reason
	Word   string
}

// least is how long it was seen to last.
func (d *difference) least() time.Duration { return d.Seen.Sub(d.From) }

// differences returns all of a consumer: findings first, then by time, kind (what
// does harm before what lacks) and address.
func (l *Log) differences(c *consumer, until time.Time) []difference {
	if len(c.looks) == 0 || l.first.IsZero() {
		return nil
	}
	unknown := l.unknown(c, until)
	var all []difference
	keys := map[netip.AddrPort]bool{}
	for key := range l.standings {
		keys[key] = true
	}
	for key := range c.uses {
		keys[key] = true
	}
	for key := range keys {
		if (key.Port() == 0) == c.addresses {
			all = append(all, l.differencesOf(c, key, unknown, until)...)
		}
	}
	kinds := Kinds()
	slices.SortFunc(all, func(a, b difference) int {
		if a.Finding != b.Finding {
			if a.Finding {
				return -1
			}
			return 1
		}
		return cmp.Or(a.From.Compare(b.From), slices.Index(kinds, a.Kind)-slices.Index(kinds, b.Kind), a.Address.Compare(b.Address))
	})
	return all
}

// unknown are the times for which nothing can be said, sorted and apart: long
// ones in which the consumer or the slices could not be read.
func (l *Log) unknown(c *consumer, until time.Time) []span {
	all := c.gaps(l.options.Settle, until)
	for _, lost := range l.lost {
		if lost.ends(until).Sub(lost.from) > l.options.Settle {
			all = append(all, lost)
		}
	}
	slices.SortFunc(all, func(a, b span) int { return a.from.Compare(b.from) })
	var apart []span
	for _, s := range all {
		s.to = s.ends(until)
		if n := len(apart); n > 0 && !s.from.After(apart[n-1].to) {
			if s.to.After(apart[n-1].to) {
				apart[n-1].to = s.to
			}
			continue
		}
		apart = append(apart, s)
	}
	return apart
}

// run is a time in which an address differed in one way.
type run struct {
	kind     Kind
	from, to time.Time
	// told is set where the slices' change began it, lost where it ends because
	// nothing more is known, open where it goes on.
	told, lost, open bool
}

func (l *Log) differencesOf(c *consumer, key netip.AddrPort, unknown []span, until time.Time) []difference {
	var standing track[said]
	if t := l.standings[key]; t != nil {
		standing = *t
	}
	var use track[Use]
	if t := c.uses[key]; t != nil {
		use = *t
	}
	var found []difference
	for _, r := range l.runs(c, standing, use, unknown, until) {
		if d, ok := l.difference(c, r, until); ok {
			d.Address, d.Word = key, c.words[key]
			if d.Kind == NotChosen {
				d.Reason = standing.at(d.From).reason
			}
			found = append(found, d)
		}
	}
	return found
}

// runs cuts the time between the first view and until at every moment at which
// something about an address changes, and puts equal neighbours together.
func (l *Log) runs(c *consumer, standing track[said], use track[Use], unknown []span, until time.Time) []run {
	begin := c.looks[0]
	if l.first.After(begin) {
		begin = l.first
	}
	cuts := []time.Time{begin}
	note := func(at time.Time) {
		if at.After(begin) && !at.After(until) {
			cuts = append(cuts, at)
		}
	}
	for _, s := range standing {
		note(s.at)
	}
	for _, s := range use {
		note(s.at)
	}
	for _, s := range unknown {
		note(s.from)
		note(s.to)
	}
	slices.SortFunc(cuts, time.Time.Compare)
	cuts = slices.CompactFunc(cuts, time.Time.Equal)

	var runs []run
	var now *run
	for _, at := range cuts {
		blind := within(unknown, at)
		var kind Kind
		if !blind {
			kind = kindOf(standing.at(at).standing, use.at(at))
		}
		if now != nil && now.kind != kind {
			now.to, now.lost = at, blind
			runs, now = append(runs, *now), nil
		}
		if kind != "" && now == nil {
			i := standing.last(at)
			now = &run{kind: kind, from: at, told: i >= 0 && standing[i].at.Equal(at)}
		}
	}
	if now != nil {
		now.to, now.open = until, true
		runs = append(runs, *now)
	}
	return runs
}

// within reports whether a moment is in one of the spans; their beginning is,
// their end is not.
func within(spans []span, at time.Time) bool {
	for _, s := range spans {
		if !at.Before(s.from) && at.Before(s.to) {
			return true
		}
	}
	return false
}

// difference says how long a run was seen and can have been. A run that no view
// shows was not seen at all: the slices changed twice between two views.
func (l *Log) difference(c *consumer, r run, until time.Time) (difference, bool) {
	first := before(c.looks, r.from) // index of the first look that is not before
	last := before(c.looks, r.to) - 1
	if (r.lost || r.open) && last+1 < len(c.looks) && c.looks[last+1].Equal(r.to) {
		last++
	}
	if last < first {
		return difference{}, false
	}
	d := difference{Kind: r.kind, From: r.from, Seen: c.looks[last], To: r.to}
	if r.open || r.lost {
		d.To = time.Time{}
	}
	earliest := r.from
	if !r.told && first > 0 {
		earliest = c.looks[first-1]
	}
	d.Most = r.to.Sub(earliest)
	d.Finding = d.least() > l.options.Settle
	if !d.Finding {
		d.Undecided = r.open || r.lost || d.Most > l.options.Settle && l.blind(c, earliest, r.to, until)
	}
	return d, true
}

// blind reports whether the consumer or the slices could not be read at some
// time between two moments.
func (l *Log) blind(c *consumer, from, to, until time.Time) bool {
	if i := before(c.bad, from); i < len(c.bad) && !c.bad[i].After(to) {
		return true
	}
	return slices.ContainsFunc(l.lost, func(s span) bool { return !s.from.After(to) && !s.ends(until).Before(from) })
}

// before counts the moments of a sorted list that are before at.
func before(moments []time.Time, at time.Time) int {
	n, _ := slices.BinarySearchFunc(moments, at, time.Time.Compare)
	return n
}
