package live

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/hold"
	"github.com/slicewright/slicewright/app/internal/verify/probe"
	"github.com/slicewright/slicewright/endpointset"
)

// The defaults of Config.
const (
	DefaultInterval = 500 * time.Millisecond
	DefaultRequests = 10
	// firstRead is how long the slices may take to be read for the first time, on
	// an API server that is slow.
	firstRead = 30 * time.Second
	// maxParallel bounds the requests of one probe that are on their way at once.
	maxParallel = 64
)

// Config says what is verified.
type Config struct {
	Service endpointset.ServiceKey
	// Query chooses the backends that the consumers should use: those of one port,
	// if the Service has several, and of the family that the consumers speak.
	Query  endpointset.Query
	Slices Source
	// Consumers and Probes must have names of their own.
	Consumers []verify.Observer
	Probes    []verify.Prober
	// Hold are where long connections are held for as long as the plan's time or
	// command and what comes after it; they need either.
	Hold []*hold.Target
	// Published, if set, has the four facts of publishNotReadyAddresses measured
	// once all has settled.
	Published *Published
	// Names is told what the targets of backends are called, for probes whose
	// answers give a name; nil tells nobody.
	Names *Names

	// Settle is how long a difference may last; 0 is verify.DefaultSettle.
	Settle time.Duration
	// Interval is the time from one look at a consumer to the next; 0 is
	// DefaultInterval. It must not be more than half of Settle.
	Interval time.Duration
	// Requests is how many connections each probe makes in an interval; 0 is
	// DefaultRequests.
	Requests int

	// Observed, if set, is called with what consumers and probes were seen to do,
	// one call after another. It must not block.
	Observed func(timeline.Observation)
	// Say, if set, is called with what it is doing, in a few words.
	Say func(string)
}

// Runner verifies once. Make it with New.
type Runner struct {
	config Config

	mu       sync.Mutex // guards what follows
	log      *verify.Log
	counters []verify.Counter
	problem  error // why nothing can be verified
	known    bool
	lost     bool
	set      *endpointset.Set // the last that was told
}

// New returns a runner, or says what is wrong with the configuration.
func New(config Config) (*Runner, error) {
	if config.Settle == 0 {
		config.Settle = verify.DefaultSettle
	}
	if config.Interval == 0 {
		config.Interval = min(DefaultInterval, config.Settle/2)
	}
	if config.Requests == 0 {
		config.Requests = DefaultRequests
	}
	if config.Say == nil {
		config.Say = func(string) {}
	}
	switch {
	case config.Settle < 0 || config.Interval <= 0 || config.Requests < 0:
		return nil, errors.New("times and numbers must be positive")
	case config.Interval > config.Settle/2:
		return nil, fmt.Errorf("an interval of %s is too long to see whether a difference lasts %s: take half of it at most", config.Interval, config.Settle)
	case config.Interval/time.Duration(config.Requests) < time.Millisecond:
		return nil, fmt.Errorf("%d requests in %s are too many: at most one a millisecond", config.Requests, config.Interval)
	case len(config.Consumers)+len(config.Probes)+len(config.Hold) == 0 && config.Published == nil:
		return nil, errors.New("there is nothing to verify: neither a consumer nor a probe")
	}
	options := verify.Options{Service: config.Service, Policy: config.Query.Policy, Settle: config.Settle}
	options.Port, _ = config.Query.Port.Name()
	for _, c := range config.Consumers {
		options.Consumers = append(options.Consumers, c.String())
	}
	for _, p := range config.Probes {
		options.Probes = append(options.Probes, p.String())
	}
	return &Runner{config: config, log: verify.NewLog(options), counters: make([]verify.Counter, len(config.Consumers))}, nil
}

// followSlices begins to follow the slices, and returns what ends it and says why
// it ended before.
func (r *Runner) followSlices(ctx context.Context) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	failed := make(chan error, 1)
	go func() {
		err := r.config.Slices.Run(ctx, r)
		if ctx.Err() != nil {
			err = nil
		}
		if err != nil {
			r.ended(err)
		}
		failed <- err
	}()
	return func() error {
		cancel()
		return <-failed
	}
}

