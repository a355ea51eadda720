package watch_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/internal/slicetest"
	"github.com/slicewright/slicewright/watch"
)

// A handler tells what an event changed, and nothing of an event that changed
// nothing. A tombstone deletes; an object of another kind does nothing.
func TestHandlerTellsChangesAlone(t *testing.T) {
	ix := endpointset.NewIndex(endpointset.Options{})
	told := 0
	h := watch.Handler(ix, func(changes []endpointset.Change) { told += len(changes) })
	es := slicetest.Service("web", 1, 1)[0]
	small, err := watch.Transform(ix)(es)
	if err != nil {
		t.Fatal(err)
	}
	if _, whole := small.(*discoveryv1.EndpointSlice); whole {
		t.Error("the transform keeps the whole slice")
	}
	pod := &corev1.Pod{}
	if kept, err := watch.Transform(ix)(pod); kept != any(pod) || err != nil {
		t.Errorf("a Pod became %T, %v", kept, err)
	}
	var got []int
	for _, event := range []func(){
		func() { h.OnAdd(small, true) },
		func() { h.OnUpdate(small, small) },
		func() { h.OnAdd(es, false) },
		func() { h.OnAdd(pod, false) },
		func() { h.OnDelete(cache.DeletedFinalStateUnknown{Key: es.Namespace + "/" + es.Name, Obj: small}) },
		func() { h.OnDelete(es) },
	} {
		told = 0
		event()
		got = append(got, told)
	}
	if diff := cmp.Diff([]int{1, 0, 0, 0, 1, 0}, got); diff != "" {
		t.Errorf("changes told by each event (-want +got):\n%s", diff)
	}
	watch.Handler(ix, nil).OnAdd(es, false) // nobody is told, and nothing fails
	if len(ix.Services()) != 1 {
		t.Error("without somebody to tell, nothing was taken in")
	}
}

// Nobody is called with no changes: a caller may look at the first.
func TestHandlerIsNotCalledForNothing(t *testing.T) {
	ix := endpointset.NewIndex(endpointset.Options{})
	calls := 0
	h := watch.Handler(ix, func([]endpointset.Change) { calls++ })
	es := slicetest.Service("web", 1, 1)[0]
	h.OnAdd(es, false)
	h.OnUpdate(es, es)
	if calls != 1 {
		t.Errorf("called %d times", calls)
	}
}
