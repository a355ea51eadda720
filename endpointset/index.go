package endpointset

import (
	"slices"
	"sync"
)

// Index joins slices into Services. Create it with [NewIndex]. All methods may
// be called from any goroutine; the Sets that it hands out need no lock.
type Index struct {
	options Options
	places  *interner[place]
	ports   *interner[Port]
	names   *interner[string]

	mu       sync.RWMutex // guards all below
	slices   map[SliceKey]*member
	services map[ServiceKey]*service
	lists    uint64 // counts the full lists taken
	// looked counts the records that events made the index look at, for the
	// tests that guard the shape of the cost.
	looked int
}

// A service is the slices that carry its name.
type service struct {
	// unions are by family; the one of family 0 has the slices whose
	// addressType has no meaning, which give diagnostics only. Nil: no slice.
	unions [3]*union
	// snapshot is the Set of the present state, nil until somebody asks.
	snapshot *Set
}

// union returns the union of a family, made when it is not there.
func (s *service) union(f Family) *union {
	u := &s.unions[unionOf(f)]
	if *u == nil {
		*u = &union{}
	}
	return *u
}

func unionOf(f Family) int {
	switch f {
	case IPv4:
		return 0
	case IPv6:
		return 1
	}
	return 2
}

// members counts the slices of the Service.
func (s *service) members() int {
	n := 0
	for _, u := range s.unions {
		if u != nil {
			n += len(u.members)
		}
	}
	return n
}

// NewIndex returns an empty index.
func NewIndex(options Options) *Index {
	return &Index{
		options: Options{
			Managers: slices.Clone(options.Managers),
			CIDRs:    slices.Clone(options.CIDRs),
			Families: slices.Clone(options.Families),
		},
		places:   newInterner[place](),
		ports:    newInterner[Port](),
		names:    newInterner[string](),
		slices:   make(map[SliceKey]*member),
		services: make(map[ServiceKey]*service),
	}
}

