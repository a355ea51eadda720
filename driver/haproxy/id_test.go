package haproxy

import (
	"strconv"
	"testing"
)

func TestNoTwoServersShareAPlaceInTheHashing(t *testing.T) {
	first := ids{}.take("sw-0")
	// A server that HAProxy hashes to the same place, ours or not.
	used := idsOf([]Server{{Name: "static", ID: first + maxID + 1}})
	seen := map[uint32]bool{first: true}
	for i := range 20000 {
		id := used.take("sw-" + strconv.Itoa(i))
		if id == 0 || id > maxID || seen[id] {
			t.Fatalf("server %d gets id %d, which is none, too great or another's", i, id)
		}
		seen[id] = true
	}
	if again := (ids{}).take("sw-0"); again != first {
		t.Errorf("a server that returns gets id %d, and had %d", again, first)
	}
}
