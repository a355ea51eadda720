package publishtest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slicewright/slicewright/publish"
)

// A Target is a load balancer under test, with what the suite has to do to it.
// The suite calls its methods from one goroutine, except Active.
type Target interface {
	// Driver returns a driver of the load balancer, as a process makes it that
	// has just started. It keeps nothing of an earlier driver.
	Driver(t testing.TB) publish.Driver
	// Active returns the addresses that the load balancer gives new connections
	// to, as "ip:port" in any order. It asks the load balancer and no driver, and
	// may be called from any goroutine.
	Active(t testing.TB) []string
	// Restart ends the load balancer and starts it again. What it has then is up
	// to it: nothing, or what was written to a file.
	Restart(t testing.TB)
	// Refuse makes the load balancer refuse all changes, or take them again.
	Refuse(t testing.TB, on bool)
	// Slow makes the load balancer take so long for each step of a change; 0 ends
	// that.
	Slow(t testing.TB, by time.Duration)
	// Cut brings desired to the load balancer with a driver whose process is
	// killed after n steps of its Apply. Afterwards the load balancer works as
	// before. whole reports that all steps were made, because n was not below
	// their number.
	Cut(t testing.TB, desired publish.Desired, n int) (whole bool)
}

// Run holds a driver to the contract of [publish.Driver] and to what
// [publish.Publisher] promises with it. newTarget returns a load balancer without
// backends that takes IPv4 addresses at port 8080, for one test; it has room for
// 300. Nothing listens at the addresses.
func Run(t *testing.T, newTarget func(t testing.TB) Target) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, target Target)
	}{
		{"what another driver observed is refused by name", refusesOthers},
		{"a plan is what is sent, and is pure", plansArePure},
		{"applied twice is as applied once", appliesTwice},
		{"a cold start fills it, and the next start writes nothing", coldStart},
		{"a restarted target is filled again", restartedTarget},
		{"a refusal leaves the old backends, and passes", refusal},
		{"a slow target gets there, and a call ends with its context", slowTarget},
		{"the last backend goes", lastBackend},
		{"draining backends get no new connections", allDraining},
		{"24 of 240 are replaced, new ones first", replaced},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, newTarget(t)) })
	}
	t.Run("killed in the middle, it goes on", func(t *testing.T) { killed(t, newTarget) })
}

// foreign is what another driver's Observe returns and another's Plan.
type foreign struct{}

func (foreign) Ours() int                          { return 0 }
func (foreign) Foreign() []string                  { return nil }
func (foreign) Empty() bool                        { return false }
func (foreign) Len() int                           { return 1 }
func (foreign) String() string                     { return "foreign" }
func (foreign) Waiting() ([]string, time.Duration) { return nil, 0 }

func refusesOthers(t *testing.T, target Target) {
	d := target.Driver(t)
	if d.Target() == "" || d.Target() != target.Driver(t).Target() {
		t.Errorf("two drivers of one target have the Targets %q and %q", d.Target(), target.Driver(t).Target())
	}
	desired := desiredOf(newService(addressesFrom(1, 2)...))
	for _, seen := range []publish.Observed{foreign{}, nil} {
		plan := d.Plan(desired, seen)
		if plan.Empty() || plan.Len() != 0 || plan.String() != "" {
			t.Errorf("the plan for a %T is empty: %v, and sends %q", seen, plan.Empty(), plan)
		}
		if _, err := d.Apply(t.Context(), plan); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%T", seen)) {
			t.Errorf("the error for a %T does not name it: %v", seen, err)
		}
	}
	for _, plan := range []publish.Ops{foreign{}, nil} {
		if _, err := d.Apply(t.Context(), plan); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%T", plan)) {
			t.Errorf("the error for a plan of type %T does not name it: %v", plan, err)
		}
	}
	if active := target.Active(t); len(active) != 0 {
		t.Errorf("afterwards the target has %v", active)
	}
}

