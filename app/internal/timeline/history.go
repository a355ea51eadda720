package timeline

import (
	"slices"
	"strings"
	"time"

	"github.com/slicewright/slicewright/endpointset"
)

// History is what a recording tells, arranged by Service and address. Make one
// with a Builder.
type History struct {
	// From and Until bound what was recorded.
	From, Until time.Time
	// Services are sorted by namespace and name.
	Services []*ServiceHistory
	// Pods are by UID.
	Pods         map[string]*PodHistory
	Gaps         []Gap
	Observations []Observation
}

// ServiceHistory is what happened to one Service.
type ServiceHistory struct {
	Key endpointset.ServiceKey
	// Lanes are sorted by address.
	Lanes []*Lane
	// Facts are the Service object's own changes.
	Facts []ServiceFact
	// Counts are how many addresses it had, whenever that changed.
	Counts []Count
	// Writes is how often its slices were written, and Empty those writes that
	// changed nothing with a meaning (S18).
	Writes int
	Empty  []Write
}

// ServiceFact is a Service from a moment on.
type ServiceFact struct {
	At      time.Time
	Clock   Clock
	Op      Op
	Service Service
}

// Count is how many addresses a Service had from a moment on.
type Count struct {
	At    time.Time
	Clock Clock
	// Ready are those for new connections under the policy "ready", Known all in
	// its slices.
	Ready, Known int
}

// Write is one write of a slice.
type Write struct {
	At              time.Time
	Clock           Clock
	Slice           string
	ResourceVersion string
}

// PublishNotReady returns the Service's publishNotReadyAddresses at t. Known is
// false where the recording does not say.
func (s *ServiceHistory) PublishNotReady(t time.Time) (value, known bool) {
	for _, f := range s.Facts {
		if f.At.After(t) {
			break
		}
		value, known = f.Service.PublishNotReady, !f.Op.Gone()
	}
	return value, known
}

// PodHistory is what one Pod said of itself.
type PodHistory struct {
	// Changes are in order; there is at least one.
	Changes []PodChange
}

// PodChange is a Pod from a moment on.
type PodChange struct {
	At    time.Time
	Clock Clock
	Op    Op
	Pod   Pod
}

// Last returns what the Pod said last.
func (p *PodHistory) Last() Pod { return p.Changes[len(p.Changes)-1].Pod }

// At returns the Pod as it was known at t. Known is false before the first fact
// of it and after it was gone.
func (p *PodHistory) At(t time.Time) (pod Pod, known bool) {
	for _, c := range p.Changes {
		if c.At.After(t) {
			break
		}
		pod, known = c.Pod, !c.Op.Gone()
	}
	return pod, known
}

// Gone returns the change with which the Pod went away, or nil.
func (p *PodHistory) Gone() *PodChange {
	if c := &p.Changes[len(p.Changes)-1]; c.Op.Gone() {
		return c
	}
	return nil
}

// Deletion returns the first change in which the Pod's deletion shows, or nil.
func (p *PodHistory) Deletion() *PodChange {
	for i := range p.Changes {
		if !p.Changes[i].Pod.GraceEnds.IsZero() {
			return &p.Changes[i]
		}
	}
	return nil
}

// Builder makes a History of events. The zero value is ready to use.
type Builder struct {
	state    *State
	services map[endpointset.ServiceKey]*serviceBuilder
	gaps     Gaps
	history  History
}

type serviceBuilder struct {
	ServiceHistory
	lanes        map[string]*Lane
	ready, known int
}

// Add takes the next event. Events must come in order of Seq.
func (b *Builder) Add(ev Event) {
	if b.state == nil {
		b.state = NewState()
		b.services = map[endpointset.ServiceKey]*serviceBuilder{}
		b.history = History{From: ev.At, Pods: map[string]*PodHistory{}}
	}
	b.history.Until = later(b.history.Until, ev.At)
	switch {
	case ev.Slice != nil:
		b.addSlice(ev)
	case ev.Pod != nil:
		b.addPod(ev)
	case ev.Service != nil:
		b.addService(ev)
	case ev.Gap != nil:
		b.gaps.Add(*ev.Gap)
	case ev.Observation != nil:
		b.history.Observations = append(b.history.Observations, *ev.Observation)
		b.history.Until = later(b.history.Until, ev.Observation.Last)
	}
}

// Build ends the history at until, or at the last event if that is later. The
// builder must not be used afterwards.
func (b *Builder) Build(until time.Time) *History {
	h := &b.history
	if until.After(h.Until) {
		h.Until = until
	}
	h.Gaps = b.gaps.List(h.Until)
	for _, key := range sortedKeys(b.services, compareServices) {
		svc := b.services[key]
		for _, address := range sortedKeys(svc.lanes, compareAddresses) {
			lane := svc.lanes[address]
			if s := lane.open(); s != nil {
				s.To = h.Until
			}
			svc.Lanes = append(svc.Lanes, lane)
		}
		h.Services = append(h.Services, &svc.ServiceHistory)
	}
	return h
}

func (b *Builder) service(key endpointset.ServiceKey) *serviceBuilder {
	svc := b.services[key]
	if svc == nil {
		svc = &serviceBuilder{ServiceHistory: ServiceHistory{Key: key}, lanes: map[string]*Lane{}}
		b.services[key] = svc
	}
	return svc
}

