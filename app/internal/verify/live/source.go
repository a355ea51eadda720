package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	discoveryclient "k8s.io/client-go/kubernetes/typed/discovery/v1"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/watch"
)

// Source says what the slices of a Service say.
type Source interface {
	// Run tells until ctx ends, which is no error. It calls t from one goroutine
	// at a time.
	Run(ctx context.Context, t Teller) error
}

// Teller is who is told.
type Teller interface {
	// Set: the slices say this from now on.
	Set(*endpointset.Set)
	// Lost: they cannot be read since a moment. Back: they can be again.
	Lost(since time.Time, why string)
	Back()
}

// Fixed is a source of slices that do not change, such as manifests.
type Fixed struct{ *endpointset.Set }

// Run implements Source.
func (f Fixed) Run(ctx context.Context, t Teller) error {
	t.Set(f.Set)
	<-ctx.Done()
	return nil
}

// Cluster is a source that watches an API server.
type Cluster struct {
	Client  discoveryclient.EndpointSlicesGetter
	Service endpointset.ServiceKey
}

// healthInterval is how often the state of the watch is looked at. When it was
// lost is known exactly; this is for how soon.
const healthInterval = 100 * time.Millisecond

// Run implements Source.
func (c Cluster) Run(ctx context.Context, t Teller) error {
	// Wakes hold one token, because the reader takes the newest set anyway.
	woken := make(chan struct{}, 1)
	w := watch.New(c.Client, watch.Options{
		Namespaces: []string{c.Service.Namespace},
		Changed: func(changes []endpointset.Change) {
			if slices.ContainsFunc(changes, func(ch endpointset.Change) bool { return ch.Service == c.Service }) {
				select {
				case woken <- struct{}{}:
				default:
				}
			}
		},
	})
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { w.Run(ctx); close(done) }()
	defer func() { cancel(); <-done }()

	tick := time.NewTicker(healthInterval)
	defer tick.Stop()
	told, lost := false, false
	for {
		news := false
		select {
		case <-ctx.Done():
			return nil
		case <-woken:
			news = true
		case <-tick.C:
		}
		if !w.Synced() {
			continue
		}
		if health := w.Health()[0]; health.Degraded {
			if !lost {
				t.Lost(health.Since, fmt.Sprint(health.Err))
			}
			lost = true
			continue
		}
		// What changed while it was lost counts before "back" does.
		if news || !told || lost {
			t.Set(w.Index().Service(c.Service))
			told = true
		}
		if lost {
			lost = false
			t.Back()
		}
	}
}

// ErrPort says that a port is not there, or has to be chosen.
var ErrPort = errors.New("which port?")

// Selector chooses the backends of a set that a consumer should use.
type Selector struct {
	Policy   endpointset.Policy
	Location endpointset.Location
	// Port and Protocol choose one port if Named is set; else the Service must
	// have one alone.
	Port     string
	Protocol string
	Named    bool
	// Family is the IP family that the consumer uses; 0 is both. Addresses of the
	// other family do not count for it.
	Family endpointset.Family
}

// Select returns the chosen part of a set.
func (s Selector) Select(set *endpointset.Set) endpointset.Selection {
	sel := set.Select(s.Policy, s.Location)
	if s.Named {
		sel = sel.Port(s.Port, s.Protocol)
	}
	if s.Family != 0 {
		other := func(b endpointset.Backend) bool { return b.Family() != s.Family }
		sel.Active = slices.DeleteFunc(slices.Clone(sel.Active), other)
		sel.Draining = slices.DeleteFunc(slices.Clone(sel.Draining), other)
		sel.Excluded = slices.DeleteFunc(slices.Clone(sel.Excluded), func(x endpointset.Exclusion) bool { return other(x.Backend) })
	}
	return sel
}

// Check says whether the choice is one: an error names the ports that there are.
func (s Selector) Check(set *endpointset.Set) error {
	var ports []string
	found := false
	for _, b := range set.Backends() {
		name := fmt.Sprintf("%q/%s", b.PortName, b.Protocol)
		if !slices.Contains(ports, name) {
			ports = append(ports, name)
		}
		found = found || b.PortName == s.Port && b.Protocol == s.Protocol
	}
	switch {
	case s.Named && !found && len(ports) > 0:
		return fmt.Errorf("%w: Service %s has no port %q/%s but %s", ErrPort, set.Service(), s.Port, s.Protocol, strings.Join(ports, ", "))
	case !s.Named && len(ports) > 1:
		return fmt.Errorf("%w: Service %s has the ports %s, and a consumer is of one of them", ErrPort, set.Service(), strings.Join(ports, ", "))
	}
	return nil
}
