package endpointset

import (
	"hash/maphash"
	"sync"
	"unique"
)

// An interner makes handles. The unique package does the interning, and lets
// go of what nobody holds; but asking it hashes the whole value and walks
// through a shared tree, and slices say the same few things over and over. So
// the handles given last stay at hand, in a table of fixed size.
type interner[T comparable] struct {
	seed maphash.Seed

	mu sync.Mutex // guards buckets
	// buckets are by a part of the value, the key. Values of one key share a
	// bucket: a node with the hints and the namespaces of several Services. A
	// thousand buckets are for as many nodes, and 32 KB.
	buckets [1024][4]unique.Handle[T]
}

func newInterner[T comparable]() *interner[T] {
	return &interner[T]{seed: maphash.MakeSeed()}
}

// handle returns the handle of a value, which it does not keep. The value is
// looked for by key, a part of it in which values differ the most.
func (in *interner[T]) handle(key string, value *T) unique.Handle[T] {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.handleLocked(key, value)
}

// handleLocked is handle for a caller that holds mu, for many values at once.
func (in *interner[T]) handleLocked(key string, value *T) unique.Handle[T] {
	bucket := &in.buckets[maphash.String(in.seed, key)%uint64(len(in.buckets))]
	for _, h := range bucket {
		if h != (unique.Handle[T]{}) && h.Value() == *value {
			return h
		}
	}
	h := unique.Make(*value)
	copy(bucket[1:], bucket[:]) // the one that was made first goes
	bucket[0] = h
	return h
}
