package shadow

import (
	"slices"
	"time"

	"github.com/slicewright/slicewright/endpointset"
)

// Defaults of Settle.
const (
	// DefaultWindow is longer than either controller takes to follow a change on
	// a cluster that is not overloaded.
	DefaultWindow = 5 * time.Second
	// DefaultCeiling bounds how long a Service that never rests goes unjudged.
	DefaultCeiling = 2 * time.Minute
)

// Settle decides when a comparison of one Service means something. The two
// sources change at different moments, so during a rollout they differ and
// nothing is wrong. A comparison counts once both have been still for Window.
//
// A Service that never rests is judged all the same, every Ceiling. Of its
// differences those count that have been there, the same, for Window.
//
// Times are given, never asked for. The zero value has the default times. It is
// not safe for concurrent use.
type Settle struct {
	Window, Ceiling time.Duration

	changed time.Time // when a source changed last
	waiting time.Time // since when there are changes that were not judged
	since   map[endpointset.ID]standing
	current Comparison
}

// standing is a difference and how long it has been there.
type standing struct {
	side  Side
	class Class
	from  time.Time
}

// Verdict is what can be said of a Service now.
type Verdict struct {
	// Judged is set when the comparison means something. Otherwise Again says
	// when to ask again, if nothing changes before.
	Judged bool
	// Still is set when both sources were still for the window. A verdict that
	// is judged and not still is of a Service that never rests.
	Still bool
	// Comparison is what counts: of a restless Service the differences that last.
	Comparison Comparison
	// Again is when Now is worth asking again; zero when only a change can alter
	// the verdict.
	Again time.Time
}

// Changed takes in how the sources compare after one of them changed at a
// moment. Moments must not go backwards.
func (s *Settle) Changed(at time.Time, c Comparison) {
	since := make(map[endpointset.ID]standing, len(c.Differences))
	for _, d := range c.Differences {
		was, ok := s.since[d.ID]
		if !ok || was.side != d.Side || was.class != d.Class {
			was = standing{d.Side, d.Class, at}
		}
		since[d.ID] = was
	}
	s.since, s.current, s.changed = since, c, at
	if s.waiting.IsZero() {
		s.waiting = at
	}
}

// Now is the verdict at a moment. A restless Service is judged once and then
// waits for the next ceiling.
func (s *Settle) Now(at time.Time) Verdict {
	window, ceiling := s.times()
	switch {
	case s.changed.IsZero():
		return Verdict{} // nothing was seen yet
	case !at.Before(s.changed.Add(window)):
		s.waiting = time.Time{}
		return Verdict{Judged: true, Still: true, Comparison: s.current}
	case !s.waiting.IsZero() && !at.Before(s.waiting.Add(ceiling)):
		s.waiting = at
		return Verdict{Judged: true, Comparison: s.lasting(at.Add(-window)), Again: s.again(window, ceiling)}
	}
	return Verdict{Comparison: s.current, Again: s.again(window, ceiling)}
}

func (s *Settle) times() (window, ceiling time.Duration) {
	window, ceiling = s.Window, s.Ceiling
	if window == 0 {
		window = DefaultWindow
	}
	if ceiling == 0 {
		ceiling = DefaultCeiling
	}
	return window, max(ceiling, window)
}

func (s *Settle) again(window, ceiling time.Duration) time.Time {
	still := s.changed.Add(window)
	if !s.waiting.IsZero() && s.waiting.Add(ceiling).Before(still) {
		return s.waiting.Add(ceiling)
	}
	return still
}

// lasting is the comparison with the differences that have been there since.
func (s *Settle) lasting(since time.Time) Comparison {
	c := s.current
	c.Differences = slices.DeleteFunc(slices.Clone(c.Differences), func(d Difference) bool {
		return s.since[d.ID].from.After(since)
	})
	return c
}
