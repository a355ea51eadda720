package timeline

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/slicewright/slicewright/endpointset"
)

// Lane is the history of one address in one Service.
type Lane struct {
	Service endpointset.ServiceKey
	Address string
	// Spans follow each other in time and do not overlap. Between two of them the
	// address was in no slice of the Service.
	Spans []Span

	present map[presenceKey]Endpoint
}

// Span is a time in which nothing about an address changed.
type Span struct {
	From, To time.Time
	// FromClock and ToClock say where the two moments come from.
	FromClock, ToClock Clock
	// Before is true where the span began before the recording or within a lost
	// watch: From is when it was found.
	Before bool
	// Open is true where the span goes on: To is when the recording ended.
	Open bool
	// Presences are the slices' records of the address, sorted by slice; there is
	// at least one.
	Presences []Presence
	// Speaks is the index of the record that speaks for the address (S6).
	Speaks int
}

// Presence is one slice's record of an address.
type Presence struct {
	Slice string
	Endpoint
	// ResourceVersion is the slice's at the beginning of the span.
	ResourceVersion string
	triggered       time.Time
	n               int
}

// presenceKey names a record of an address across slices.
type presenceKey struct {
	Slice endpointset.SliceKey
	Entry EntryKey
}

// Speaker returns the record that speaks for the address (S6).
func (s *Span) Speaker() *Presence { return &s.Presences[s.Speaks] }

// Ready reports whether a new connection would go there under the policy
// "ready": ready and not terminating (S9).
func (s *Span) Ready() bool {
	c := s.Speaker().Effective()
	return c.Ready && !c.Terminating
}

// Names reports whether any record of the span names the target.
func (s *Span) Names(uid string) bool {
	return uid != "" && slices.ContainsFunc(s.Presences, func(p Presence) bool { return p.Target.UID == uid })
}

// At returns the span that holds t, or nil. A span holds its From, not its To.
func (l *Lane) At(t time.Time) *Span {
	i, found := slices.BinarySearchFunc(l.Spans, t, func(s Span, t time.Time) int { return s.From.Compare(t) })
	if found {
		// Spans of no length share their From with the next span; the last span
		// counts.
		for i+1 < len(l.Spans) && l.Spans[i+1].From.Equal(t) {
			i++
		}
	} else {
		i--
	}
	if i < 0 {
		return nil
	}
	if s := &l.Spans[i]; s.Open || t.Before(s.To) || s.From.Equal(t) {
		return s
	}
	return nil
}

// settle brings the spans up to what is present now, and reports whether the
// address's readiness and its existence changed by +1, 0 or -1.
func (l *Lane) settle(ev Event, slice func(endpointset.SliceKey) *Slice) (ready, known int) {
	last := l.open()
	before := last != nil && last.Ready()
	if last != nil {
		known--
	}
	presences := l.presences(slice)
	switch {
	case len(presences) == 0:
		l.close(ev)
	default:
		speaks := speaker(presences)
		known++
		if last != nil && last.Speaks == speaks && samePresences(last.Presences, presences) {
			return 0, known
		}
		l.close(ev)
		l.Spans = append(l.Spans, Span{
			From: ev.At, FromClock: ev.Clock, Before: ev.Op == Listed || ev.Op == Restated, Open: true,
			Presences: presences, Speaks: speaks,
		})
	}
	if before {
		ready--
	}
	if now := l.open(); now != nil && now.Ready() {
		ready++
	}
	return ready, known
}

func (l *Lane) open() *Span {
	if n := len(l.Spans); n > 0 && l.Spans[n-1].Open {
		return &l.Spans[n-1]
	}
	return nil
}

func (l *Lane) close(ev Event) {
	if s := l.open(); s != nil {
		s.To, s.ToClock, s.Open = ev.At, ev.Clock, false
	}
}

func (l *Lane) presences(slice func(endpointset.SliceKey) *Slice) []Presence {
	list := make([]Presence, 0, len(l.present))
	for key, e := range l.present {
		p := Presence{Slice: key.Slice.Name, Endpoint: e, n: key.Entry.N}
		if s := slice(key.Slice); s != nil {
			p.ResourceVersion, p.triggered = s.ResourceVersion, s.Triggered
		}
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b Presence) int {
		return cmp.Or(strings.Compare(a.Slice, b.Slice), cmp.Compare(a.n, b.n))
	})
	return list
}

// samePresences leaves out the resource versions: a slice that is rewritten for
// another endpoint's sake changes nothing here.
func samePresences(a, b []Presence) bool {
	return slices.EqualFunc(a, b, func(p, q Presence) bool {
		return p.Slice == q.Slice && p.Endpoint == q.Endpoint
	})
}

// speaker returns the index of the record that speaks for the address (S6).
func speaker(list []Presence) int {
	if len(list) == 1 {
		return 0
	}
	records := make([]endpointset.Record, len(list))
	for i := range list {
		p := &list[i]
		records[i] = endpointset.Record{
			Conditions: p.Effective(), TargetUID: p.Target.UID, Slice: p.Slice, Order: p.n,
			ResourceVersion: p.ResourceVersion, Trigger: p.triggered,
		}
	}
	return endpointset.Speaker(records)
}
