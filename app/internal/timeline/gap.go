package timeline

import (
	"slices"
	"time"
)

// Gaps puts together the beginnings and ends of gaps. The zero value is ready to
// use.
type Gaps struct {
	closed []Gap
	open   []Gap
}

// Add takes the next gap event. An end takes the place of its beginning.
func (g *Gaps) Add(gap Gap) {
	same := func(other Gap) bool { return other.Resource == gap.Resource && other.Namespace == gap.Namespace }
	if i := slices.IndexFunc(g.open, same); i >= 0 {
		// A recorder that was killed in a gap tells only of the time after it.
		gap.From = earlier(gap.From, g.open[i].From)
		g.open = slices.Delete(g.open, i, i+1)
	}
	if gap.To.IsZero() {
		g.open = append(g.open, gap)
		return
	}
	g.closed = append(g.closed, gap)
}

// List returns the gaps as known at until, sorted by their beginning. One that
// has not ended lasts until then, and whether something was lost in it is not
// known: it counts as lost.
func (g *Gaps) List(until time.Time) []Gap {
	list := slices.Clone(g.closed)
	for _, gap := range g.open {
		gap.To, gap.Lost = later(until, gap.From), true
		list = append(list, gap)
	}
	slices.SortStableFunc(list, func(a, b Gap) int { return a.From.Compare(b.From) })
	return list
}
