package live

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/slicewright/slicewright/app/internal/shadow"
	"github.com/slicewright/slicewright/endpointset"
)

type name = types.NamespacedName

// touch notes Services of which a source changed. mu must be held.
func (w *Watcher) touch(changed []endpointset.ServiceKey) {
	for _, key := range changed {
		if w.named != nil && !w.named[key] && !slices.Contains(w.options.Namespaces, key.Namespace) {
			continue
		}
		w.service(key)
		w.dirty[key] = true
	}
	if len(changed) > 0 {
		w.wake()
	}
}

// reconsider makes every Service of a source settle again, after the source
// could be read for the first time, or again, or no longer. mu must be held.
func (w *Watcher) reconsider(s *source) {
	for key := range w.services {
		if s.covers(key) {
			w.dirty[key] = true
		}
	}
	w.wake()
}

// wake never blocks: one wake-up that waits is enough.
func (w *Watcher) wake() {
	select {
	case w.woken <- struct{}{}:
	default:
	}
}

func (s *source) covers(key endpointset.ServiceKey) bool {
	return (s.namespace == "" || s.namespace == key.Namespace) && (s.service == "" || s.service == key.Name)
}

// blocked returns the source for want of which a Service cannot be judged, nil
// if it can be. What only decides about classes must have answered once, be it
// with a refusal: else the first judgement would name another class than the
// second. mu must be held.
func (w *Watcher) blocked(key endpointset.ServiceKey) *source {
	for _, s := range w.sources {
		// A Service with a reference needs no Endpoints.
		if s.name == endpointsResource.name && w.options.Reference[key] != nil {
			continue
		}
		if s.covers(key) && (s.pending() || s.needed && !s.good()) {
			return s
		}
	}
	return nil
}

// input is what is compared of a Service. mu must be held.
func (w *Watcher) input(key endpointset.ServiceKey) shadow.Input {
	seen := looked{services: true, pods: true, nodes: true}
	for _, s := range w.sources {
		if s.good() || s.name != nodesResource.name && !s.covers(key) {
			continue
		}
		switch s.name {
		case servicesResource.name:
			seen.services = false
		case podsResource.name:
			seen.pods = false
		case nodesResource.name:
			seen.nodes = false
		}
	}
	in := w.objects.input(key, seen)
	in.Reference = w.options.Reference[key]
	return in
}

func (w *Watcher) uid(key endpointset.ServiceKey) string {
	for _, s := range w.objects.services.of(name(key)) {
		return string(s.UID)
	}
	return ""
}

// Report is what was seen so far.
func (w *Watcher) Report() *shadow.Report {
	w.mu.Lock()
	defer w.mu.Unlock()
	var parts []shadow.ServiceReport
	for _, key := range w.compared() {
		parts = append(parts, w.services[key].history.Report(key, w.reason(key)))
	}
	var unread []shadow.Unread
	for _, s := range w.sources {
		if !s.good() {
			unread = append(unread, s.unread())
		}
	}
	slices.SortFunc(unread, compareUnread)
	return shadow.NewReport(w.began, time.Now(), w.window, parts, unread)
}

// compared are the Services of a report, in order: those that were asked for and
// those that were there, even if they are gone by now.
func (w *Watcher) compared() []endpointset.ServiceKey {
	var all []endpointset.ServiceKey
	for key, s := range w.services {
		_, at := s.history.Last()
		if w.named[key] || w.objects.has(key) || !at.IsZero() {
			all = append(all, key)
		}
	}
	slices.SortFunc(all, compareKeys)
	return all
}

// reason says why a Service has not been judged.
func (w *Watcher) reason(key endpointset.ServiceKey) string {
	if s := w.blocked(key); s != nil {
		return fmt.Sprintf("%s cannot be read: %s", s.name, s.unread().Problem)
	}
	if !w.objects.has(key) {
		return "there are neither Endpoints nor EndpointSlices of that name"
	}
	return "it has not settled yet"
}

// Refused reports that in no namespace a Service can be judged, for want of
// permission: waiting is of no use.
func (w *Watcher) Refused() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	refused := map[string]bool{}
	for _, s := range w.sources {
		if s.needed {
			refused[s.namespace] = refused[s.namespace] || s.refused()
		}
	}
	return !slices.Contains(slices.Collect(maps.Values(refused)), false)
}

// age is how long ago the Service was judged that was judged longest ago; false
// while one was never. mu must be held.
func (w *Watcher) age(now time.Time) (time.Duration, bool) {
	oldest, all := now, w.compared()
	for _, key := range all {
		_, at := w.services[key].history.Last()
		if at.IsZero() {
			return 0, false
		}
		if at.Before(oldest) && w.objects.has(key) {
			oldest = at
		}
	}
	return now.Sub(oldest), len(all) > 0
}

func compareUnread(a, b shadow.Unread) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Resource, b.Resource))
}