func (b *Builder) addPod(ev Event) {
	if ev.Op == Restated && !b.state.PodChanged(*ev.Pod) {
		return
	}
	b.state.Apply(ev)
	pod := b.history.Pods[ev.Pod.UID]
	if pod == nil {
		pod = &PodHistory{}
		b.history.Pods[ev.Pod.UID] = pod
	}
	pod.Changes = append(pod.Changes, PodChange{ev.At, ev.Clock, ev.Op, *ev.Pod})
}

func (b *Builder) addService(ev Event) {
	if ev.Op == Restated && !b.state.ServiceChanged(*ev.Service) {
		return
	}
	b.state.Apply(ev)
	svc := b.service(ev.Service.Key)
	svc.Facts = append(svc.Facts, ServiceFact{ev.At, ev.Clock, ev.Op, *ev.Service})
}

// addSlice moves the lanes that the write touched: those of its changed
// endpoints; all of the slice's when it changed its Service; and those that are
// in another slice too, for which a newer version alone can change who speaks.
func (b *Builder) addSlice(ev Event) {
	change := ev.Slice
	var (
		oldService, newService endpointset.ServiceKey
		had, has               bool
		old                    = b.state.Slices[change.Key]
		touched                = map[*Lane]*serviceBuilder{}
	)
	if old != nil {
		oldService, had = old.ServiceKey()
	}
	newService, has = change.ServiceKey()
	if has = has && !ev.Op.Gone(); has {
		b.countWrite(ev, old)
	}

	// before is a copy only where everything moves; else the changes say enough.
	moves := old != nil && had && (!has || oldService != newService)
	if moves {
		for key := range old.Entries {
			b.touch(touched, oldService, key.Address)
			delete(b.service(oldService).lane(key.Address).present, presenceKey{change.Key, key})
		}
	}
	if had && has && !moves {
		for key := range old.Entries {
			if len(b.services[oldService].lanes[key.Address].present) > 1 {
				b.touch(touched, oldService, key.Address)
			}
		}
	}
	b.state.Apply(ev)
	if now := b.state.Slices[change.Key]; has && now != nil {
		if moves || !had {
			for key, e := range now.Entries {
				b.touch(touched, newService, key.Address).present[presenceKey{change.Key, key}] = e
			}
		} else {
			for i := range change.Endpoints {
				e := &change.Endpoints[i]
				lane := b.touch(touched, newService, e.Address)
				if e.Removed {
					delete(lane.present, presenceKey{change.Key, e.EntryKey})
				} else {
					lane.present[presenceKey{change.Key, e.EntryKey}] = e.Endpoint
				}
			}
		}
	}
	b.settle(ev, touched)
}

// countWrite counts a write, and keeps it apart when it changed nothing.
func (b *Builder) countWrite(ev Event, old *Slice) {
	if ev.Op != Added && ev.Op != Modified {
		return
	}
	key, _ := ev.Slice.ServiceKey()
	svc := b.service(key)
	svc.Writes++
	if old != nil && old.SliceHeader == ev.Slice.SliceHeader && len(ev.Slice.Endpoints) == 0 {
		svc.Empty = append(svc.Empty, Write{ev.At, ev.Clock, ev.Slice.Key.Name, ev.Slice.ResourceVersion})
	}
}

func (b *Builder) touch(touched map[*Lane]*serviceBuilder, key endpointset.ServiceKey, address string) *Lane {
	svc := b.service(key)
	lane := svc.lane(address)
	touched[lane] = svc
	return lane
}

func (b *Builder) settle(ev Event, touched map[*Lane]*serviceBuilder) {
	changed := map[*serviceBuilder]bool{}
	for lane, svc := range touched {
		ready, known := lane.settle(ev, func(k endpointset.SliceKey) *Slice { return b.state.Slices[k] })
		svc.ready += ready
		svc.known += known
		changed[svc] = changed[svc] || ready != 0 || known != 0
	}
	for svc, is := range changed {
		if is {
			svc.Counts = append(svc.Counts, Count{ev.At, ev.Clock, svc.ready, svc.known})
		}
	}
}

func (s *serviceBuilder) lane(address string) *Lane {
	lane := s.lanes[address]
	if lane == nil {
		lane = &Lane{Service: s.Key, Address: address, present: map[presenceKey]Endpoint{}}
		s.lanes[address] = lane
	}
	return lane
}

// Lane returns the Service's lane for an address, or nil.
func (s *ServiceHistory) Lane(address string) *Lane {
	i, ok := slices.BinarySearchFunc(s.Lanes, address, func(l *Lane, a string) int { return compareAddresses(l.Address, a) })
	if !ok {
		return nil
	}
	return s.Lanes[i]
}

// compareAddresses orders addresses as numbers (S8), what is no address after
// them.
func compareAddresses(a, b string) int {
	x, errX := parseAddr(a)
	y, errY := parseAddr(b)
	switch {
	case errX == nil && errY == nil:
		if c := x.Compare(y); c != 0 {
			return c
		}
	case errX == nil:
		return -1
	case errY == nil:
		return 1
	}
	return strings.Compare(a, b)
}