func plansArePure(t *testing.T, target Target) {
	d := target.Driver(t)
	desired := desiredOf(newService(addressesFrom(1, 3)...))
	before := slices.Clone(desired.Active)
	seen := observe(t, d)
	first := d.Plan(desired, seen).String()
	d.Plan(desiredOf(newService()), seen)
	if again := d.Plan(desired, seen); again.String() != first || again.Empty() || again.Len() == 0 || first == "" {
		t.Errorf("the first plan sends\n%s\nthe second is empty: %v, has %d writes, and sends\n%s", first, again.Empty(), again.Len(), again)
	}
	for i := range before {
		if before[i].ID != desired.Active[i].ID {
			t.Fatalf("Plan changed the backends that are desired: %v", desired.Active)
		}
	}
	if active := target.Active(t); len(active) != 0 {
		t.Errorf("Plan changed the target: it has %v", active)
	}
	apply(t, d, d.Plan(desired, seen))
	if last := d.Plan(desired, observe(t, d)); !last.Empty() || last.Len() != 0 || last.String() != "" {
		t.Errorf("the next plan is empty: %v, has %d writes, and sends\n%s", last.Empty(), last.Len(), last)
	}
}

func appliesTwice(t *testing.T, target Target) {
	d := target.Driver(t)
	service := newService(addressesFrom(1, 3)...)
	apply(t, d, d.Plan(desiredOf(service), observe(t, d)))
	service.set(addressesFrom(2, 3)...)
	plan := d.Plan(desiredOf(service), observe(t, d))
	apply(t, d, plan)
	apply(t, d, plan)
	expectActive(t, target, service.ready()...)
}

func coldStart(t *testing.T, target Target) {
	service := newService(addressesFrom(1, 3)...)
	p := start(t, target, service)
	p.settles(t)
	p.stop()
	p = start(t, target, service)
	p.settles(t)
	if n := p.writes.Load(); n != 0 {
		t.Errorf("the next start made %d writes", n)
	}
}

func restartedTarget(t *testing.T, target Target) {
	service := newService(addressesFrom(1, 3)...)
	p := start(t, target, service)
	p.settles(t)
	target.Restart(t)
	p.settles(t)
}

func refusal(t *testing.T, target Target) {
	service := newService(addressesFrom(1, 3)...)
	p := start(t, target, service)
	p.settles(t)
	target.Refuse(t, true)
	p.change(addressesFrom(11, 3)...)
	p.await(t, "the refusal shows in the status", func() bool {
		s := p.publisher.Status()
		return s.Phase == publish.PhaseFailing && s.LastError != ""
	})
	expectActive(t, target, addressesFrom(1, 3)...)
	target.Refuse(t, false)
	p.settles(t)
}

func slowTarget(t *testing.T, target Target) {
	service := newService(addressesFrom(1, 2)...)
	target.Slow(t, 100*time.Millisecond)
	p := start(t, target, service)
	p.settles(t)
	p.stop()

	target.Slow(t, time.Minute)
	service.set(addressesFrom(11, 2)...)
	d := target.Driver(t)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	begin := time.Now()
	seen, err := d.Observe(ctx)
	if err == nil {
		_, err = d.Apply(ctx, d.Plan(desiredOf(service), seen))
	}
	if took := time.Since(begin); err == nil || took > 10*time.Second {
		t.Errorf("a call whose context ends after 200 ms took %s, and its error is %v", took, err)
	}

	target.Slow(t, 0)
	start(t, target, service).settles(t)
}

func lastBackend(t *testing.T, target Target) {
	p := start(t, target, newService(addressesFrom(1, 2)...))
	p.settles(t)
	p.change(addressesFrom(2, 1)...)
	p.settles(t)
	p.change()
	p.settles(t)
	p.change(addressesFrom(2, 1)...)
	p.settles(t)
}

func allDraining(t *testing.T, target Target) {
	p := start(t, target, newService(addressesFrom(1, 3)...))
	p.settles(t)
	p.service.drain()
	p.publisher.Wake(time.Time{})
	p.settles(t)
	p.change(addressesFrom(11, 2)...)
	p.settles(t)
}

