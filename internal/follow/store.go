package follow

import (
	"k8s.io/client-go/tools/cache"
)

// store is the reflector's store.
type store struct{ follower *Follower }

var _ cache.TransformingStore = store{}

// Transformer makes a streamed list small while it comes in.
func (s store) Transformer() cache.TransformFunc { return s.follower.options.Transform }

// Add takes an added object.
func (s store) Add(obj any) error { return s.Update(obj) }

// Update takes an object's new content.
func (s store) Update(obj any) error {
	obj, err := s.transform(obj)
	if err != nil {
		return err
	}
	return s.follower.options.Store.Put(obj)
}

// Delete takes the deletion of an object.
func (s store) Delete(obj any) error { return s.follower.options.Store.Delete(obj) }

// Replace takes a full list, and opens the gate (S14).
func (s store) Replace(list []any, _ string) error {
	small := make([]any, len(list))
	for i, obj := range list {
		var err error
		if small[i], err = s.transform(obj); err != nil {
			return err
		}
	}
	if err := s.follower.options.Store.Replace(small); err != nil {
		return err
	}
	s.follower.state.synced()
	return nil
}

// Resync has nothing to do: there is no second copy to agree with.
func (s store) Resync() error { return nil }

// transform transforms an object that did not come through [store.Transformer]; a
// transform leaves what it has transformed already as it is.
func (s store) transform(obj any) (any, error) {
	if s.follower.options.Transform == nil {
		return obj, nil
	}
	return s.follower.options.Transform(obj)
}
