package timeline

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/slicewright/slicewright/endpointset"
)

// State is what existed at one moment: the fold of the events up to it. It is
// not safe for concurrent use. NewState makes an empty one.
type State struct {
	Slices   map[endpointset.SliceKey]*Slice
	Pods     map[string]Pod // by UID
	Services map[endpointset.ServiceKey]Service
}

// NewState returns the state before any event.
func NewState() *State {
	return &State{
		Slices:   map[endpointset.SliceKey]*Slice{},
		Pods:     map[string]Pod{},
		Services: map[endpointset.ServiceKey]Service{},
	}
}

// Apply folds one event in. An event that was made by another state's methods
// is applied as the difference that it is.
func (s *State) Apply(ev Event) {
	switch {
	case ev.Slice != nil:
		s.applySlice(ev.Op, ev.Slice)
	case ev.Pod != nil:
		if ev.Op.Gone() {
			delete(s.Pods, ev.Pod.UID)
		} else {
			s.Pods[ev.Pod.UID] = *ev.Pod
		}
	case ev.Service != nil:
		if ev.Op.Gone() {
			delete(s.Services, ev.Service.Key)
		} else {
			s.Services[ev.Service.Key] = *ev.Service
		}
	}
}

func (s *State) applySlice(op Op, change *SliceChange) {
	if op.Gone() {
		delete(s.Slices, change.Key)
		return
	}
	slice := s.Slices[change.Key]
	if slice == nil {
		slice = &Slice{Entries: make(map[EntryKey]Endpoint, len(change.Endpoints))}
		s.Slices[change.Key] = slice
	}
	slice.SliceHeader = change.SliceHeader
	slice.ResourceVersion = change.ResourceVersion
	slice.Written, slice.Triggered = change.Written, change.Triggered
	for i := range change.Endpoints {
		e := &change.Endpoints[i]
		if e.Removed {
			delete(slice.Entries, e.EntryKey)
		} else {
			slice.Entries[e.EntryKey] = e.Endpoint
		}
	}
}

// SliceChange returns what a write of obj changes in the state, which stays as
// it is. It does not keep obj.
func (s *State) SliceChange(obj *discoveryv1.EndpointSlice) *SliceChange {
	change := &SliceChange{
		SliceHeader:     headerOf(obj),
		ResourceVersion: obj.ResourceVersion,
		Written:         newestWrite(&obj.ObjectMeta),
		Triggered:       triggerTime(obj),
	}
	var before map[EntryKey]Endpoint
	if old := s.Slices[change.Key]; old != nil {
		before = old.Entries
	}
	now := entriesOf(obj)
	for key, e := range now {
		if old, ok := before[key]; !ok || old != e {
			change.Endpoints = append(change.Endpoints, EndpointChange{EntryKey: key, Endpoint: e})
		}
	}
	for key, e := range before {
		if _, ok := now[key]; !ok {
			change.Endpoints = append(change.Endpoints, EndpointChange{EntryKey: key, Removed: true, Endpoint: e})
		}
	}
	slices.SortFunc(change.Endpoints, func(a, b EndpointChange) int { return a.compare(b.EntryKey) })
	return change
}

// SliceEnd returns the change that takes a slice away with all that it holds
// (S17: by its last known content). It is nil for a slice that is not there.
func (s *State) SliceEnd(key endpointset.SliceKey) *SliceChange {
	slice := s.Slices[key]
	if slice == nil {
		return nil
	}
	change := slice.restate()
	for i := range change.Endpoints {
		change.Endpoints[i].Removed = true
	}
	return change
}

// PodChanged reports whether p says anything that the state does not have.
func (s *State) PodChanged(p Pod) bool {
	old, ok := s.Pods[p.UID]
	return !ok || !old.same(p)
}

// ServiceChanged reports whether svc says anything that the state does not have.
func (s *State) ServiceChanged(svc Service) bool {
	old, ok := s.Services[svc.Key]
	return !ok || !old.same(svc)
}

