package publication

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/probe"
	"github.com/slicewright/slicewright/endpointset"
)

// Sources are where the four facts come from. Slices is needed; what is nil or
// empty is not measured, and its facts are Unknown.
type Sources struct {
	// Slices returns the Service's backends, one port's if it has several. It is
	// asked twice, before and after the rest.
	Slices func(ctx context.Context) ([]endpointset.Backend, error)
	// Health returns what asks the application at an address itself.
	Health func(address netip.AddrPort) (verify.Prober, error)
	// Discovery are the consumers that are to have the addresses.
	Discovery []verify.Observer
	// Request asks the Service as its clients do, Requests times.
	Request  verify.Prober
	Requests int
	// Parallel bounds how many connections are made at once; 0 means 8.
	Parallel int
}

// Measure asks all sources and puts the answers side by side. An error means
// that the slices could not be read or a prober could not be made; a consumer
// that does not answer is part of the table.
func Measure(ctx context.Context, s Sources) (Table, error) {
	if s.Parallel <= 0 {
		s.Parallel = 8
	}
	m := Measured{Began: time.Now(), Health: map[netip.AddrPort]verify.Answer{}, Views: make([]Viewed, len(s.Discovery))}
	var err error
	if m.Before, err = s.Slices(ctx); err != nil {
		return Table{}, fmt.Errorf("read the slices: %w", err)
	}
	// Everything at once: the closer together, the more of one moment.
	var wait sync.WaitGroup
	defer wait.Wait()
	for i, observer := range s.Discovery {
		wait.Go(func() {
			view, err := observer.Observe(ctx)
			m.Views[i] = Viewed{Name: observer.String(), View: view, Err: err}
		})
	}
	if s.Request != nil {
		wait.Go(func() { m.Answers = probe.Many(ctx, s.Request, s.Requests, s.Parallel) })
	}
	if s.Health != nil {
		if m.Health, err = askAll(ctx, s, m.Before); err != nil {
			return Table{}, err
		}
	}
	wait.Wait()
	if m.After, err = s.Slices(ctx); err != nil {
		return Table{}, fmt.Errorf("read the slices again: %w", err)
	}
	m.Ended = time.Now()
	return Tabulate(m), nil
}

// askAll asks every application once.
func askAll(ctx context.Context, s Sources, backends []endpointset.Backend) (map[netip.AddrPort]verify.Answer, error) {
	probers := map[netip.AddrPort]verify.Prober{}
	for _, b := range backends {
		address := b.AddrPort()
		if probers[address] != nil {
			continue
		}
		prober, err := s.Health(address)
		if err != nil {
			return nil, fmt.Errorf("ask %s for its health: %w", address, err)
		}
		probers[address] = prober
	}
	answers := make(map[netip.AddrPort]verify.Answer, len(probers))
	var mu sync.Mutex // guards answers
	var wait sync.WaitGroup
	slots := make(chan struct{}, s.Parallel)
	for address, prober := range probers {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			a := prober.Probe(ctx)
			mu.Lock()
			defer mu.Unlock()
			answers[address] = a
		})
	}
	wait.Wait()
	return answers, nil
}
