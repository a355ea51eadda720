package endpointset

import (
	"hash/maphash"
	"sync"
	"unique"
)

// An interner makes handles. The unique package does the interning, and lets
// go of what nobody holds; but asking it takes a walk through a shared tree,
// and slices say the same few things over and over. So the handles given last
// stay at hand, in a table of fixed size.
type interner[T comparable] struct {
	seed maphash.Seed

	mu    sync.Mutex // guards slots
	slots [512]struct {
		value  T
		handle unique.Handle[T]
		used   bool
	}
}

func newInterner[T comparable]() *interner[T] {
	return &interner[T]{seed: maphash.MakeSeed()}
}

// handle returns the handle of a value, which it does not keep. The value is
// looked for by key, a part of it in which values differ the most.
func (in *interner[T]) handle(key string, value T) unique.Handle[T] {
	slot := &in.slots[maphash.String(in.seed, key)%uint64(len(in.slots))]
	in.mu.Lock()
	defer in.mu.Unlock()
	if !slot.used || slot.value != value {
		slot.handle, slot.used = unique.Make(value), true
		slot.value = slot.handle.Value() // its strings, not the caller's
	}
	return slot.handle
}
