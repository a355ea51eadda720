package live

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"github.com/slicewright/slicewright/app/internal/apiclient"
	"github.com/slicewright/slicewright/app/internal/shadow"
	"github.com/slicewright/slicewright/endpointset"
)

// Options say what is compared. The zero value compares every Service of the
// cluster.
type Options struct {
	// Services to compare. A namespace with one of them is watched for no other.
	Services []endpointset.ServiceKey
	// Namespaces of which every Service with Endpoints or slices is compared.
	// With no Services and no Namespaces it is all of them.
	Namespaces []string
	// Window and Ceiling are those of [shadow.Settle].
	Window, Ceiling time.Duration
	// Reference is compared with instead of the Endpoints of a Service.
	Reference Reference
	// Judged is called with each judgement, in order, from the goroutine of Run.
	// Nil is not called.
	Judged func(Judgement)
	// Logger gets a line when a Service's outcome changes, and when something
	// cannot be read. Nil is silent.
	Logger *slog.Logger
}

// Reference is, of each Service of which no equality with Endpoints can be
// expected, the set to expect. True is ready.
type Reference map[endpointset.ServiceKey]map[endpointset.ID]bool

// Judgement is what was said of a Service at a moment.
type Judgement struct {
	Service endpointset.ServiceKey
	// UID is the Service's, "" when it was not read.
	UID     string
	At      time.Time
	Verdict shadow.Verdict
	// Before is the outcome of the judgement before, "" of the first.
	Before shadow.Outcome
}

// A Watcher compares the Endpoints of Services with their slices. Make it with
// [New] and Run it; the other methods may be called from any goroutine.
type Watcher struct {
	client  apiclient.Interface
	options Options
	window  time.Duration
	ceiling time.Duration
	named   map[endpointset.ServiceKey]bool // nil when all are compared
	logger  *slog.Logger
	sources []*source

	// woken holds at most one wake-up. Sources send, Run receives; it is never
	// closed.
	woken chan struct{}
	// judged is closed by Run when there is nothing left to wait for.
	judged chan struct{}

	mu       sync.Mutex // guards what follows
	objects  objects
	services map[endpointset.ServiceKey]*service
	dirty    map[endpointset.ServiceKey]bool // a source changed and it was not compared
	began    time.Time
	complete bool // judged is closed
}

// service is what is known of one Service's comparison.
type service struct {
	settle  shadow.Settle
	history shadow.History
	due     time.Time // when to ask settle, or to compare again; zero is never
}

// New returns a watcher that has seen nothing yet.
func New(client apiclient.Interface, options Options) *Watcher {
	w := &Watcher{
		client: client, options: options, logger: options.Logger, window: options.Window, ceiling: options.Ceiling,
		woken: make(chan struct{}, 1), judged: make(chan struct{}),
		services: map[endpointset.ServiceKey]*service{}, dirty: map[endpointset.ServiceKey]bool{},
	}
	if w.logger == nil {
		w.logger = slog.New(slog.DiscardHandler)
	}
	if w.window <= 0 {
		w.window = shadow.DefaultWindow
	}
	if w.ceiling <= 0 {
		w.ceiling = shadow.DefaultCeiling
	}
	w.ceiling = max(w.ceiling, w.window)
	w.sources = w.scopes()
	if len(options.Services) > 0 {
		w.named = map[endpointset.ServiceKey]bool{}
		for _, key := range options.Services {
			w.named[key] = true
			w.service(key)
		}
	}
	return w
}

// scopes returns a source for each resource and namespace. A namespace in which
// one Service is asked for is read for that one alone, so that a Role with
// resourceNames is enough for its Endpoints.
func (w *Watcher) scopes() []*source {
	only := map[string]string{} // by namespace, the one Service or ""
	for _, namespace := range w.options.Namespaces {
		only[namespace] = ""
	}
	for _, key := range w.options.Services {
		if name, ok := only[key.Namespace]; ok && name != key.Name {
			only[key.Namespace] = ""
		} else if !ok {
			only[key.Namespace] = key.Name
		}
	}
	if _, all := only[""]; all || len(only) == 0 {
		only = map[string]string{"": ""}
	}
	var sources []*source
	add := func(r resource, namespace, service string) {
		sources = append(sources, &source{resource: r, watcher: w, namespace: namespace, service: service, own: map[name]bool{}})
	}
	for namespace, service := range only {
		for _, r := range []resource{endpointsResource, slicesResource, servicesResource, podsResource} {
			add(r, namespace, service)
		}
	}
	add(nodesResource, "", "")
	return sources
}

