package verify

import (
	"cmp"
	"net/netip"
	"slices"
	"time"

	"github.com/slicewright/slicewright/endpointset"
)

// UseKind says what was wrong with an address that was connected to.
type UseKind string

// The kinds of use.
const (
	// UsedAfterLeft: no slice had it any more.
	UsedAfterLeft UseKind = "used-after-left"
	// UsedWhileTerminating: the slices said that it terminates (S12).
	UsedWhileTerminating UseKind = "used-while-terminating"
	// UsedWhileExcluded: the policy or the topology excluded it.
	UsedWhileExcluded UseKind = "used-while-excluded"
	// UsedUnlisted: no slice had it since the verification began.
	UsedUnlisted UseKind = "used-unlisted"
)

// useKinds returns all kinds of use in the order in which they are documented.
func useKinds() []UseKind {
	return []UseKind{UsedAfterLeft, UsedWhileTerminating, UsedWhileExcluded, UsedUnlisted}
}

// usedAddress is new connections to an address that was not active when they were made.
type usedAddress struct {
	Kind    UseKind
	Address netip.AddrPort
	// Count is how many there were; First and Last are when they were opened,
	// as far as that is known.
	Count       int64
	First, Last time.Time
	// Since is when the address stopped being active. For an address that never
	// was active it is when the slices began to say what they say about it.
	Since time.Time
	// Late is the longest time from there to a connection. It is a finding if it
	// is longer than a consumer may take to follow.
	Late    time.Duration
	Finding bool
	Reason  endpointset.Reason
	// AfterLeft is the longest time from when the last slice dropped the address
	// to a connection; 0 for the other kinds.
	AfterLeft time.Duration
}

// judgedUse is what one connection was.
type judgedUse struct {
	// fine: the address was active at some time while the connection was made.
	fine bool
	// early: it was not yet, and became it soon after: the consumer was told
	// before this one.
	early bool
	// unjudged: the slices could not be read then.
	unjudged bool

	kind   UseKind
	since  time.Time
	late   time.Duration
	left   time.Duration
	reason endpointset.Reason
}

// judge says what a connection to an address was that was opened in a time. How
// late it was is counted from the beginning of that time.
func (l *Log) judge(key netip.AddrPort, from, to time.Time) judgedUse {
	if l.known.within(from, to, func(known bool) bool { return !known }) {
		return judgedUse{unjudged: true}
	}
	active := func(s said) bool { return s.standing == Active }
	t := l.track(key)
	switch {
	case t.within(from, to, active):
		return judgedUse{fine: true}
	case t.within(to, to.Add(l.options.Settle), active):
		return judgedUse{early: true}
	}
	i := t.last(from)
	u := judgedUse{since: l.first}
	now := t.at(from)
	switch now.standing {
	case Terminating:
		u.kind = UsedWhileTerminating
	case Excluded:
		u.kind, u.reason = UsedWhileExcluded, now.reason
	default:
		u.kind = UsedUnlisted
		if i > 0 {
			u.kind, u.left = UsedAfterLeft, from.Sub(t[i].at)
		}
	}
	for ; i >= 0; i-- {
		u.since = t[i].at
		if i > 0 && active(t[i-1].value) {
			break
		}
	}
	u.late = from.Sub(u.since)
	return u
}

// uses puts judged connections together, by address and kind.
type uses map[useKey]*usedAddress

type useKey struct {
	address netip.AddrPort
	kind    UseKind
}

func (m uses) add(address netip.AddrPort, u judgedUse, count int64, first, last time.Time, settle time.Duration) {
	key := useKey{address, u.kind}
	used := m[key]
	if used == nil {
		used = &usedAddress{Kind: u.kind, Address: address, First: first, Last: last, Late: -1}
		m[key] = used
	}
	used.Count += count
	if first.Before(used.First) {
		used.First = first
	}
	if last.After(used.Last) {
		used.Last = last
	}
	if u.late > used.Late {
		used.Late, used.Since, used.Reason = u.late, u.since, u.reason
	}
	used.AfterLeft = max(used.AfterLeft, u.left)
	used.Finding = used.Late > settle
}

// sorted returns findings first, then by address and kind.
func (m uses) sorted() []usedAddress {
	all := make([]usedAddress, 0, len(m))
	for _, used := range m {
		all = append(all, *used)
	}
	slices.SortFunc(all, func(a, b usedAddress) int {
		if a.Finding != b.Finding {
			if a.Finding {
				return -1
			}
			return 1
		}
		return cmp.Or(a.Address.Compare(b.Address), cmp.Compare(a.Kind, b.Kind))
	})
	return all
}

// connections judges what a consumer opened by its own count.
func (l *Log) connections(c *consumer) []usedAddress {
	found := uses{}
	for _, o := range c.opened {
		if u := l.judge(o.Address, o.After, o.Until); !u.fine && !u.early && !u.unjudged {
			found.add(o.Address, u, o.Count, o.After, o.Until, l.options.Settle)
		}
	}
	return found.sorted()
}
