package live

import (
	"context"
	"errors"
	"net/netip"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/publication"
	"github.com/slicewright/slicewright/endpointset"
)

// Published says how the four facts of publishNotReadyAddresses are measured
// (package publication): discovery by the Consumers, ordinary requests by the
// first of the Probes, health by Health.
type Published struct {
	Health   func(address netip.AddrPort) (verify.Prober, error)
	Requests int
}

// published measures the four facts, once all has settled.
func (r *Runner) published(ctx context.Context) (*publication.Table, error) {
	if r.config.Published == nil || ctx.Err() != nil {
		return nil, nil
	}
	r.config.Say("measuring who is published")
	sources := publication.Sources{
		Slices: r.backends, Health: r.config.Published.Health, Discovery: r.config.Consumers, Requests: r.config.Published.Requests,
	}
	if len(r.config.Probes) > 0 {
		sources.Request = r.config.Probes[0]
	}
	table, err := publication.Measure(ctx, sources)
	if err != nil {
		return nil, err
	}
	return &table, nil
}

// backends returns what the slices have now, of the port and family that were chosen.
func (r *Runner) backends(context.Context) ([]endpointset.Backend, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lost || r.set == nil {
		return nil, errors.New("they cannot be read at present")
	}
	var all []endpointset.Backend
	for _, b := range r.set.Backends() {
		if r.config.Query.Matches(b.ID) {
			all = append(all, b)
		}
	}
	return all, nil
}
