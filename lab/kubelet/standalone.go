package kubelet

import (
	"fmt"
	"net/netip"
	"sync"

	"github.com/slicewright/slicewright/lab/address"
	"github.com/slicewright/slicewright/lab/sandbox"
)

// Standalone are listeners without Pods, for Services whose slices are written
// by hand. They answer as Pods do. Its methods may be called concurrently.
type Standalone struct {
	addresses *sandbox.Addresses
	events    *EventLog

	mu      sync.Mutex
	servers map[netip.AddrPort]*Server // guarded by mu
}

// NewStandalone returns one without listeners.
func NewStandalone(addresses *sandbox.Addresses, events *EventLog) *Standalone {
	return &Standalone{addresses: addresses, events: events, servers: map[netip.AddrPort]*Server{}}
}

// Listen opens port on every address of the ranges. An address that already
// listens is left as it is.
func (s *Standalone) Listen(ranges []address.Range, port uint16) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range ranges {
		for _, a := range r.All() {
			if err := s.listen(netip.AddrPortFrom(a, port)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Standalone) listen(at netip.AddrPort) error {
	if _, ok := s.servers[at]; ok {
		return nil
	}
	if err := s.addresses.Add(at.Addr()); err != nil {
		return err
	}
	name := "listener-" + at.Addr().String()
	server, err := Listen(Identity{Name: name}, []netip.Addr{at.Addr()}, []uint16{at.Port()})
	if err != nil {
		return fmt.Errorf("%w (%v)", err, s.addresses.Remove(at.Addr()))
	}
	s.servers[at] = server
	s.events.Record(Event{Event: EventListening, Name: name, IPs: []netip.Addr{at.Addr()}})
	return nil
}

// Close closes every listener in the ranges and cuts what is open. Without
// ranges it closes all.
func (s *Standalone) Close(ranges ...address.Range) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for at, server := range s.servers {
		if len(ranges) > 0 && !contains(ranges, at.Addr()) {
			continue
		}
		server.Close()
		delete(s.servers, at)
		s.events.Record(Event{Event: EventStopped, Name: server.identity.Name, IPs: []netip.Addr{at.Addr()}})
		if err := s.addresses.Remove(at.Addr()); err != nil {
			return err
		}
	}
	return nil
}

func contains(ranges []address.Range, a netip.Addr) bool {
	for _, r := range ranges {
		if r.Contains(a) {
			return true
		}
	}
	return false
}
