package live

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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

// Run implements Source.
func (c Cluster) Run(ctx context.Context, t Teller) error {
	// Each wake holds one token: the newest set and state are read anyway.
	changed, healthChanged := make(chan struct{}, 1), make(chan struct{}, 1)
	wake := func(woken chan struct{}) {
		select {
		case woken <- struct{}{}:
		default:
		}
	}
	w := watch.New(c.Client, watch.Options{
		Namespaces: []string{c.Service.Namespace},
		Changed: func(changes []endpointset.Change) {
			if slices.ContainsFunc(changes, func(ch endpointset.Change) bool { return ch.Service == c.Service }) {
				wake(changed)
			}
		},
		HealthChanged: func(watch.Health) { wake(healthChanged) },
		Logger:        slog.New(slog.DiscardHandler), // the report says what is lost
	})
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { w.Run(ctx); close(done) }()
	defer func() { cancel(); <-done }()

	told, lost := false, false
	for {
		news := false
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
			news = true
		case <-healthChanged:
		}
		health := w.Health()[0]
		if !health.Synced {
			continue
		}
		if health.Degraded {
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

// checkPort says whether the query is about one port: a consumer is of one, and
// an error names the ports that there are.
func checkPort(q endpointset.Query, set *endpointset.Set) error {
	name, chosen := q.Port.Name()
	var ports []string
	found := false
	for _, p := range set.Ports() {
		ports = append(ports, fmt.Sprintf("%q/%s", p.Name, p.Protocol))
		found = found || chosen && p.Name == name && p.Protocol == q.Protocol
	}
	ports = slices.Compact(ports)
	switch {
	case chosen && !found && len(ports) > 0:
		return fmt.Errorf("%w: Service %s has no port %q/%s but %s", ErrPort, set.Service(), name, q.Protocol, strings.Join(ports, ", "))
	case !chosen && len(ports) > 1:
		return fmt.Errorf("%w: Service %s has the ports %s, and a consumer is of one of them", ErrPort, set.Service(), strings.Join(ports, ", "))
	}
	return nil
}
