package publish_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/internal/slicetest"
	"github.com/slicewright/slicewright/publish"
)

// balancer is a load balancer in memory: a set of endpoints, of which some
// drain. It counts what is asked of it.
type balancer struct {
	mu       sync.Mutex
	active   []string
	applied  []time.Time
	observed int
	// observeErr and applyErr make calls fail.
	observeErr, applyErr error
	// deaf accepts everything and does nothing.
	deaf bool
}

func (b *balancer) Target() string { return "balancer" }
func (b *balancer) lock() func()   { b.mu.Lock(); return b.mu.Unlock }
func (b *balancer) has() []string  { defer b.lock()(); return slices.Clone(b.active) }
func (b *balancer) applies() int   { defer b.lock()(); return len(b.applied) }
func (b *balancer) fail(observe, apply error) {
	defer b.lock()()
	b.observeErr, b.applyErr = observe, apply
}
func (b *balancer) lose()                   { b.put() }
func (b *balancer) put(addresses ...string) { defer b.lock()(); b.active = addresses }

type seen []string

func (s seen) Ours() int         { return len(s) }
func (s seen) Foreign() []string { return nil }

type writes struct{ want []string }

func (w *writes) Empty() bool                        { return w == nil }
func (w *writes) Len() int                           { return 1 }
func (w *writes) String() string                     { return strings.Join(w.want, ",") }
func (w *writes) Waiting() ([]string, time.Duration) { return nil, 0 }

func (b *balancer) Observe(context.Context) (publish.Observed, error) {
	defer b.lock()()
	b.observed++
	if b.observeErr != nil {
		return nil, b.observeErr
	}
	return seen(slices.Clone(b.active)), nil
}

func (b *balancer) Plan(d publish.Desired, o publish.Observed) publish.Ops {
	var want []string
	for _, backend := range d.Active {
		want = append(want, backend.Endpoint())
	}
	if slices.Equal(want, []string(o.(seen))) {
		return (*writes)(nil)
	}
	return &writes{want}
}

func (b *balancer) Apply(_ context.Context, ops publish.Ops) (publish.Result, error) {
	defer b.lock()()
	b.applied = append(b.applied, time.Now())
	if b.applyErr != nil {
		return publish.Result{}, b.applyErr
	}
	if !b.deaf {
		b.active = ops.(*writes).want
	}
	return publish.Result{Writes: 1}, nil
}

// stage is a publisher between an index and a balancer.
type stage struct {
	ix        *endpointset.Index
	lb        *balancer
	publisher *publish.Publisher
	open      bool
	mu        sync.Mutex
}

var web = endpointset.ServiceKey{Namespace: slicetest.Namespace, Name: "web"}

func newStage(t *testing.T, upstream publish.Upstream, options publish.Options) *stage {
	s := &stage{ix: endpointset.NewIndex(endpointset.Options{}), lb: &balancer{}}
	upstream.Name, upstream.Service, upstream.Port = "web", web, "http"
	s.publisher = publish.NewPublisher(upstream, s.lb, func(key endpointset.ServiceKey) (*endpointset.Set, bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.ix.Service(key), s.open
	}, options)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.publisher.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return s
}

func (s *stage) openGate() {
	s.mu.Lock()
	s.open = true
	s.mu.Unlock()
	s.publisher.Wake(time.Time{})
}

func (s *stage) put(es *discoveryv1.EndpointSlice) {
	s.ix.Apply(s.ix.Parse(es))
	s.publisher.Wake(time.Time{})
}

func sliceOf(addresses ...string) *discoveryv1.EndpointSlice {
	es := slicetest.Service("web", 1, 1)[0]
	es.Endpoints = nil
	for _, a := range addresses {
		es.Endpoints = append(es.Endpoints, discoveryv1.Endpoint{Addresses: []string{a}})
	}
	return es
}

func keyOf(es *discoveryv1.EndpointSlice) endpointset.SliceKey {
	return endpointset.SliceKey{Namespace: es.Namespace, Name: es.Name}
}

func expectActive(t *testing.T, lb *balancer, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, lb.has()); diff != "" {
		t.Errorf("active (-want +got):\n%s", diff)
	}
}

