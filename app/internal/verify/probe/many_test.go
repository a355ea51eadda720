package probe_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/probe"
)

// gate is a prober whose probes wait until they are let go.
type gate struct {
	running, most, begun atomic.Int64
	open                 chan struct{}
}

func (g *gate) String() string { return "gate" }

func (g *gate) Probe(ctx context.Context) verify.Answer {
	a := verify.Answer{Name: fmt.Sprint(g.begun.Add(1))}
	now := g.running.Add(1)
	for most := g.most.Load(); now > most && !g.most.CompareAndSwap(most, now); most = g.most.Load() {
	}
	defer g.running.Add(-1)
	select {
	case <-g.open:
	case <-ctx.Done():
		a.Failure = verify.Other
	}
	return a
}

func TestManyKeepsItsBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &gate{open: make(chan struct{})}
		go func() {
			for range 20 {
				synctest.Wait() // as many are on their way as ever will be
				g.open <- struct{}{}
			}
		}()
		answers := probe.Many(t.Context(), g, 20, 4)
		if len(answers) != 20 || g.most.Load() != 4 {
			t.Errorf("%d answers, %d at once", len(answers), g.most.Load())
		}
	})
}

func TestEndOfTheContextBreaksNothingOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &gate{open: make(chan struct{})}
		end := func(cancel context.CancelFunc) {
			synctest.Wait()
			cancel()
			synctest.Wait()
			close(g.open)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go end(cancel)
		answers := probe.Many(ctx, g, 1000, 3)
		if len(answers) != 3 {
			t.Errorf("%d answers: none should have begun after the end", len(answers))
		}
		for _, a := range answers {
			if a.Failure != "" || a.Name == "" {
				t.Errorf("%+v", a)
			}
		}

		g = &gate{open: make(chan struct{})}
		again, cancelAgain := context.WithCancel(t.Context())
		go func() {
			time.Sleep(time.Second) // by the bubble's clock: the bound has been met
			end(cancelAgain)
		}()
		delivered := 0
		late := probe.Continuous(again, g, probe.Rate{Every: time.Millisecond, Parallel: 2}, func(a verify.Answer) {
			delivered++ // no lock: one call after another
			if a.Failure != "" {
				t.Errorf("%+v", a)
			}
		})
		if delivered != 2 || g.begun.Load() != 2 || late != 1 {
			t.Errorf("%d delivered of %d, %d late", delivered, g.begun.Load(), late)
		}
	})
}

func TestContinuousDeliversAllThatBegan(t *testing.T) {
	server, connections := backend(t, nil)
	p := parse(t, server.URL, probe.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	var answers []verify.Answer
	probe.Continuous(ctx, p, probe.Rate{Every: time.Millisecond}, func(a verify.Answer) {
		if answers = append(answers, a); len(answers) == 20 {
			cancel()
		}
	})
	if int64(len(answers)) != connections.Load() || len(answers) < 20 {
		t.Errorf("%d answers of %d connections", len(answers), connections.Load())
	}
	for i, a := range answers {
		if a.Failure != "" {
			t.Errorf("answer %d: %+v", i, a)
		}
	}
}
