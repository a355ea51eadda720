package publish

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/slicewright/slicewright/endpointset"
)

// Options are a publisher's settings. The zero value of each is its default.
type Options struct {
	// Window is how long a change that follows another waits for company;
	// default 20 ms. The first change after a pause goes out at once.
	Window time.Duration
	// MaxWindow bounds the waiting when changes keep coming; default 250 ms.
	MaxWindow time.Duration
	// Reobserve is how often the target is looked at although nothing changed;
	// default 5 s. It bounds how long a load balancer that restarted, or that
	// somebody else changed, stays wrong.
	Reobserve time.Duration
	// MinBackoff and MaxBackoff bound the wait after a failure; default 100 ms
	// and 5 s.
	MinBackoff, MaxBackoff time.Duration
	// CallTimeout bounds each call of the driver; default 30 s.
	CallTimeout time.Duration
	// Store keeps the last known good; the zero value keeps nothing.
	Store Store
	// Logger gets a line for each publish and each change of state. Nil logs
	// nothing.
	Logger *slog.Logger
	// Metrics is told what is done. Nil counts nothing.
	Metrics Metrics
}

func (o *Options) setDefaults() {
	set := func(d *time.Duration, standard time.Duration) {
		if *d <= 0 {
			*d = standard
		}
	}
	set(&o.Window, 20*time.Millisecond)
	set(&o.MaxWindow, 250*time.Millisecond)
	set(&o.Reobserve, 5*time.Second)
	set(&o.MinBackoff, 100*time.Millisecond)
	set(&o.MaxBackoff, 5*time.Second)
	set(&o.CallTimeout, 30*time.Second)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Metrics == nil {
		o.Metrics = uncounted{}
	}
}

// Source returns the present set of a Service. ok is false while the gate is
// closed (S14): then nothing is known, and nothing may be published. It is called
// from several goroutines, and must not call the publisher.
type Source func(endpointset.ServiceKey) (set *endpointset.Set, ok bool)

// A Publisher keeps one target at what one upstream desires. Create it with
// [NewPublisher]. Wake and Status may be called from any goroutine, before, during
// and after Run.
type Publisher struct {
	upstream Upstream
	driver   Driver
	source   Source
	options  Options
	logger   *slog.Logger

	// woken holds at most one wake-up. Wake sends, Run receives; it is never
	// closed.
	woken chan struct{}

	started time.Time

	mu      sync.Mutex // guards what follows
	status  Status
	trigger time.Time // of the oldest change that is not published yet
	known   bool      // the upstream's Service and port have been seen (S21)

	// What follows belongs to the goroutine of Run.

	applied    bool   // the target was read back and had the state with this hash
	hash       uint64 // of the state last read back
	generation uint64
	lastFilled *Desired // the last state with backends: to restore and to hold
	failures   int      // since the last success
}

// NewPublisher returns a publisher. It does nothing before [Publisher.Run].
func NewPublisher(upstream Upstream, driver Driver, source Source, options Options) *Publisher {
	options.setDefaults()
	return &Publisher{
		upstream: upstream,
		driver:   driver,
		source:   source,
		options:  options,
		logger:   options.Logger.With("upstream", upstream.Name, "target", driver.Target()),
		woken:    make(chan struct{}, 1),
		started:  time.Now(),
		status: Status{
			Upstream: upstream.Name, Service: upstream.Service.String(), Target: driver.Target(),
			Phase: PhaseWaiting, Since: time.Now(),
		},
	}
}

// Status returns how the publisher is doing.
func (p *Publisher) Status() Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status
}

// Wake says that the set may have changed, and when, by the producer's word, if
// that is known. It never blocks and may be called from any goroutine.
func (p *Publisher) Wake(trigger time.Time) {
	p.keepTrigger(trigger)
	// A port that comes and goes before the next look has been seen (S21).
	if set, open := p.source(p.upstream.Service); open {
		p.unknown(set)
	}
	select {
	case p.woken <- struct{}{}:
	default: // a wake-up is waiting already
	}
}

// keepTrigger notes when an unpublished change happened; of several the oldest
// counts. Those from before the start tell nothing about this process.
func (p *Publisher) keepTrigger(trigger time.Time) {
	if trigger.Before(p.started) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.trigger.IsZero() || trigger.Before(p.trigger) {
		p.trigger = trigger
	}
}

// Run publishes until ctx ends. It may be called once.
func (p *Publisher) Run(ctx context.Context) {
	p.resume()
	pause := newPacer(p.options.Window, p.options.MaxWindow)
	next := time.Duration(0) // until the target is looked at although nobody asked
	for {
		timer := time.NewTimer(next)
		woken := p.woken
		if p.failures > 0 {
			woken = nil // the target is in trouble: changes wait for the retry
		}
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		case <-woken:
			timer.Stop()
			if !pause.wait(ctx, p.woken) {
				return
			}
		}
		var open bool
		if next, open = p.reconcile(ctx); open {
			pause.published()
		}
	}
}

