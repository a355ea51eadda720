package haproxy

import "hash/fnv"

// maxID bounds the ids that servers get. HAProxy accepts greater ones, but its
// consistent hashing, which "balance random" uses too, tells servers apart by the
// last 20 bits of their ids: of two that share these, one gets nothing.
const maxID = 1<<20 - 1

// ids are those in use in a backend, cut to what HAProxy's hashing sees of them.
type ids map[uint32]bool

func idsOf(lists ...[]Server) ids {
	used := ids{}
	for _, servers := range lists {
		for i := range servers {
			used[servers[i].ID&maxID] = true
		}
	}
	return used
}

// take returns an id for a new server: the same for the same name wherever it is
// free, so that consistent hashing gives a backend its old place when it returns.
//
// Without one, HAProxy (2.6 was seen to) places a server in its hashing before it
// gives it a number: all that are added at run time share one place, and the
// first and the last of them get every request.
func (u ids) take(name string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // never fails
	id := h.Sum32() & maxID
	for range maxID {
		if id != 0 && !u[id] {
			break
		}
		id = (id + 1) & maxID
	}
	u[id] = true
	return id
}
