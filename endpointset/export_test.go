package endpointset

import (
	"maps"
	"slices"
)

// Looked returns how many records events made the index look at so far.
func (ix *Index) Looked() int { return ix.looked }

// CheckInvariants fails the test when the index does not know exactly who
// carries what.
func (ix *Index) CheckInvariants(t interface{ Fatalf(string, ...any) }) {
	members := 0
	for key, svc := range ix.services {
		if svc.members() == 0 {
			t.Fatalf("%s is kept without slices", key)
		}
		for _, u := range svc.unions {
			if u == nil {
				continue
			}
			members += len(u.members)
			carriers := map[address][]*member{}
			for i, m := range u.members {
				if m.index != i {
					t.Fatalf("%s: member %d believes it is %d", key, i, m.index)
				}
				if ix.slices[m.slice.key] != m {
					t.Fatalf("%s: member %s is not the one in the index", key, m.slice.key)
				}
				for r := range m.slice.records {
					addr := m.slice.records[r].addr
					if !slices.Contains(carriers[addr], m) {
						carriers[addr] = append(carriers[addr], m)
					}
				}
			}
			if !u.owners.kept() {
				if len(u.members) > 1 {
					t.Fatalf("%s: %d slices and no owners", key, len(u.members))
				}
				continue
			}
			if u.owners.size() != len(carriers) {
				t.Fatalf("%s: %d addresses are owned, %d carried", key, u.owners.size(), len(carriers))
			}
			for addr, want := range carriers {
				got := u.shared[addr]
				if len(want) == 1 {
					got = []*member{u.owners.of(addr)}
				}
				if !maps.Equal(counts(got), counts(want)) || len(want) > 1 && !slices.Contains(want, u.owners.of(addr)) {
					t.Fatalf("%s: %v has %d carriers, the union knows %d", key, addr, len(want), len(got))
				}
			}
			for addr := range u.shared {
				if len(carriers[addr]) < 2 {
					t.Fatalf("%s: %v is kept as shared", key, addr)
				}
			}
		}
	}
	if members != len(ix.slices) {
		t.Fatalf("%d slices are in Services, %d in the index", members, len(ix.slices))
	}
}

func counts(members []*member) map[*member]int {
	n := map[*member]int{}
	for _, m := range members {
		n[m]++
	}
	return n
}

// size counts the addresses.
func (o *owners) size() int { return len(o.v4) + len(o.v6) }
