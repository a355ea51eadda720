package record

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/endpointset"
)

// A list replaces everything of its kind in its namespace ("" for all): what is
// listed and differs is an event, and what is missing is one.

func (a *applier) serviceList(ctx context.Context, m moment, namespace string, items []corev1.Service) error {
	here := map[endpointset.ServiceKey]bool{}
	for i := range items {
		here[endpointset.ServiceKey{Namespace: items[i].Namespace, Name: items[i].Name}] = true
		if err := a.service(ctx, m, timeline.Listed, &items[i]); err != nil {
			return err
		}
	}
	return a.missing(func(state *timeline.State) (gone []func() error) {
		for key := range state.Services {
			if !here[key] && within(namespace, key.Namespace) {
				gone = append(gone, func() error { return a.serviceGone(ctx, m, timeline.Missing, key) })
			}
		}
		return gone
	})
}

func (a *applier) sliceList(ctx context.Context, m moment, namespace string, items []discoveryv1.EndpointSlice) error {
	here := map[endpointset.SliceKey]bool{}
	for i := range items {
		here[endpointset.SliceKey{Namespace: items[i].Namespace, Name: items[i].Name}] = true
		if err := a.slice(ctx, m, timeline.Listed, &items[i]); err != nil {
			return err
		}
	}
	for key := range a.slices {
		if !here[key] && within(namespace, key.Namespace) {
			delete(a.slices, key)
		}
	}
	return a.missing(func(state *timeline.State) (gone []func() error) {
		for key := range state.Slices {
			if !here[key] && within(namespace, key.Namespace) {
				gone = append(gone, func() error { return a.sliceGone(ctx, m, timeline.Missing, key, "") })
			}
		}
		return gone
	})
}

func (a *applier) podList(ctx context.Context, m moment, namespace string, items []corev1.Pod) error {
	here := map[string]bool{}
	for i := range items {
		here[string(items[i].UID)] = true
		if err := a.pod(ctx, m, timeline.Listed, &items[i]); err != nil {
			return err
		}
	}
	for uid, pod := range a.pods {
		if !here[uid] && within(namespace, pod.Namespace) {
			delete(a.pods, uid)
		}
	}
	return a.missing(func(state *timeline.State) (gone []func() error) {
		for uid, pod := range state.Pods {
			if !here[uid] && within(namespace, pod.Namespace) {
				gone = append(gone, func() error { return a.podGone(ctx, m, timeline.Missing, uid, nil) })
			}
		}
		return gone
	})
}

// missing collects before it applies, since applying changes the state.
func (a *applier) missing(collect func(*timeline.State) []func() error) error {
	for _, gone := range collect(a.sink.State()) {
		if err := gone(); err != nil {
			return err
		}
	}
	return nil
}

func within(scope, namespace string) bool { return scope == "" || scope == namespace }