// Apply takes a slice that was added or updated and returns what changed: for
// no Service when the event had no meaning (S18), for two when the slice's
// service-name label moved it (S1). Nil changes nothing.
func (ix *Index) Apply(s *Slice) []Change {
	if s == nil {
		return nil
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.put(nil, s.key, s)
}

// Delete takes the deletion of a slice, by its name alone: what it carried is
// what it was last known to carry (S17). An unknown slice changes nothing.
func (ix *Index) Delete(key SliceKey) []Change {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.put(nil, key, nil)
}

// Replace takes a full list of the slices of a namespace, or of all namespaces
// if namespace is "". Slices of the namespace that are not in the list are gone
// (S16); slices in other namespaces stay, and such slices in the list are passed
// over. The changes are those between before and after, one for each Service; no
// reader sees anything in between. If two slices in the list have one name, the
// later one counts. Nil slices are passed over.
func (ix *Index) Replace(namespace string, all []*Slice) []Change {
	within := func(key SliceKey) bool { return namespace == "" || key.Namespace == namespace }
	ix.mu.Lock()
	defer ix.mu.Unlock()
	var changes []Change
	if len(ix.slices) == 0 {
		// A first list is nothing but news, and most Services have one slice.
		// Growing step by step would cost more than half of what is kept.
		changes = make([]Change, 0, len(all))
		ix.slices = make(map[SliceKey]*member, len(all))
		ix.services = make(map[ServiceKey]*service, len(all))
	}
	ix.lists++
	for _, s := range all {
		if s != nil && within(s.key) {
			changes = ix.put(changes, s.key, s)
		}
	}
	for key, m := range ix.slices {
		if m.listed != ix.lists && within(key) {
			changes = ix.put(changes, key, nil)
		}
	}
	return merge(changes)
}

// Service returns the backends that are now in the slices of a Service. A
// Service without slices has an empty Set.
func (ix *Index) Service(key ServiceKey) *Set {
	ix.mu.RLock()
	svc := ix.services[key]
	if svc == nil || svc.snapshot != nil {
		defer ix.mu.RUnlock()
		if svc == nil {
			return &Set{service: key}
		}
		return svc.snapshot
	}
	ix.mu.RUnlock()

	ix.mu.Lock()
	defer ix.mu.Unlock()
	if svc = ix.services[key]; svc == nil {
		return &Set{service: key}
	}
	if svc.snapshot == nil {
		svc.snapshot = newSet(key, svc)
	}
	return svc.snapshot
}

// Services returns the Services that have slices, sorted.
func (ix *Index) Services() []ServiceKey {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	keys := make([]ServiceKey, 0, len(ix.services))
	for key := range ix.services {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, ServiceKey.compare)
	return keys
}

// Contents returns the changes that lead from nothing to what the index has now:
// one for each Service that has a backend, sorted. A reader that begins to follow
// the changes of an index takes this in first.
func (ix *Index) Contents() []Change {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	changes := make([]Change, 0, len(ix.services))
	for key, svc := range ix.services {
		set := svc.snapshot
		if set == nil {
			set = newSet(key, svc)
		}
		if c := set.arrival(); !c.Empty() {
			changes = append(changes, c)
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return a.Service.compare(b.Service) })
	return changes
}

// put makes next the content of the slice called key; nil removes it. What that
// changed is appended to changes.
func (ix *Index) put(changes []Change, key SliceKey, next *Slice) []Change {
	m := ix.slices[key]
	if next != nil && next.service == "" {
		next = nil // it belongs to no Service (S1)
	}
	if m == nil {
		if next == nil {
			return changes
		}
		m = &member{slice: nothing}
		ix.slices[key] = m
	}
	m.listed = ix.lists
	last := m.slice
	switch {
	case last == next:
		return changes
	case next == nil:
		delete(ix.slices, key)
		return appendChange(changes, ix.exit(m))
	case last == nothing:
		return appendChange(changes, ix.enter(m, next))
	case last.service != next.service:
		return appendChange(appendChange(changes, ix.exit(m)), ix.enter(m, next))
	case last.family != next.family:
		// addressType is immutable, but a slice can be deleted and created
		// again, and a relist shows only the end of it.
		return append(changes, merge([]Change{ix.exit(m), ix.enter(m, next)})...)
	}
	svc := ix.services[next.Service()]
	return appendChange(changes, ix.replace(svc, svc.union(next.family), m, next))
}

// enter makes next, by way of m, one of the slices of its Service.
func (ix *Index) enter(m *member, next *Slice) Change {
	key := next.Service()
	svc := ix.services[key]
	if svc == nil {
		svc = &service{}
		ix.services[key] = svc
	}
	u := svc.union(next.family)
	u.join(m)
	if u.alone(m) {
		svc.snapshot = nil
		ix.looked += len(next.records)
		m.slice = next
		change := Change{Service: key, Trigger: next.TriggerTime()}
		if len(next.records) > 0 && len(next.ports) > 0 {
			change.arrived = next
		}
		return change
	}
	return ix.replace(svc, u, m, next)
}

// exit takes m's slice out of its Service. m holds nothing then.
func (ix *Index) exit(m *member) Change {
	last := m.slice
	key := last.Service()
	svc := ix.services[key]
	u := svc.union(last.family)
	change := ix.replace(svc, u, m, nothing)
	u.leave(m)
	if svc.members() == 0 {
		delete(ix.services, key)
	}
	return change
}

// replace exchanges m's slice for another of the same Service and family; one
// of the two may be nothing.
func (ix *Index) replace(svc *service, u *union, m *member, next *Slice) Change {
	of := next
	if next == nothing {
		of = m.slice // what a deletion is about is what was there
	}
	change := Change{Service: of.Service(), Trigger: of.TriggerTime()}
	ix.looked += u.replace(m, next, &change)
	svc.snapshot = nil
	change.sort()
	return change
}

// appendChange adds a change that changed something.
func appendChange(changes []Change, c Change) []Change {
	if c.Empty() {
		return changes
	}
	return append(changes, c)
}