func replaced(t *testing.T, target Target) {
	service := newService(addressesFrom(1, 240)...)
	p := start(t, target, service)
	p.settles(t)
	stay := addressesFrom(25, 216)

	looking, stopLooking := context.WithCancel(t.Context())
	var looks sync.WaitGroup
	looks.Go(func() {
		for looking.Err() == nil {
			active := target.Active(t)
			if len(active) < 240 || missing(active, stay) > 0 {
				t.Errorf("while it changes, %d are active, and %d of those that stay are missing", len(active), missing(active, stay))
				return
			}
			time.Sleep(time.Millisecond)
		}
	})
	p.change(addressesFrom(25, 240)...)
	p.settles(t)
	stopLooking()
	looks.Wait()
}

// mostSteps bounds the steps of the plan that is cut.
const mostSteps = 100

func killed(t *testing.T, newTarget func(t testing.TB) Target) {
	before, after := addressesFrom(1, 3), addressesFrom(2, 3)
	for n := 0; ; n++ {
		whole := false
		t.Run(fmt.Sprintf("after %d steps", n), func(t *testing.T) {
			target := newTarget(t)
			service := newService(before...)
			p := start(t, target, service)
			p.settles(t)
			p.stop()

			service.set(after...)
			whole = target.Cut(t, desiredOf(service), n)
			active := target.Active(t)
			if gone := missing(active, addressesFrom(2, 2)); gone > 0 {
				t.Errorf("%d of the backends that stay are not active: %v", gone, active)
			}
			if missing(active, before) > 0 && missing(active, after) > 0 {
				t.Errorf("an old backend went before the new one came: %v", active)
			}
			start(t, target, service).settles(t)
		})
		if whole || t.Failed() {
			return
		}
		if n == mostSteps {
			t.Fatalf("after %d steps Cut has not made all of them", n)
		}
	}
}

func observe(t *testing.T, d publish.Driver) publish.Observed {
	t.Helper()
	seen, err := d.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

func apply(t *testing.T, d publish.Driver, plan publish.Ops) {
	t.Helper()
	if _, err := d.Apply(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
}

func expectActive(t *testing.T, target Target, want ...string) {
	t.Helper()
	if got := target.Active(t); !sameSet(got, want) {
		t.Errorf("active are %v, want %v", got, want)
	}
}

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// missing counts those of want that are not in got.
func missing(got, want []string) int {
	there := make(map[string]bool, len(got))
	for _, address := range got {
		there[address] = true
	}
	n := 0
	for _, address := range want {
		if !there[address] {
			n++
		}
	}
	return n
}

// A process is a publisher that runs.
type process struct {
	target    Target
	service   *service
	publisher *publish.Publisher
	writes    atomic.Int64
	stop      func()
}

// start runs a publisher with a new driver until the test ends or it is stopped.
func start(t *testing.T, target Target, service *service) *process {
	t.Helper()
	p := &process{target: target, service: service}
	p.publisher = publish.NewPublisher(upstream, target.Driver(t), service.source, publish.Options{
		Reobserve: 100 * time.Millisecond, MinBackoff: 20 * time.Millisecond, MaxBackoff: 200 * time.Millisecond,
		Metrics: counter{&p.writes},
	})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() { defer close(done); p.publisher.Run(ctx) }()
	p.stop = func() { cancel(); <-done }
	t.Cleanup(p.stop)
	return p
}

// change gives the Service other ready addresses.
func (p *process) change(addresses ...string) {
	p.service.set(addresses...)
	p.publisher.Wake(time.Time{})
}

// settles waits until the load balancer has what the Service has, and the
// publisher says so.
func (p *process) settles(t *testing.T) {
	t.Helper()
	want := p.service.ready()
	p.await(t, fmt.Sprintf("%d backends are active", len(want)), func() bool {
		s := p.publisher.Status()
		return s.Phase == publish.PhasePublished && s.Applied.Active == len(want) && sameSet(p.target.Active(t), want)
	})
}

// patience is how long something may take on a busy machine.
const patience = time.Minute

func (p *process) await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after %s it is not so that %s; active are %v, the status is %+v", patience, what, p.target.Active(t), p.publisher.Status())
		}
	}
}

// counter counts the writes of a publisher.
type counter struct{ writes *atomic.Int64 }

func (c counter) Wrote(_, _ string, writes int)           { c.writes.Add(int64(writes)) }
func (c counter) Published(string, string, time.Duration) {}
func (c counter) Failed(string, string)                   {}
