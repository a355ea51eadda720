package endpointset

import (
	"cmp"
	"slices"
	"time"
)

// Change is what an event made different in the known backends of one Service.
// Added to the set before, it gives the set after.
//
// It spells its backends out when asked: whoever only wants to know which
// Service changed pays for nothing else. It may be read from any goroutine.
type Change struct {
	Service ServiceKey
	// Trigger is when, by the producer's word, the change happened that the
	// slice was written for: the newest of the slices involved. Zero when no
	// producer said.
	Trigger time.Time

	// All in the order of S8, and no identity in two of them.
	added, removed []entry
	updated        []revision
	// arrived, if not nil, is a slice that was alone in its Service and family
	// when it came: added is all that is in it, at least one backend, and not
	// listed. A first list is made of such changes, and few of them are ever read.
	arrived *Slice
}

// A revision is a backend that stays and of which something else changed.
type revision struct{ old, new entry }

// Update is a backend that stays and of which something else changed.
type Update struct{ Old, New Backend }

// Empty reports that nothing changed.
func (c *Change) Empty() bool {
	return len(c.added) == 0 && len(c.removed) == 0 && len(c.updated) == 0 && c.arrived == nil
}

// Len counts the backends that changed.
func (c *Change) Len() int {
	n := len(c.added) + len(c.removed) + len(c.updated)
	if c.arrived != nil {
		n += c.arrived.distinct() * len(c.arrived.ports)
	}
	return n
}

// Added returns the backends that were not there before, in the order of S8.
func (c *Change) Added() []Backend { return backends(c.entriesAdded()) }

// Removed returns the backends that are not there any more, as they last were,
// in the order of S8.
func (c *Change) Removed() []Backend { return backends(c.removed) }

// Updated returns the backends that stay and say something else than before,
// in the order of S8.
func (c *Change) Updated() []Update {
	updates := make([]Update, len(c.updated))
	for i, r := range c.updated {
		updates[i] = Update{r.old.backend(), r.new.backend()}
	}
	return updates
}

func (c *Change) entriesAdded() []entry {
	if c.arrived == nil {
		return c.added
	}
	return join([]*Slice{c.arrived}) // nothing else was added
}

// addDifference adds what differs between two lists of speakers at one
// address, both sorted by port.
func (c *Change) addDifference(before, after []entry) {
	if len(before) == 0 {
		c.added = append(c.added, after...)
		return
	}
	for len(before) > 0 || len(after) > 0 {
		switch order := compareHeads(before, after); {
		case order < 0:
			c.removed = append(c.removed, before[0])
			before = before[1:]
		case order > 0:
			c.added = append(c.added, after[0])
			after = after[1:]
		default:
			if !before[0].same(&after[0]) {
				c.updated = append(c.updated, revision{before[0], after[0]})
			}
			before, after = before[1:], after[1:]
		}
	}
}

// compareHeads compares the ports of two lists' first entries; the end of a
// list sorts last.
func compareHeads(a, b []entry) int {
	if len(a) == 0 || len(b) == 0 {
		return cmp.Compare(len(b), len(a))
	}
	return comparePorts(a[0].port, b[0].port)
}

// sort brings the lists, gathered address by address, into the order of S8.
func (c *Change) sort() {
	sortUnlessSorted(c.added, func(a, b entry) int { return a.compare(&b) })
	sortUnlessSorted(c.removed, func(a, b entry) int { return a.compare(&b) })
	sortUnlessSorted(c.updated, func(a, b revision) int { return a.new.compare(&b.new) })
}

// sortUnlessSorted sorts what nearly always is sorted: a look through is a
// fraction of the cost of a sort that changes nothing.
func sortUnlessSorted[E any](list []E, compare func(a, b E) int) {
	if !slices.IsSortedFunc(list, compare) {
		slices.SortStableFunc(list, compare)
	}
}

// merge makes one change of those that follow each other for one Service. What
// came and went in between is not in it, so that an endpoint that moves from
// one slice to another during a relist was never gone.
func merge(changes []Change) []Change {
	sortUnlessSorted(changes, func(a, b Change) int { return a.Service.compare(b.Service) })
	merged := changes[:0]
	for rest := changes; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Service == rest[0].Service {
			n++
		}
		c := rest[0]
		if n > 1 {
			c = sum(rest[:n])
		}
		if !c.Empty() {
			merged = append(merged, c)
		}
		rest = rest[n:]
	}
	return merged
}

// sum returns changes of one Service, in their order, as one.
func sum(changes []Change) Change {
	type fate struct{ old, new *entry } // nil: not in the set
	fates := make(map[ID]fate)
	note := func(old, new *entry) {
		id := cmp.Or(old, new).id()
		if f, seen := fates[id]; seen {
			old = f.old
		}
		fates[id] = fate{old, new}
	}
	total := Change{Service: changes[0].Service}
	for i := range changes {
		c := &changes[i]
		if c.Trigger.After(total.Trigger) {
			total.Trigger = c.Trigger
		}
		for i := range c.removed {
			note(&c.removed[i], nil)
		}
		for i := range c.updated {
			note(&c.updated[i].old, &c.updated[i].new)
		}
		added := c.entriesAdded()
		for i := range added {
			note(nil, &added[i])
		}
	}
	for _, f := range fates {
		switch {
		case f.old == nil && f.new == nil:
		case f.old == nil:
			total.added = append(total.added, *f.new)
		case f.new == nil:
			total.removed = append(total.removed, *f.old)
		case !f.old.same(f.new):
			total.updated = append(total.updated, revision{*f.old, *f.new})
		}
	}
	total.sort()
	return total
}