// Restate returns the state as events that give it again when they are applied
// to an empty one, in a fixed order. Their Seq and At are not set.
func (s *State) Restate() []Event {
	var events []Event
	for _, key := range sortedKeys(s.Services, compareServices) {
		svc := s.Services[key]
		events = append(events, Event{Op: Restated, Service: &svc})
	}
	for _, uid := range sortedKeys(s.Pods, strings.Compare) {
		pod := s.Pods[uid]
		events = append(events, Event{Op: Restated, Pod: &pod})
	}
	for _, key := range sortedKeys(s.Slices, compareSlices) {
		events = append(events, Event{Op: Restated, Slice: s.Slices[key].restate()})
	}
	return events
}

// restate returns the whole slice as a change from nothing.
func (s *Slice) restate() *SliceChange {
	change := &SliceChange{
		SliceHeader: s.SliceHeader, ResourceVersion: s.ResourceVersion,
		Written: s.Written, Triggered: s.Triggered,
		Endpoints: make([]EndpointChange, 0, len(s.Entries)),
	}
	for _, key := range s.sortedEntries() {
		change.Endpoints = append(change.Endpoints, EndpointChange{EntryKey: key, Endpoint: s.Entries[key]})
	}
	return change
}

// Object returns the slice as the API's object, as far as it was recorded: all
// that a set depends on. Entries come sorted by address.
func (s *Slice) Object() *discoveryv1.EndpointSlice {
	obj := &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: s.Key.Namespace, Name: s.Key.Name, UID: types.UID(s.UID),
			ResourceVersion: s.ResourceVersion,
			Labels:          map[string]string{},
		},
		AddressType: discoveryv1.AddressType(s.AddressType),
	}
	if s.Service != "" {
		obj.Labels[discoveryv1.LabelServiceName] = s.Service
	}
	if s.ManagedBy != "" {
		obj.Labels[discoveryv1.LabelManagedBy] = s.ManagedBy
	}
	if !s.Triggered.IsZero() {
		obj.Annotations = map[string]string{corev1.EndpointsLastChangeTriggerTime: s.Triggered.Format(rfc3339Micro)}
	}
	for _, p := range s.PortList() {
		port := discoveryv1.EndpointPort{Name: &p.Name, Protocol: (*corev1.Protocol)(&p.Protocol)}
		if p.Number != 0 {
			number := int32(p.Number)
			port.Port = &number
		}
		if p.AppProtocol != "" {
			port.AppProtocol = &p.AppProtocol
		}
		obj.Ports = append(obj.Ports, port)
	}
	for _, key := range s.sortedEntries() {
		obj.Endpoints = append(obj.Endpoints, s.Entries[key].object())
	}
	return obj
}

func (e Endpoint) object() discoveryv1.Endpoint {
	out := discoveryv1.Endpoint{
		Addresses: splitList(e.Addresses),
		Conditions: discoveryv1.EndpointConditions{
			Ready: e.Ready.Pointer(), Serving: e.Serving.Pointer(), Terminating: e.Terminating.Pointer(),
		},
	}
	if e.Hostname != "" {
		out.Hostname = &e.Hostname
	}
	if e.Node != "" {
		out.NodeName = &e.Node
	}
	if e.Zone != "" {
		out.Zone = &e.Zone
	}
	if e.ForZones != "" || e.ForNodes != "" {
		out.Hints = &discoveryv1.EndpointHints{}
		for _, z := range splitList(e.ForZones) {
			out.Hints.ForZones = append(out.Hints.ForZones, discoveryv1.ForZone{Name: z})
		}
		for _, n := range splitList(e.ForNodes) {
			out.Hints.ForNodes = append(out.Hints.ForNodes, discoveryv1.ForNode{Name: n})
		}
	}
	if t := e.Target; t != (endpointset.Target{}) {
		out.TargetRef = &corev1.ObjectReference{Kind: t.Kind, Namespace: t.Namespace, Name: t.Name, UID: types.UID(t.UID)}
	}
	return out
}

func (s *Slice) sortedEntries() []EntryKey {
	return sortedKeys(s.Entries, EntryKey.compare)
}

func (k EntryKey) compare(other EntryKey) int {
	return cmp.Or(
		strings.Compare(k.Address, other.Address),
		cmp.Compare(k.N, other.N),
	)
}

func compareSlices(a, b endpointset.SliceKey) int {
	return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}

func compareServices(a, b endpointset.ServiceKey) int {
	return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}

func sortedKeys[K comparable, V any](m map[K]V, compare func(a, b K) int) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, compare)
	return keys
}
