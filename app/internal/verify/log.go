package verify

import (
	"net/netip"
	"time"

	"github.com/slicewright/slicewright/endpointset"
)

// DefaultSettle is how long a consumer may take to follow a change before a
// difference is a finding: longer than a controller, a publisher and a reload
// together need on a cluster that is not overloaded.
const DefaultSettle = 5 * time.Second

// Options say what is verified, and how strictly.
type Options struct {
	Service endpointset.ServiceKey
	// Port is the port name that was chosen, for the report alone: the selections
	// given must be of that port already.
	Port   string
	Policy endpointset.Policy
	// Settle is how long a difference may last before it is a finding; 0 is
	// DefaultSettle.
	Settle time.Duration
	// Consumers and Probes are what the report calls them. Facts name them by
	// their index.
	Consumers, Probes []string
}

// Log takes in what was seen of slices, consumers and answers, and judges it.
//
// It has no clock: every fact has its moment. The facts of one source must come
// in the order of their moments, and what the slices said up to a moment must
// come before the views and answers of that moment; the order between consumers
// and probes does not matter. Of one moment, what the slices say counts as
// earlier than what a consumer was seen to have.
//
// It is not safe for concurrent use. Memory grows with what changes and with the
// number of answers, by about 150 bytes for each.
type Log struct {
	options   Options
	standings map[netip.AddrPort]*track[said]
	active    track[int]
	known     track[bool]
	lost      []span
	changes   []time.Time // when the set of active addresses changed
	first     time.Time   // when the slices were first known
	latest    Slices
	consumers []*consumer
	probes    []*probed
}

// NewLog returns a log that has seen nothing.
func NewLog(options Options) *Log {
	if options.Settle == 0 {
		options.Settle = DefaultSettle
	}
	l := &Log{options: options, standings: map[netip.AddrPort]*track[said]{}}
	for range options.Consumers {
		l.consumers = append(l.consumers, newConsumer())
	}
	for range options.Probes {
		l.probes = append(l.probes, &probed{})
	}
	return l
}

// Slices takes in what the slices say from a moment on. It ends a time in which
// they could not be read.
func (l *Log) Slices(s Slices) {
	now := make(map[netip.AddrPort]said, len(s.Standings))
	for key, standing := range s.Standings {
		now[unmapped(key)] = said{standing, s.Reasons[key]}
	}
	byAddress(now, func(a, b said) bool { return a.standing < b.standing })
	if l.first.IsZero() {
		l.first = s.At
	} else if l.activeChanged(now) {
		l.changes = append(l.changes, s.At)
	}
	active := 0
	for key, is := range now {
		if is.standing == Active && key.Port() != 0 {
			active++
		}
		if l.standings[key] == nil {
			l.standings[key] = new(track[said])
		}
		l.standings[key].set(s.At, is)
	}
	for key, t := range l.standings {
		if _, ok := now[key]; !ok {
			t.set(s.At, said{})
		}
	}
	// One more than there are, so that none is a value that was said.
	l.active.set(s.At, active+1)
	l.latest = s
	l.SlicesBack(s.At)
}

func (l *Log) activeChanged(now map[netip.AddrPort]said) bool {
	for key, t := range l.standings {
		was := len(*t) > 0 && (*t)[len(*t)-1].value.standing == Active
		if is := now[key].standing == Active; is != was {
			return true
		}
	}
	for key, is := range now {
		if is.standing == Active && l.standings[key] == nil {
			return true
		}
	}
	return false
}

// SlicesLost notes that the slices cannot be read from a moment on. Nothing is
// judged by what they said last (S15 is about what to publish, not about what
// is true).
func (l *Log) SlicesLost(at time.Time, why string) {
	if l.first.IsZero() || !l.known.at(at) {
		return
	}
	l.known.set(at, false)
	l.lost = append(l.lost, span{from: at, why: why})
}

// SlicesBack notes that the slices can be read again and say what they last said.
func (l *Log) SlicesBack(at time.Time) {
	if l.first.IsZero() || l.known.at(at) {
		return
	}
	l.known.set(at, true)
	if n := len(l.lost); n > 0 && l.lost[n-1].to.IsZero() {
		l.lost[n-1].to = at
	}
}

// Viewed takes in what a consumer has.
func (l *Log) Viewed(consumer int, v View) {
	c := l.consumers[consumer]
	for _, o := range c.counter.Add(v) {
		// What went to an active address needs no judgement, and is most of it.
		if !l.wasActive(o.Address, o.After, o.Until) {
			c.opened = append(c.opened, o)
		}
	}
	c.viewed(v)
}

// ViewFailed notes that a consumer did not say what it has.
func (l *Log) ViewFailed(consumer int, at time.Time, err error) {
	l.consumers[consumer].failed(at, err)
}

// Answered takes in what became of a request.
func (l *Log) Answered(probe int, a Answer) {
	a.From, a.Name = unmapped(a.From), "" // there are many: only what is judged is kept
	l.probes[probe].answers = append(l.probes[probe].answers, a)
}

// track returns what the slices said of an address over time.
func (l *Log) track(key netip.AddrPort) track[said] {
	if t := l.standings[key]; t != nil {
		return *t
	}
	return nil
}

func (l *Log) wasActive(key netip.AddrPort, from, to time.Time) bool {
	return l.track(key).within(from, to, func(s said) bool { return s.standing == Active })
}

// Left returns when an address stopped being active after a moment; zero if it
// did not, or if it was not active then.
func (l *Log) Left(address netip.AddrPort, after time.Time) time.Time {
	t := l.track(unmapped(address))
	i := max(0, t.last(after))
	for active := false; i < len(t); i++ {
		if t[i].value.standing == Active {
			active = true
		} else if active {
			return t[i].at
		}
	}
	return time.Time{}
}
