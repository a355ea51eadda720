package watch

import (
	"fmt"

	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/slicewright/slicewright/endpointset"
)

// store is the reflector's store: the index itself.
type store struct {
	watcher *Watcher
	source  *source
}

var _ cache.TransformingStore = (*store)(nil)

// parsed is a slice as the index keeps it, in a form in which client-go can
// carry it.
type parsed struct{ *endpointset.Slice }

// GetObjectMeta returns the little that client-go asks for.
func (p parsed) GetObjectMeta() metav1.Object {
	return &metav1.ObjectMeta{Namespace: p.Key().Namespace, Name: p.Key().Name, ResourceVersion: p.ResourceVersion()}
}

// Transformer makes a streamed list small while it comes in.
func (s *store) Transformer() cache.TransformFunc {
	return func(obj any) (any, error) {
		if es, ok := obj.(*discoveryv1.EndpointSlice); ok {
			return parsed{s.watcher.index.Parse(es)}, nil
		}
		return obj, nil
	}
}

// Add takes an added slice.
func (s *store) Add(obj any) error { return s.Update(obj) }

// Update takes a slice's new content.
func (s *store) Update(obj any) error {
	slice, err := s.slice(obj)
	if err != nil {
		return err
	}
	s.tell(s.watcher.index.Apply(slice))
	return nil
}

// Delete takes the deletion of a slice. Of the object only the name counts.
func (s *store) Delete(obj any) error {
	slice, err := s.slice(obj)
	if err != nil {
		return err
	}
	s.tell(s.watcher.index.Delete(slice.Key()))
	return nil
}

// Replace takes a full list, as one step (S16), and opens the gate (S14).
func (s *store) Replace(list []any, _ string) error {
	all := make([]*endpointset.Slice, 0, len(list))
	for _, obj := range list {
		slice, err := s.slice(obj)
		if err != nil {
			return err
		}
		all = append(all, slice)
	}
	changes := s.watcher.index.Replace(s.source.namespace, all)
	s.source.listed(len(all))
	// Always told, even if nothing changed: an empty list opens the gate too.
	s.watcher.changed(changes)
	return nil
}

// Resync has nothing to do: there is no second copy to agree with.
func (s *store) Resync() error { return nil }

func (s *store) tell(changes []endpointset.Change) {
	if len(changes) > 0 {
		s.watcher.changed(changes)
	}
}

func (s *store) slice(obj any) (*endpointset.Slice, error) {
	switch obj := obj.(type) {
	case parsed:
		return obj.Slice, nil
	case *discoveryv1.EndpointSlice:
		return s.watcher.index.Parse(obj), nil
	}
	return nil, fmt.Errorf("watch: a %T instead of an EndpointSlice", obj)
}