// service returns what is known of a Service. mu must be held, but in New.
func (w *Watcher) service(key endpointset.ServiceKey) *service {
	s := w.services[key]
	if s == nil {
		s = &service{settle: shadow.Settle{Window: w.window, Ceiling: w.ceiling}}
		w.services[key] = s
		w.dirty[key] = true
	}
	return s
}

// Judged is closed when every Service was judged once, or cannot be judged
// because a permission is missing: for a caller that wants one judgement and
// does not go on watching. Services that appear later do not open it again.
func (w *Watcher) Judged() <-chan struct{} { return w.judged }

// Run watches and judges until ctx ends. It may be called once.
func (w *Watcher) Run(ctx context.Context) {
	// Sources speak of failures, once for each; client-go would at each retry.
	ctx = klog.NewContext(ctx, logr.Discard())
	w.mu.Lock()
	w.began = time.Now()
	w.mu.Unlock()
	var running sync.WaitGroup
	defer running.Wait()
	for _, s := range w.sources {
		running.Go(func() { s.reflector().RunWithContext(ctx) })
	}
	for {
		timer := time.NewTimer(w.step(time.Now()))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		case <-w.woken:
			timer.Stop()
		}
	}
}

// step compares what changed, judges what is due and returns how long nothing
// else is.
func (w *Watcher) step(now time.Time) time.Duration {
	w.mu.Lock()
	w.compare(now)
	judgements := w.judge(now)
	next := w.ceiling
	for _, s := range w.services {
		if !s.due.IsZero() {
			next = min(next, s.due.Sub(now))
		}
	}
	w.finish()
	w.mu.Unlock()
	for _, j := range judgements {
		w.tell(j)
	}
	return max(next, 0)
}

// compare tells the settling of each changed Service how its sources compare. A
// Service whose sources cannot be read is not judged: when they can be, it
// counts as changed.
func (w *Watcher) compare(now time.Time) {
	for key := range w.dirty {
		s := w.services[key]
		if s == nil {
			continue
		}
		s.due = time.Time{}
		if w.blocked(key) != nil {
			continue
		}
		s.settle.Changed(now, shadow.Compare(w.input(key)))
		s.due = now // it may be at its ceiling; else the verdict says when to ask
	}
	clear(w.dirty)
}

// judge asks for the verdict of what is due. One that is still is compared once
// more, for its Pods and Nodes may have changed, which is no change of a source;
// and again in every ceiling, so that a verdict is never older than that.
func (w *Watcher) judge(now time.Time) []Judgement {
	var made []Judgement
	for key, s := range w.services {
		if s.due.IsZero() || s.due.After(now) {
			continue
		}
		if !w.objects.has(key) {
			s.due = time.Time{} // nothing is there to be judged
			continue
		}
		v := s.settle.Now(now)
		s.due = v.Again
		if !v.Judged {
			continue
		}
		if v.Still {
			v.Comparison = shadow.Compare(w.input(key))
			s.due = now.Add(w.ceiling)
		}
		j := Judgement{Service: key, UID: w.uid(key), At: now, Verdict: v}
		if last, at := s.history.Last(); !at.IsZero() {
			j.Before = last.Comparison.Outcome()
		}
		s.history.Add(now, v)
		made = append(made, j)
	}
	slices.SortFunc(made, func(a, b Judgement) int { return compareKeys(a.Service, b.Service) })
	return made
}

func (w *Watcher) tell(j Judgement) {
	c := j.Verdict.Comparison
	switch outcome := c.Outcome(); {
	case outcome == j.Before:
	case outcome == shadow.Different:
		w.logger.Warn("Endpoints and slices differ", "service", j.Service.String(), "differences", c.Count())
	default:
		w.logger.Info("Endpoints and slices agree", "service", j.Service.String(), "backends", c.New)
	}
	if w.options.Judged != nil {
		w.options.Judged(j)
	}
}

// finish closes judged when everything was judged that can be.
func (w *Watcher) finish() {
	if w.complete {
		return
	}
	for _, s := range w.sources {
		if s.pending() || s.needed && !s.good() && !s.refused() {
			return
		}
	}
	for key, s := range w.services {
		if _, at := s.history.Last(); at.IsZero() && w.objects.has(key) && w.blocked(key) == nil {
			return
		}
	}
	w.complete = true
	close(w.judged)
}
