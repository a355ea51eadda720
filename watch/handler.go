package watch

import (
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/slicewright/slicewright/endpointset"
)

// Handler returns a handler that keeps ix equal to an informer's EndpointSlices:
// for programs that already have a shared informer. Publish nothing before the
// HasSynced of the handler's registration, not of the informer, is true (S14).
//
// changed is called with what an event changed, in the informer's goroutine;
// nil is not called. The informer must hold whole EndpointSlices, or have
// [Transform] as its transform.
func Handler(ix *endpointset.Index, changed func([]endpointset.Change)) cache.ResourceEventHandler {
	tell := func(changes []endpointset.Change) {
		if changed != nil && len(changes) > 0 {
			changed(changes)
		}
	}
	put := func(obj any) {
		switch obj := obj.(type) {
		case *discoveryv1.EndpointSlice:
			tell(ix.Apply(ix.Parse(obj)))
		case parsed:
			tell(ix.Apply(obj.Slice))
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    put,
		UpdateFunc: func(_, obj any) { put(obj) },
		DeleteFunc: func(obj any) {
			// Only the name counts: the object may be a tombstone, and may have
			// lost its labels (S17).
			if name, err := cache.DeletionHandlingObjectToName(obj); err == nil {
				tell(ix.Delete(endpointset.SliceKey{Namespace: name.Namespace, Name: name.Name}))
			}
		},
	}
}

// Transform returns a transform for an informer that a [Handler] of the same
// index is registered with. The informer then keeps what the index keeps
// anyway, much less than an EndpointSlice; its lister holds no EndpointSlices.
func Transform(ix *endpointset.Index) cache.TransformFunc {
	return func(obj any) (any, error) {
		if es, ok := obj.(*discoveryv1.EndpointSlice); ok {
			return parsed{ix.Parse(es)}, nil
		}
		return obj, nil
	}
}
