package endpointset

import (
	"cmp"
	"slices"
	"time"
)

// Change is what an event made different in the known backends of one Service.
// Added to the set before, it gives the set after. All lists are in the order
// of S8, and no ID is in two of them.
type Change struct {
	Service ServiceKey
	Added   []Backend
	Removed []Backend
	Updated []Update
	// Trigger is when, by the producer's word, the change happened that the
	// slice was written for: the newest of the slices involved. Zero when no
	// producer said.
	Trigger time.Time
}

// Update is a backend that stays and of which something else changed.
type Update struct{ Old, New Backend }

// Empty reports that nothing changed.
func (c *Change) Empty() bool { return len(c.Added)+len(c.Removed)+len(c.Updated) == 0 }

// addDifference adds what differs between two lists of speakers at one
// address, both sorted by port.
func (c *Change) addDifference(before, after []entry) {
	for len(before) > 0 || len(after) > 0 {
		switch order := compareHeads(before, after); {
		case order < 0:
			c.Removed = append(c.Removed, before[0].backend())
			before = before[1:]
		case order > 0:
			c.Added = append(c.Added, after[0].backend())
			after = after[1:]
		default:
			if !sameEntry(&before[0], &after[0]) {
				c.Updated = append(c.Updated, Update{before[0].backend(), after[0].backend()})
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
	byID := func(a, b Backend) int { return a.ID.Compare(b.ID) }
	slices.SortFunc(c.Added, byID)
	slices.SortFunc(c.Removed, byID)
	slices.SortFunc(c.Updated, func(a, b Update) int { return a.New.ID.Compare(b.New.ID) })
}

// merge makes one change of those that follow each other for one Service. What
// came and went in between is not in it, so that an endpoint that moves from
// one slice to another during a relist was never gone.
func merge(changes []Change) []Change {
	perService := map[ServiceKey]int{}
	merged := changes[:0:0]
	for _, c := range changes {
		i, seen := perService[c.Service]
		if !seen {
			perService[c.Service] = len(merged)
			merged = append(merged, c)
			continue
		}
		merged[i] = merged[i].then(c)
	}
	merged = slices.DeleteFunc(merged, func(c Change) bool { return c.Empty() })
	slices.SortFunc(merged, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Service.Namespace, b.Service.Namespace), cmp.Compare(a.Service.Name, b.Service.Name))
	})
	return merged
}

// then returns c followed by next as one change.
func (c Change) then(next Change) Change {
	type fate struct{ old, new *Backend } // nil: not in the set
	fates := make(map[ID]fate)
	record := func(id ID, old, new *Backend) {
		if f, seen := fates[id]; seen {
			old = f.old
		}
		fates[id] = fate{old, new}
	}
	for _, ch := range []*Change{&c, &next} {
		for i := range ch.Added {
			record(ch.Added[i].ID, nil, &ch.Added[i])
		}
		for i := range ch.Removed {
			record(ch.Removed[i].ID, &ch.Removed[i], nil)
		}
		for i := range ch.Updated {
			record(ch.Updated[i].New.ID, &ch.Updated[i].Old, &ch.Updated[i].New)
		}
	}
	out := Change{Service: c.Service, Trigger: c.Trigger}
	if next.Trigger.After(out.Trigger) {
		out.Trigger = next.Trigger
	}
	for _, f := range fates {
		switch {
		case f.old == nil && f.new == nil:
		case f.old == nil:
			out.Added = append(out.Added, *f.new)
		case f.new == nil:
			out.Removed = append(out.Removed, *f.old)
		case !f.old.equal(f.new):
			out.Updated = append(out.Updated, Update{*f.old, *f.new})
		}
	}
	out.sort()
	return out
}

// equal reports whether two backends are the same in every field.
func (b *Backend) equal(other *Backend) bool {
	return b.ID == other.ID && b.Conditions == other.Conditions && b.AppProtocol == other.AppProtocol &&
		b.Zone == other.Zone && b.Node == other.Node && b.Target == other.Target &&
		b.Refused == other.Refused && b.Slice == other.Slice &&
		slices.Equal(b.ForZones, other.ForZones) && slices.Equal(b.ForNodes, other.ForNodes)
}
