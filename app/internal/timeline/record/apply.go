package record

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/endpointset"
)

// Sink is where events go: a store.Writer, or a test's memory.
type Sink interface {
	// State is what the events so far add up to.
	State() *timeline.State
	// Append takes the next event and adds it to the state.
	Append(ctx context.Context, ev timeline.Event) error
	// Until is the moment of the last event, zero before the first.
	Until() time.Time
}

// moment is when something happened, and who says so.
type moment struct {
	at    time.Time
	clock timeline.Clock
}

// applier turns the API's objects into events of what changed, for those
// objects that belong to its scope.
type applier struct {
	sink  Sink
	scope Scope
	// selectors are those of the Services that belong.
	selectors map[endpointset.ServiceKey]labels.Selector
	// slices are those that do not belong yet; only a scope that is not fixed
	// needs them, for the Service that turns out to belong.
	slices map[endpointset.SliceKey]*discoveryv1.EndpointSlice
	// pods are those that no Service was seen to have yet, by UID: a slice can
	// name one that was here before.
	pods map[string]timeline.Pod
	// targets are the UIDs that slices of the scope ever named.
	targets map[string]bool
}

func newApplier(sink Sink, scope Scope) *applier {
	a := &applier{
		sink: sink, scope: scope,
		selectors: map[endpointset.ServiceKey]labels.Selector{},
		slices:    map[endpointset.SliceKey]*discoveryv1.EndpointSlice{},
		pods:      map[string]timeline.Pod{},
		targets:   map[string]bool{},
	}
	for _, s := range sink.State().Slices {
		for _, e := range s.Entries {
			a.targets[e.Target.UID] = true
		}
	}
	return a
}

func (a *applier) append(ctx context.Context, m moment, ev timeline.Event) error {
	ev.At, ev.Clock = m.at, m.clock
	return a.sink.Append(ctx, ev)
}

// service takes a Service as it is now.
func (a *applier) service(ctx context.Context, m moment, op timeline.Op, obj *corev1.Service) error {
	svc := timeline.ServiceOf(obj)
	_, recorded := a.sink.State().Services[svc.Key]
	if !recorded && !a.scope.matches(obj) {
		return nil
	}
	_, joined := a.selectors[svc.Key]
	a.selectors[svc.Key] = podSelector(obj)
	if a.sink.State().ServiceChanged(svc) {
		if err := a.append(ctx, m, timeline.Event{Op: found(op, recorded), Service: &svc}); err != nil {
			return err
		}
	}
	if joined {
		return nil
	}
	for key, s := range a.slices {
		if key.Namespace == svc.Key.Namespace && s.Labels[discoveryv1.LabelServiceName] == svc.Key.Name {
			delete(a.slices, key)
			if err := a.slice(ctx, m, timeline.Listed, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// podSelector selects nothing for a Service without a selector.
func podSelector(svc *corev1.Service) labels.Selector {
	if len(svc.Spec.Selector) == 0 {
		return labels.Nothing()
	}
	return labels.SelectorFromSet(svc.Spec.Selector)
}

func (a *applier) serviceGone(ctx context.Context, m moment, op timeline.Op, key endpointset.ServiceKey) error {
	svc, ok := a.sink.State().Services[key]
	if !ok {
		return nil
	}
	// The selector stays: the Service's Pods are still of interest.
	return a.append(ctx, m, timeline.Event{Op: op, Service: &svc})
}

// slice takes a slice as it is now.
func (a *applier) slice(ctx context.Context, m moment, op timeline.Op, obj *discoveryv1.EndpointSlice) error {
	key := endpointset.SliceKey{Namespace: obj.Namespace, Name: obj.Name}
	old := a.sink.State().Slices[key]
	if old == nil && !a.belongs(obj) {
		if !a.scope.fixed() && (a.scope.Namespace == "" || a.scope.Namespace == obj.Namespace) {
			obj.ManagedFields = nil
			a.slices[key] = obj
		}
		return nil
	}
	change := a.sink.State().SliceChange(obj)
	if old != nil && old.ResourceVersion == change.ResourceVersion && len(change.Endpoints) == 0 && old.SliceHeader == change.SliceHeader {
		return nil // the same write again
	}
	if err := a.append(ctx, m, timeline.Event{Op: found(op, old != nil), Slice: change}); err != nil {
		return err
	}
	for i := range change.Endpoints {
		if err := a.target(ctx, m, change.Endpoints[i].Endpoint.Target.UID); err != nil {
			return err
		}
	}
	return nil
}

func (a *applier) belongs(obj *discoveryv1.EndpointSlice) bool {
	key := endpointset.ServiceKey{Namespace: obj.Namespace, Name: obj.Labels[discoveryv1.LabelServiceName]}
	if a.scope.fixed() {
		return a.scope.named(key)
	}
	_, ok := a.selectors[key]
	return ok
}

// target notes that a slice names a Pod, and records what is known of it.
func (a *applier) target(ctx context.Context, m moment, uid string) error {
	if uid == "" || a.targets[uid] {
		return nil
	}
	a.targets[uid] = true
	pod, ok := a.pods[uid]
	if !ok {
		return nil
	}
	delete(a.pods, uid)
	return a.append(ctx, m, timeline.Event{Op: timeline.Listed, Pod: &pod})
}

// sliceGone takes a slice away by what it last held (S17).
func (a *applier) sliceGone(ctx context.Context, m moment, op timeline.Op, key endpointset.SliceKey, version string) error {
	delete(a.slices, key)
	change := a.sink.State().SliceEnd(key)
	if change == nil {
		return nil
	}
	if version != "" {
		change.ResourceVersion = version
	}
	return a.append(ctx, m, timeline.Event{Op: op, Slice: change})
}

// pod takes a Pod as it is now.
func (a *applier) pod(ctx context.Context, m moment, op timeline.Op, obj *corev1.Pod) error {
	pod := timeline.PodOf(obj)
	_, recorded := a.sink.State().Pods[pod.UID]
	if !recorded && !a.targets[pod.UID] && !a.selected(obj) {
		a.pods[pod.UID] = pod
		return nil
	}
	delete(a.pods, pod.UID)
	if !a.sink.State().PodChanged(pod) {
		return nil
	}
	return a.append(ctx, m, timeline.Event{Op: found(op, recorded), Pod: &pod})
}

func (a *applier) selected(pod *corev1.Pod) bool {
	for key, selector := range a.selectors {
		if key.Namespace == pod.Namespace && selector.Matches(labels.Set(pod.Labels)) {
			return true
		}
	}
	return false
}

// podGone takes a Pod away; last is what it said with its end, if anything.
func (a *applier) podGone(ctx context.Context, m moment, op timeline.Op, uid string, last *timeline.Pod) error {
	delete(a.pods, uid)
	pod, ok := a.sink.State().Pods[uid]
	if !ok {
		return nil
	}
	if last != nil {
		pod = *last
	}
	return a.append(ctx, m, timeline.Event{Op: op, Pod: &pod})
}

// found is the operation that is true for the recording: what was there cannot
// be added, and what is modified without having been there was found.
func found(op timeline.Op, recorded bool) timeline.Op {
	switch {
	case recorded && op == timeline.Added:
		return timeline.Modified
	case !recorded && op == timeline.Modified:
		return timeline.Listed
	}
	return op
}
