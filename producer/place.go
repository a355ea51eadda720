package producer

import (
	"cmp"
	"slices"
)

// place finds a slice for each entry that none holds. What has to be written
// anyway is filled first, then a slice with enough room for all the rest, then
// new ones.
func (p *planner) place() {
	queues := map[*group]*queue{}
	for _, g := range p.groups {
		q := newQueue(g)
		queues[g] = q
		for _, s := range p.written(g) {
			q.fill(s, p.max)
		}
	}
	// Slices that nothing keeps have to be written too: made into one of a group
	// that needs room, they save its create and their own delete.
	for _, g := range p.groups {
		for !queues[g].empty() {
			s := p.spare(g, queues[g])
			if s == nil {
				break
			}
			s.group = g
			queues[g].fill(s, p.max)
		}
	}
	for _, g := range p.groups {
		for q := queues[g]; !q.empty(); {
			s := p.withRoom(g, q.len())
			if s == nil {
				s = &shelf{group: g}
				p.fresh = append(p.fresh, s)
			}
			q.fill(s, p.max)
			s.dirty = true
		}
	}
}

// written lists the group's slices that are written anyway, fullest first, so
// that few slices end up half empty.
func (p *planner) written(g *group) []*shelf {
	var found []*shelf
	for _, s := range p.shelves {
		if s.group == g && s.dirty {
			found = append(found, s)
		}
	}
	slices.SortStableFunc(found, func(a, b *shelf) int { return cmp.Compare(len(b.entries), len(a.entries)) })
	return found
}

// spare returns a slice that nothing keeps, best one that had the group's ports.
func (p *planner) spare(g *group, q *queue) *shelf {
	var found *shelf
	for _, s := range p.shelves {
		if !s.pooled() || s.loses && len(q.others) == 0 {
			continue
		}
		if found == nil || s.ports == g.key && found.ports != g.key {
			found = s
		}
	}
	return found
}

// withRoom returns the fullest slice of the group that takes n more.
func (p *planner) withRoom(g *group, n int) *shelf {
	var found *shelf
	for _, s := range p.shelves {
		if s.group == g && !s.dirty && s.room(p.max) >= n && (found == nil || len(s.entries) > len(found.entries)) {
			found = s
		}
	}
	return found
}

// queue is the entries of a group that wait for a place.
type queue struct {
	moving, others []*entry
}

func newQueue(g *group) *queue {
	q := &queue{}
	for _, e := range g.entries {
		switch {
		case e.placed:
		case e.moves:
			q.moving = append(q.moving, e)
		default:
			q.others = append(q.others, e)
		}
	}
	return q
}

func (q *queue) len() int    { return len(q.moving) + len(q.others) }
func (q *queue) empty() bool { return q.len() == 0 }

// fill puts as many entries into s as it has room for. One that moves does not
// go where another moves out: the two writes would each have to be first.
func (q *queue) fill(s *shelf, limit int) {
	if !s.loses {
		q.moving = s.take(q.moving, limit)
	}
	q.others = s.take(q.others, limit)
}

func (s *shelf) take(entries []*entry, limit int) []*entry {
	n := min(len(entries), s.room(limit))
	for _, e := range entries[:n] {
		e.placed = true
	}
	s.entries = append(s.entries, entries[:n]...)
	return entries[n:]
}