// ended notes that the slices will not be read any more.
func (r *Runner) ended(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lost = true
	r.log.SlicesLost(time.Now(), err.Error())
	if !r.known {
		r.problem = err
	}
}

// lookAndProbe begins to look and to probe, and returns what ends it. What is on
// its way is let end.
func (r *Runner) lookAndProbe(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var looking sync.WaitGroup
	for i, c := range r.config.Consumers {
		looking.Go(func() { r.look(ctx, i, c) })
	}
	for i, p := range r.config.Probes {
		looking.Go(func() {
			rate := probe.Rate{Every: r.config.Interval / time.Duration(r.config.Requests), Parallel: min(2*r.config.Requests, maxParallel)}
			probe.Continuous(ctx, p, rate, func(a verify.Answer) { r.answered(i, a) })
		})
	}
	return func() {
		cancel()
		looking.Wait()
	}
}

// Set implements Teller.
func (r *Runner) Set(set *endpointset.Set) {
	r.config.Names.learn(set)
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.known {
		r.known = true
		r.problem = checkPort(r.config.Query, set)
		if r.problem == nil && len(set.Slices()) == 0 {
			r.problem = fmt.Errorf("%w to Service %s: is the name right, and does the Service have a selector or somebody who writes its slices?", ErrNoSlices, set.Service())
		}
	}
	r.set, r.lost = set, false
	r.log.Slices(verify.SlicesOf(time.Now(), set.Select(r.config.Query)))
}

// ErrNoSlices says that a Service has none, so that nothing can be compared.
var ErrNoSlices = errors.New("no EndpointSlice belongs")

// Lost implements Teller.
func (r *Runner) Lost(since time.Time, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lost = true
	r.log.SlicesLost(since, why)
}

// Back implements Teller.
func (r *Runner) Back() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lost = false
	r.log.SlicesBack(time.Now())
}

// look asks a consumer in every interval what it has.
func (r *Runner) look(ctx context.Context, i int, c verify.Observer) {
	tick := time.NewTicker(r.config.Interval)
	defer tick.Stop()
	for {
		asked := time.Now()
		view, err := c.Observe(ctx)
		if ctx.Err() != nil {
			return // it may be that which failed
		}
		r.mu.Lock()
		if err != nil {
			r.log.ViewFailed(i, asked, err)
		} else {
			r.log.Viewed(i, view)
			r.opened(i, view)
		}
		r.mu.Unlock()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// opened records what a consumer opened by its own count. It is called with mu.
func (r *Runner) opened(i int, view verify.View) {
	for _, o := range r.counters[i].Add(view) {
		if r.config.Observed == nil {
			continue
		}
		// At least one of them was opened after the look before this one. When, no
		// consumer tells; its earliest moment accuses nobody.
		x := r.observation(r.config.Consumers[i].String(), o.Address, timeline.Connection, o.After)
		x.Count = o.Count
		x.Detail = fmt.Sprintf("by its own count, within %s", o.Until.Sub(o.After).Round(time.Millisecond))
		r.config.Observed(x)
	}
}

func (r *Runner) answered(i int, a verify.Answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log.Answered(i, a)
	if r.config.Observed == nil || a.Failure == verify.Unidentified {
		return
	}
	kind := timeline.Connection
	if a.Failure != "" {
		kind = timeline.Failure
	}
	x := r.observation(r.config.Probes[i].String(), a.From, kind, a.Began)
	if a.Failure != "" {
		x.Last, x.Detail = a.Ended, string(a.Failure)+": "+a.Detail
	}
	r.config.Observed(x)
}

func (r *Runner) observation(who string, address netip.AddrPort, kind timeline.ObservationKind, at time.Time) timeline.Observation {
	x := timeline.Observation{
		Consumer: who, Namespace: r.config.Service.Namespace, Service: r.config.Service.Name,
		Kind: kind, First: at, Last: at, Count: 1,
	}
	if address.IsValid() {
		x.Address, x.Port = address.Addr().String(), address.Port()
	}
	return x
}

func (r *Runner) report(until time.Time) *verify.Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.log.Report(until)
}
