package publish

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/slicewright/slicewright/endpointset"
)

// A Fleet is all the publishers of a process. Build it with [NewFleet], then
// Run it; Changed and Statuses may be called from any goroutine.
type Fleet struct {
	publishers []*Publisher
	byService  map[endpointset.ServiceKey][]*Publisher
}

// NewFleet returns a fleet of publishers. Two with one target would undo each
// other's work and are an error.
func NewFleet(publishers ...*Publisher) (*Fleet, error) {
	f := &Fleet{publishers: publishers, byService: make(map[endpointset.ServiceKey][]*Publisher)}
	writers := map[string]string{}
	for _, p := range publishers {
		target := p.driver.Target()
		if other, taken := writers[target]; taken {
			return nil, fmt.Errorf("upstreams %q and %q both write %s: give each its own", other, p.upstream.Name, target)
		}
		writers[target] = p.upstream.Name
		f.byService[p.upstream.Service] = append(f.byService[p.upstream.Service], p)
	}
	return f, nil
}

// Run runs all publishers until ctx ends.
func (f *Fleet) Run(ctx context.Context) {
	var running sync.WaitGroup
	for _, p := range f.publishers {
		running.Go(func() { p.Run(ctx) })
	}
	running.Wait()
}

// Changed wakes the publishers of the Services that changed.
func (f *Fleet) Changed(changes []endpointset.Change) {
	for i := range changes {
		for _, p := range f.byService[changes[i].Service] {
			p.Wake(changes[i].Trigger)
		}
	}
}

// Opened wakes all publishers: the gate is open.
func (f *Fleet) Opened() {
	for _, p := range f.publishers {
		p.Wake(time.Time{})
	}
}

// Statuses returns how each publisher is doing, in the order of [NewFleet].
func (f *Fleet) Statuses() []Status {
	statuses := make([]Status, len(f.publishers))
	for i, p := range f.publishers {
		statuses[i] = p.Status()
	}
	return statuses
}