// Nothing goes out before the gate is open, and then all of it.
func TestNothingIsPublishedBeforeTheGateOpens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, publish.Upstream{}, publish.Options{})
		s.put(sliceOf("10.0.0.1"))
		time.Sleep(time.Minute)
		if n := s.lb.applies(); n != 0 {
			t.Fatalf("%d publishes before the gate opened", n)
		}
		s.ix.Apply(s.ix.Parse(sliceOf("10.0.0.1", "10.0.0.2")))
		s.openGate()
		synctest.Wait()
		expectActive(t, s.lb, "10.0.0.1:8080", "10.0.0.2:8080")
		if n := s.lb.applies(); n != 1 {
			t.Errorf("%d publishes, want 1", n)
		}
	})
}

// The first change after a pause goes out at once; a storm goes out in few.
func TestChangesThatFollowGoOutTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, publish.Upstream{}, publish.Options{Window: 20 * time.Millisecond, MaxWindow: 250 * time.Millisecond})
		s.openGate()
		time.Sleep(time.Second)
		begin := time.Now()
		s.put(sliceOf("10.0.0.1"))
		synctest.Wait()
		if n := s.lb.applies(); n != 1 {
			t.Fatalf("the first change waits: %d publishes", n)
		}
		for i := range 100 { // one each 10 ms: a second of changes
			s.put(sliceOf(fmt.Sprintf("10.0.1.%d", i+1)))
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(time.Second)
		expectActive(t, s.lb, "10.0.1.100:8080")
		if n := s.lb.applies(); n < 4 || n > 7 {
			t.Errorf("%d publishes for 101 changes in %s, want one for each 250 ms", n, time.Since(begin)-time.Second)
		}
		for i := 1; i < len(s.lb.applied); i++ {
			if gap := s.lb.applied[i].Sub(s.lb.applied[i-1]); i > 1 && gap > 300*time.Millisecond {
				t.Errorf("a change waited %s, more than the longest window", gap)
			}
		}
	})
}

// What means nothing to the upstream sends nothing (S18).
func TestAWriteWithoutMeaningSendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, publish.Upstream{}, publish.Options{})
		s.ix.Apply(s.ix.Parse(sliceOf("10.0.0.1")))
		s.openGate()
		synctest.Wait()
		touched := sliceOf("10.0.0.1")
		touched.ResourceVersion, touched.Labels["note"] = "99", "new"
		for _, c := range s.ix.Apply(s.ix.Parse(touched)) {
			t.Errorf("the index reports %v", c)
		}
		s.publisher.Wake(time.Time{})
		time.Sleep(time.Minute)
		if n := s.lb.applies(); n != 1 {
			t.Errorf("%d publishes, want 1", n)
		}
		if g := s.publisher.Status().Generation; g != 1 {
			t.Errorf("generation %d, want 1", g)
		}
	})
}

// A failure is retried with growing waits, shows in the status, and changes
// that come meanwhile do not make it hammer.
func TestAFailureIsRetriedWithBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, publish.Upstream{}, publish.Options{MinBackoff: 100 * time.Millisecond, MaxBackoff: 5 * time.Second})
		s.ix.Apply(s.ix.Parse(sliceOf("10.0.0.1")))
		s.openGate()
		synctest.Wait()

		s.lb.fail(nil, errors.New("no admin level"))
		for i := range 600 {
			s.put(sliceOf(fmt.Sprintf("10.0.%d.%d", i/200, i%200+1)))
			time.Sleep(100 * time.Millisecond)
		}
		status := s.publisher.Status()
		if status.Phase != publish.PhaseFailing || !strings.Contains(status.LastError, "no admin level") {
			t.Errorf("the status is %+v", status)
		}
		if n := s.lb.applies() - 1; n < 10 || n > 35 {
			t.Errorf("%d attempts in a minute of failure", n)
		}
		expectActive(t, s.lb, "10.0.0.1:8080")

		s.lb.fail(nil, nil)
		time.Sleep(6 * time.Second)
		expectActive(t, s.lb, "10.0.2.200:8080")
		if status := s.publisher.Status(); status.Phase != publish.PhasePublished || status.LastError != "" {
			t.Errorf("after recovery the status is %+v", status)
		}
	})
}