// resume takes up what an earlier run left.
func (p *Publisher) resume() {
	good, found, err := p.options.Store.load(p.driver.Target())
	if err != nil {
		p.logger.Warn("starting without the last known good", "err", err)
		return
	}
	if !found {
		return
	}
	p.generation = good.Generation
	p.update(func(s *Status) { s.Generation, s.Hash = good.Generation, good.Hash })
	u := &p.upstream
	isOurs := good.Service == u.Service.String() && good.Port == u.Port && good.Protocol == u.protocol()
	if !isOurs && good.Service != "" {
		p.logger.Info("the last known good is of another Service or port, and is not used",
			"service", good.Service, "port", good.Port, "protocol", good.Protocol)
		return
	}
	// A file of an older version names no Service: it can be put back into a
	// target that lost its backends, and does not make the Service known.
	p.setKnown(isOurs)
	if len(good.Active) > 0 {
		d := u.desired(endpointset.Selection{Active: backendsOf(good.Active), Draining: backendsOf(good.Draining)})
		p.lastFilled = &d
	}
}

// restore puts the last known good back into a target that lost it while the
// API server cannot be asked. A target that has backends is left as it is: it
// may know better.
func (p *Publisher) restore(ctx context.Context) {
	if p.lastFilled == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, p.options.CallTimeout)
	defer cancel()
	observed, err := p.driver.Observe(ctx)
	if err != nil || observed.Ours() > 0 {
		return
	}
	ops := p.driver.Plan(*p.lastFilled, observed)
	if ops.Empty() {
		return
	}
	if _, err := p.driver.Apply(ctx, ops); err != nil {
		p.logger.Warn("cannot put the last known good back", "err", err)
		return
	}
	if ops.Len() == 0 {
		return // it waits
	}
	p.logger.Warn("the target had lost its backends: the last known good is back in it", "active", len(p.lastFilled.Active))
}

// reconcile brings the target to what is desired now and returns how long until
// it wants to be called again, and whether the gate is open.
func (p *Publisher) reconcile(ctx context.Context) (next time.Duration, open bool) {
	set, open := p.source(p.upstream.Service)
	if !open {
		p.restore(ctx)
		return p.options.Reobserve, false
	}
	if why := p.unknown(set); why != "" {
		p.leaveAlone(why)
		return p.options.Reobserve, true
	}
	sel, warning := p.upstream.choose(set)
	d := p.upstream.desired(sel)
	if warning != "" && warning != p.Status().Warning {
		p.logger.Warn(warning)
	}
	p.update(func(s *Status) {
		s.Desired = Counts{len(sel.Active), len(sel.Draining), len(sel.Excluded)}
		s.Fallback, s.Warning = sel.Fallback, warning
	})
	holding := false
	if len(d.Active) > 0 {
		p.lastFilled = &d
	} else if p.upstream.HoldEmpty && p.lastFilled != nil {
		d, holding = *p.lastFilled, true
	}
	trigger := p.takeTrigger()

	seen, err := p.converge(ctx, d)
	if ctx.Err() != nil {
		return 0, true
	}
	switch {
	case err != nil:
		return p.failed(err, trigger), true
	case seen.delayed:
		p.keepTrigger(trigger)
	default:
		p.succeeded(d, holding, trigger)
	}
	p.update(func(s *Status) { s.Pending, s.Foreign = seen.pending, seen.foreign })
	if len(seen.pending) > 0 && seen.again > 0 {
		return min(seen.again, p.options.Reobserve), true
	}
	return p.options.Reobserve, true
}

// leaveAlone changes nothing at the target: nobody knows the upstream's Service
// or port (S21).
func (p *Publisher) leaveAlone(why string) {
	p.update(func(s *Status) { s.Desired, s.Warning = Counts{}, why })
	if p.enter(PhaseUnknown) {
		p.logger.Warn("the target is left alone: " + why)
	}
}

// rounds bounds how often a target is planned for before the publisher decides
// that it does not take what it is sent. More than one is normal: a server is
// drained in one round and deleted in the next.
const rounds = 5

// An outcome is how a target was when nothing more could be sent.
type outcome struct {
	pending []string      // what waits
	again   time.Duration // until the target is worth another look
	foreign []string
	// delayed: the target does not have what is desired, and nothing can be sent
	// before again has passed.
	delayed bool
}

