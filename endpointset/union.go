package endpointset

import (
	"slices"
)

// A member is a slice's place in a Service. It stays the same object while the
// slice in it is replaced by newer versions, so that a union of five thousand
// addresses need not be touched for one of them.
type member struct {
	slice *Slice
	// listed is the last full list that the slice was in.
	listed uint64
	// index is the member's place in its union's list.
	index int
}

// nothing is what a member holds that carries nothing: before it has joined a
// union and when it leaves.
var nothing = &Slice{}

// A union is the slices of one Service and one family, and who of them carries
// which address. An address leaves with the last slice that carries it (S7).
type union struct {
	members []*member
	// owners names a carrier for each address, shared all of them where there
	// are several. A single slice carries all there is, and most Services have
	// but one, so neither is kept until there is a second.
	owners owners
	shared map[address][]*member
}

// join makes m a member that carries nothing yet.
func (u *union) join(m *member) {
	m.index = len(u.members)
	u.members = append(u.members, m)
	if len(u.members) == 2 && !u.owners.kept() {
		first := u.members[0]
		u.owners = newOwners(first.slice.family, len(first.slice.records))
		for i := range first.slice.records {
			u.owners.set(first.slice.records[i].addr, first)
		}
	}
}

// alone reports whether m is all there is, and no account is kept of who
// carries what.
func (u *union) alone(m *member) bool { return len(u.members) == 1 && !u.owners.kept() }

// leave ends the membership of m, which carries nothing any more.
func (u *union) leave(m *member) {
	last := u.members[len(u.members)-1]
	u.members[m.index], last.index = last, m.index
	u.members[len(u.members)-1] = nil
	u.members = u.members[:len(u.members)-1]
}

// carry notes that m carries the address.
func (u *union) carry(addr address, m *member) {
	if !u.owners.kept() {
		return
	}
	owner := u.owners.of(addr)
	if owner == nil {
		u.owners.set(addr, m)
		return
	}
	if u.shared == nil {
		u.shared = make(map[address][]*member)
	}
	carriers := u.shared[addr]
	if carriers == nil {
		carriers = []*member{owner}
	}
	u.shared[addr] = append(carriers, m)
}

// drop notes that m does not carry the address any more.
func (u *union) drop(addr address, m *member) {
	if !u.owners.kept() {
		return
	}
	carriers, several := u.shared[addr]
	if !several {
		u.owners.remove(addr)
		return
	}
	i := slices.Index(carriers, m)
	carriers = slices.Delete(carriers, i, i+1)
	u.owners.set(addr, carriers[0])
	if len(carriers) == 1 {
		delete(u.shared, addr)
	} else {
		u.shared[addr] = carriers
	}
}

// othersCarry reports whether a member beside m carries the address.
func (u *union) othersCarry(addr address, m *member) bool {
	owner := u.owners.of(addr)
	return owner != nil && (owner != m || len(u.shared[addr]) > 1)
}

// appendOthers adds the records with this address of all members but m.
func (u *union) appendOthers(dst []candidate, addr address, m *member) []candidate {
	carriers := u.shared[addr]
	if carriers == nil {
		if owner := u.owners.of(addr); owner != nil && owner != m {
			return appendCandidates(dst, owner.slice, owner.slice.group(addr))
		}
		return dst
	}
	for _, c := range carriers {
		if c != m {
			dst = appendCandidates(dst, c.slice, c.slice.group(addr))
		}
	}
	return dst
}

// replace puts next into the place of what m holds now and adds to the change
// what that made different. It returns how many records it looked at.
//
// Every address that one of the two versions carries is compared; who speaks
// is decided again only where they differ, or where another slice carries the
// address too.
func (u *union) replace(m *member, next *Slice, change *Change) (looked int) {
	last := m.slice
	sameTerms := slices.Equal(last.ports, next.ports) && last.refused == next.refused
	// One record and one port an address are the rule. Room for them needs no
	// allocation; what needs more gets it.
	var candidates [2][1]candidate
	var entries [2][1]entry
	before, after := candidates[0][:0], candidates[1][:0]
	spokeBefore, spokeAfter := entries[0][:0], entries[1][:0]
	olds, news := last.records, next.records
	if len(olds) == 0 {
		change.added = make([]entry, 0, len(news)*len(next.ports))
	}
	for len(olds) > 0 || len(news) > 0 {
		addr := firstAddr(olds, news)
		oldGroup, newGroup := groupAt(olds, 0, addr), groupAt(news, 0, addr)
		olds, news = olds[len(oldGroup):], news[len(newGroup):]
		looked += len(oldGroup) + len(newGroup)

		// Where nothing is shared, what m carries is carried by no other.
		contested := (len(oldGroup) == 0 || len(u.shared) > 0) && u.othersCarry(addr, m)
		if !contested && sameTerms && sameGroup(last, oldGroup, next, newGroup) {
			continue
		}
		before = appendCandidates(before[:0], last, oldGroup)
		after = appendCandidates(after[:0], next, newGroup)
		if contested {
			before = u.appendOthers(before, addr, m)
			after = u.appendOthers(after, addr, m)
			looked += len(before) + len(after)
		}
		spokeBefore = appendSpeakers(spokeBefore[:0], before)
		spokeAfter = appendSpeakers(spokeAfter[:0], after)
		change.addDifference(spokeBefore, spokeAfter)

		switch {
		case len(oldGroup) == 0:
			u.carry(addr, m)
		case len(newGroup) == 0:
			u.drop(addr, m)
		}
	}
	m.slice = next
	return looked
}

// firstAddr returns the smaller of the two lists' first addresses.
func firstAddr(a, b []record) address {
	if len(b) == 0 || len(a) > 0 && a[0].addr.compare(b[0].addr) < 0 {
		return a[0].addr
	}
	return b[0].addr
}

func sameGroup(s *Slice, a []record, t *Slice, b []record) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !sameMeaning(s, &a[i], t, &b[i]) {
			return false
		}
	}
	return true
}
