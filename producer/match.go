package producer

import (
	"cmp"
	"net/netip"
	"slices"

	"github.com/slicewright/slicewright/endpointset"
)

// match decides for each existing slice which group it belongs to, and which
// desired endpoints it already holds.
func (p *planner) match() {
	index := p.byAddr()
	for _, s := range p.shelves {
		s.group = p.groupFor(s, index)
	}
	// A record that two slices hold is kept in the one that is otherwise right:
	// dropping it there would cost a write.
	order := slices.Clone(p.shelves)
	slices.SortStableFunc(order, func(a, b *shelf) int {
		return cmp.Or(cmp.Compare(a.strangers(p.family), b.strangers(p.family)), cmp.Compare(len(b.slice.Endpoints), len(a.slice.Endpoints)))
	})
	held := map[*shelf][]*entry{} // by the record's place in the slice
	for _, s := range order {
		held[s] = s.matchKeys(p.family)
	}
	for _, s := range order {
		s.matchAddrs(p.family, held[s])
		s.keep(held[s])
	}
	for p.findMoves(); p.untangle(); p.findMoves() {
	}
}

// byAddr lists the groups that want an address.
func (p *planner) byAddr() map[netip.Addr][]*group {
	index := map[netip.Addr][]*group{}
	for _, g := range p.groups {
		for addr := range g.byAddr {
			index[addr] = append(index[addr], g)
		}
	}
	return index
}

// groupFor is the group of the slice's own ports, if that wants any of its
// endpoints. Else it is the one that wants most: when a producer gives all its
// endpoints another port, each slice changes in place.
func (p *planner) groupFor(s *shelf, index map[netip.Addr][]*group) *group {
	votes := map[*group]int{}
	for i := range s.slice.Endpoints {
		if key, ok := keyOf(&s.slice.Endpoints[i], p.family); ok {
			for _, g := range index[key.addr] {
				votes[g]++
			}
		}
	}
	var best *group
	for _, g := range p.groups { // in order, so that equal votes decide equally
		if votes[g] > 0 && g.key == s.ports {
			return g
		}
		if votes[g] > 0 && (best == nil || votes[g] > votes[best]) {
			best = g
		}
	}
	return best
}

// strangers counts the slice's records that its group does not want as they are.
func (s *shelf) strangers(family endpointset.Family) int {
	if s.group == nil {
		return len(s.slice.Endpoints)
	}
	n := 0
	for i := range s.slice.Endpoints {
		record := &s.slice.Endpoints[i]
		key, ok := keyOf(record, family)
		if e := s.group.byKey[key]; !ok || e == nil || !sameEndpoint(record, &e.want) {
			n++
		}
	}
	return n
}

// matchKeys finds the records that are desired, each in the first slice that
// has it.
func (s *shelf) matchKeys(family endpointset.Family) []*entry {
	held := make([]*entry, len(s.slice.Endpoints))
	if s.group == nil {
		return held
	}
	for i := range held {
		if key, ok := keyOf(&s.slice.Endpoints[i], family); ok {
			if e := s.group.byKey[key]; e != nil && !e.placed {
				e.placed = true
				held[i] = e
			}
		}
	}
	return held
}

// matchAddrs gives the place of a record that is not desired any more to one
// with its address, such as a host that got another name: it changes in place
// and does not move.
func (s *shelf) matchAddrs(family endpointset.Family, held []*entry) {
	if s.group == nil {
		return
	}
	for i := range held {
		key, ok := keyOf(&s.slice.Endpoints[i], family)
		if held[i] != nil || !ok {
			continue
		}
		for _, e := range s.group.byAddr[key.addr] {
			if !e.placed {
				e.placed = true
				held[i] = e
				break
			}
		}
	}
}

// keep settles what of the slice stays, in the order that it has.
func (s *shelf) keep(held []*entry) {
	for i, e := range held {
		if e == nil || !sameEndpoint(&s.slice.Endpoints[i], &e.want) {
			s.dirty = true
		}
		if e != nil {
			s.entries = append(s.entries, e)
		}
	}
	if s.group != nil && s.group.key != s.ports {
		s.dirty = true
	}
	if s.pooled() {
		s.dirty, s.group = true, nil
	}
}

// sight is what a reader sees of a record: its address, and for each port a
// backend (S5). The port is the zero value for the address itself.
type sight struct {
	addr netip.Addr
	port endpointset.Port
}

func sights(addr netip.Addr, ports []endpointset.Port) []sight {
	seen := []sight{{addr: addr}}
	for _, port := range ports {
		if port.Number != 0 {
			seen = append(seen, sight{addr, identity(port)})
		}
	}
	return seen
}

// findMoves marks the entries that have to be written elsewhere before they
// leave where they are, and the slices that such entries leave.
func (p *planner) findMoves() {
	before, steady := map[sight]bool{}, map[sight]bool{}
	for _, s := range p.shelves {
		now := s.sees(p.family)
		for seen := range now {
			before[seen] = true
		}
		for _, e := range s.entries {
			for _, seen := range sights(e.key.addr, s.group.ports) {
				if now[seen] {
					steady[seen] = true
				}
			}
		}
	}
	wanted := map[sight]bool{}
	for _, g := range p.groups {
		for _, e := range g.entries {
			e.moves = false
			for _, seen := range sights(e.key.addr, g.ports) {
				wanted[seen] = true
				e.moves = e.moves || before[seen] && !steady[seen]
			}
		}
	}
	for _, s := range p.shelves {
		s.loses = false
		for seen := range s.sees(p.family) {
			s.loses = s.loses || wanted[seen] && !steady[seen]
		}
	}
}

// untangle gives up places that no order of writes could be right for: a slice
// that changes its ports in place can gain for one endpoint what another slice
// loses, and lose what that one gains. The endpoint then moves instead. It
// reports whether there was one.
func (p *planner) untangle() bool {
	found := false
	for _, s := range p.shelves {
		if !s.loses {
			continue
		}
		s.entries = slices.DeleteFunc(s.entries, func(e *entry) bool {
			if e.moves {
				e.placed, found = false, true
			}
			return e.moves
		})
		if s.pooled() {
			s.group = nil
		}
	}
	return found
}

// sees is what readers see of the slice as it is.
func (s *shelf) sees(family endpointset.Family) map[sight]bool {
	ports := portsOf(s.slice)
	seen := make(map[sight]bool, len(s.slice.Endpoints)*(len(ports)+1))
	for i := range s.slice.Endpoints {
		if key, ok := keyOf(&s.slice.Endpoints[i], family); ok {
			for _, v := range sights(key.addr, ports) {
				seen[v] = true
			}
		}
	}
	return seen
}