// converge observes, plans and applies until nothing more can be sent.
func (p *Publisher) converge(ctx context.Context, d Desired) (outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, p.options.CallTimeout)
	defer cancel()
	var ops Ops
	for range rounds {
		observed, err := p.driver.Observe(ctx)
		if err != nil {
			return outcome{}, fmt.Errorf("observe: %w", err)
		}
		ops = p.driver.Plan(d, observed)
		seen := outcome{foreign: observed.Foreign()}
		seen.pending, seen.again = ops.Waiting()
		if ops.Empty() {
			return seen, nil
		}
		p.logger.Debug("applying", "ops", ops.String())
		result, err := p.driver.Apply(ctx, ops)
		p.options.Metrics.Wrote(p.upstream.Name, p.driver.Target(), result.Writes)
		if err != nil {
			return outcome{}, fmt.Errorf("apply: %w", err)
		}
		if ops.Len() == 0 && len(seen.pending) > 0 {
			seen.delayed = true
			return seen, nil
		}
	}
	return outcome{}, &NotTakenError{Target: p.driver.Target(), Left: ops.String()}
}

// NotTakenError says that a target accepted what it was sent, and does not have it
// when it is read back.
type NotTakenError struct {
	Target string
	// Left is what would still have to be sent.
	Left string
}

func (e *NotTakenError) Error() string {
	return fmt.Sprintf("%s accepts what is sent and does not have it afterwards: is something else writing it too? Still to send: %s", e.Target, firstLines(e.Left, 3))
}

// firstLines cuts a text for a log line and a status.
func firstLines(text string, most int) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if more := len(lines) - most; more > 0 {
		lines = append(lines[:most], fmt.Sprintf("and %d lines more", more))
	}
	return strings.Join(lines, "; ")
}

func (p *Publisher) failed(err error, trigger time.Time) time.Duration {
	p.applied = false
	p.keepTrigger(trigger)
	p.failures++
	p.options.Metrics.Failed(p.upstream.Name, p.driver.Target())
	p.update(func(s *Status) { s.LastError = err.Error() })
	if p.enter(PhaseFailing) {
		p.logger.Error("cannot publish: it is tried again", "err", err)
	}
	var notTaken *NotTakenError
	if errors.As(err, &notTaken) {
		return p.options.MaxBackoff
	}
	return backoff(p.options.MinBackoff, p.options.MaxBackoff, p.failures)
}

// backoff doubles from least to most, and takes a random part of the upper half
// so that many publishers do not come back at the same moment.
func backoff(least, most time.Duration, failures int) time.Duration {
	wait := most
	if shift := failures - 1; shift < 20 {
		wait = min(most, least<<shift)
	}
	return wait/2 + rand.N(wait/2+1)
}

func (p *Publisher) succeeded(d Desired, holding bool, trigger time.Time) {
	p.failures = 0
	hash := d.Hash()
	news := !p.applied || hash != p.hash
	now := time.Now()
	if news {
		name := fmt.Sprintf("%016x", hash)
		if name != p.Status().Hash {
			p.generation++
		}
		p.applied, p.hash = true, hash
		p.options.Metrics.Published(p.upstream.Name, p.driver.Target(), sinceTrigger(trigger, now))
		p.update(func(s *Status) { s.Generation, s.Hash = p.generation, name })
		if err := p.options.Store.save(lastKnownGood{
			Upstream: p.upstream.Name, Target: p.driver.Target(),
			Service: p.upstream.Service.String(), Port: p.upstream.Port, Protocol: p.upstream.protocol(),
			Generation: p.generation, Hash: name, Time: now,
			Active: goodBackends(d.Active), Draining: goodBackends(d.Draining),
		}); err != nil {
			// The load balancer is right; only a restart would know less.
			p.logger.Warn("the last known good is not on disk", "err", err)
		}
		p.logger.Info("published", "generation", p.generation, "active", len(d.Active), "draining", len(d.Draining), "fallback", d.Fallback)
	}
	p.update(func(s *Status) {
		s.Applied = Counts{Active: len(d.Active), Draining: len(d.Draining)}
		s.LastSuccess, s.LastError = now, ""
	})
	phase := PhasePublished
	if holding {
		phase = PhaseHolding
	}
	if p.enter(phase) && holding {
		p.logger.Warn("no backends are left: the last ones are kept, as configured", "kept", len(d.Active))
	}
}

// sinceTrigger returns the time from a change until now, 0 if it is not known.
func sinceTrigger(trigger, now time.Time) time.Duration {
	if trigger.IsZero() {
		return 0
	}
	return max(0, now.Sub(trigger))
}

// enter changes the phase and reports whether it is another than before.
func (p *Publisher) enter(phase Phase) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.status.Phase == phase {
		return false
	}
	p.status.Phase, p.status.Since = phase, time.Now()
	return true
}

func (p *Publisher) update(change func(*Status)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.status)
}

func (p *Publisher) takeTrigger() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.trigger
	p.trigger = time.Time{}
	return t
}