// A failed read is not an empty target: nothing is sent because of it (S15).
func TestAnObserveErrorSendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, publish.Upstream{}, publish.Options{})
		s.ix.Apply(s.ix.Parse(sliceOf("10.0.0.1")))
		s.openGate()
		synctest.Wait()
		s.lb.fail(errors.New("connection refused"), nil)
		s.put(sliceOf("10.0.0.2"))
		time.Sleep(time.Minute)
		if n := s.lb.applies(); n != 1 {
			t.Errorf("%d publishes, want 1", n)
		}
	})
}

// A load balancer that lost everything gets it back at the next look.
func TestARestartedTargetIsFilledAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, publish.Upstream{}, publish.Options{Reobserve: 5 * time.Second})
		s.ix.Apply(s.ix.Parse(sliceOf("10.0.0.1")))
		s.openGate()
		synctest.Wait()
		s.lb.lose()
		time.Sleep(6 * time.Second)
		expectActive(t, s.lb, "10.0.0.1:8080")
		if g := s.publisher.Status().Generation; g != 1 {
			t.Errorf("generation %d: the same state again is no new one", g)
		}
	})
}

// A target that says yes and does nothing is an error that says so.
func TestATargetThatDoesNotTakeIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, publish.Upstream{}, publish.Options{})
		s.lb.deaf = true
		s.ix.Apply(s.ix.Parse(sliceOf("10.0.0.1")))
		s.openGate()
		synctest.Wait()
		if status := s.publisher.Status(); status.Phase != publish.PhaseFailing || !strings.Contains(status.LastError, "10.0.0.1:8080") {
			t.Errorf("the status is %+v", status)
		}
	})
}

// An empty set is published, or held if so configured; either way it shows.
func TestOnEmpty(t *testing.T) {
	for _, hold := range []bool{false, true} {
		t.Run(fmt.Sprintf("hold=%v", hold), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, publish.Upstream{HoldEmpty: hold}, publish.Options{})
				s.ix.Apply(s.ix.Parse(sliceOf("10.0.0.1")))
				s.openGate()
				synctest.Wait()
				s.put(sliceOf())
				time.Sleep(time.Second)
				want, phase := []string(nil), publish.PhasePublished
				if hold {
					want, phase = []string{"10.0.0.1:8080"}, publish.PhaseHolding
				}
				expectActive(t, s.lb, want...)
				if status := s.publisher.Status(); status.Phase != phase || status.Desired.Active != 0 {
					t.Errorf("the status is %+v, want phase %s", status, phase)
				}
				s.put(sliceOf("10.0.0.2"))
				time.Sleep(time.Second)
				expectActive(t, s.lb, "10.0.0.2:8080")
			})
		})
	}
}

// Without an API server a start puts the last known good into a target that
// lost it, and touches none that has backends.
func TestStartWithoutAnAPIServer(t *testing.T) {
	store, err := publish.NewStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, publish.Upstream{}, publish.Options{Store: store})
		s.ix.Apply(s.ix.Parse(sliceOf("10.0.0.1", "10.0.0.2")))
		s.openGate()
		time.Sleep(time.Second)
	})
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, publish.Upstream{}, publish.Options{Store: store})
		time.Sleep(time.Minute)
		expectActive(t, s.lb, "10.0.0.1:8080", "10.0.0.2:8080")
		if g := s.publisher.Status().Generation; g != 1 {
			t.Errorf("generation %d, want the one on disk, 1", g)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		lb := &balancer{active: []string{"10.9.9.9:8080"}}
		p := publish.NewPublisher(publish.Upstream{Name: "web", Service: web, Port: "http"}, lb,
			func(endpointset.ServiceKey) (*endpointset.Set, bool) { return nil, false }, publish.Options{Store: store})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		p.Run(ctx)
		expectActive(t, lb, "10.9.9.9:8080")
	})
}

// Two upstreams for one target would undo each other's work.
func TestTwoUpstreamsForOneTargetAreRefused(t *testing.T) {
	lb := &balancer{}
	source := func(endpointset.ServiceKey) (*endpointset.Set, bool) { return nil, false }
	a := publish.NewPublisher(publish.Upstream{Name: "a"}, lb, source, publish.Options{})
	b := publish.NewPublisher(publish.Upstream{Name: "b"}, lb, source, publish.Options{})
	_, err := publish.NewFleet(a, b)
	if err == nil || !strings.Contains(err.Error(), `"a" and "b" both write balancer`) {
		t.Errorf("the error is %v", err)
	}
}
