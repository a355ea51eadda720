package conformance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"github.com/slicewright/slicewright/lab"
	"github.com/slicewright/slicewright/lab/controlplane"
	"github.com/slicewright/slicewright/lab/manifest"
	"github.com/slicewright/slicewright/lab/sandbox"
)

// Engine plays scenarios to consumers in a lab.
type Engine struct {
	Lab *lab.Lab
	// Dir gets the instances' folders. Sockets are in them: it must be short.
	Dir string
	// Built are the programs.
	Built Built
	// Parallel is how many scenarios are played at once, apart from those that want
	// to be alone; 0 is 2.
	Parallel int
	// Repeats is how often a scenario is played again for the consumers that
	// broke; it says in how many plays they did.
	Repeats int
	// Again says of a cell that broke whether it is worth a repetition; nil is yes.
	Again func(Cell) bool
	Log   *slog.Logger

	objects *manifest.Client
	shared  map[string]*instance // consumers of scope cluster, by name

	mu       sync.Mutex
	instance int // counts instances, for their addresses; guarded by mu
	stages   int // counts stages, for their namespaces; guarded by mu
}

// scenarioPatience ends a play that hangs.
const scenarioPatience = 6 * time.Minute

// Run plays all scenarios to all consumers and returns a cell for each pair. An
// error means that something other than a consumer went wrong.
func (e *Engine) Run(ctx context.Context, consumers []*Consumer, scenarios []*Scenario) ([]Cell, error) {
	if err := e.prepare(ctx, consumers); err != nil {
		return nil, err
	}
	defer e.stopShared()
	cells := map[key]Cell{}
	play := func(ctx context.Context, job job) error {
		played, err := e.playOnce(ctx, job)
		for _, cell := range played {
			k := key{cell.Scenario, cell.Consumer}
			e.mu.Lock()
			cells[k] = merge(cells[k], cell)
			e.mu.Unlock()
		}
		return err
	}
	var first []job
	for _, s := range scenarios {
		first = append(first, job{scenario: s, consumers: consumers, attempt: 1})
	}
	if err := e.all(ctx, first, play); err != nil {
		return nil, err
	}
	for attempt := 2; attempt <= 1+e.Repeats; attempt++ {
		var again []job
		for _, s := range scenarios {
			broken := slices.DeleteFunc(slices.Clone(consumers), func(c *Consumer) bool {
				cell := cells[key{s.Name, c.Name}]
				return cell.Verdict != Breaks || e.Again != nil && !e.Again(cell)
			})
			if len(broken) == 0 {
				continue
			}
			// The last time, it is seen whether a restart heals.
			j := job{scenario: s, consumers: broken, attempt: attempt, healing: attempt == 1+e.Repeats}
			for _, c := range broken {
				j.until = max(j.until, cells[key{s.Name, c.Name}].Step)
			}
			again = append(again, j)
		}
		if err := e.all(ctx, again, play); err != nil {
			return nil, err
		}
	}
	var all []Cell
	for _, s := range scenarios {
		for _, c := range consumers {
			all = append(all, cells[key{s.Name, c.Name}])
		}
	}
	return all, nil
}

type key struct{ scenario, consumer string }

// job is one play.
type job struct {
	scenario  *Scenario
	consumers []*Consumer
	attempt   int
	healing   bool
	until     int // the last step that is of interest, 0 for all
}

// all plays jobs, several at once, and then one by one those that are alone.
func (e *Engine) all(ctx context.Context, jobs []job, play func(context.Context, job) error) error {
	var wait sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	run := func(j job) {
		if ctx.Err() != nil {
			return
		}
		if err := play(ctx, j); err != nil {
			mu.Lock()
			defer mu.Unlock()
			errs = append(errs, err)
		}
	}
	slots := make(chan struct{}, max(1, e.parallel()))
	for _, j := range jobs {
		if j.alone() {
			continue
		}
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			run(j)
		})
	}
	wait.Wait()
	for _, j := range jobs {
		if j.alone() {
			run(j)
		}
	}
	return errors.Join(append(errs, ctx.Err())...)
}

// alone reports whether others would notice the play: it restarts consumers
// that all share, or components.
func (j job) alone() bool {
	return j.scenario.Alone || j.healing && slices.ContainsFunc(j.consumers, func(c *Consumer) bool { return c.Component != "" })
}

func (e *Engine) parallel() int {
	if e.Parallel == 0 {
		return 2
	}
	return e.Parallel
}

// playOnce sets a stage, plays on it and strikes it.
func (e *Engine) playOnce(ctx context.Context, j job) ([]Cell, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, scenarioPatience, fmt.Errorf("the scenario takes longer than %s", scenarioPatience))
	defer cancel()
	began := time.Now()
	e.mu.Lock()
	e.stages++
	number := e.stages
	e.mu.Unlock()
	namespace := fmt.Sprintf("c%d-%s", number, j.scenario.Name)
	s := &stage{
		engine: e, scenario: j.scenario, namespace: namespace,
		block:     block{number: j.scenario.number(), namespace: namespace},
		dir:       filepath.Join(e.Dir, fmt.Sprint(number)),
		consumers: j.consumers, failed: map[string]error{}, own: j.healing, until: j.until,
	}
	observed, healed, err := map[string][]Observation(nil), map[string]string(nil), s.set(ctx)
	if err == nil {
		observed, healed, err = s.play(ctx, j.healing)
	}
	if struck := s.strike(); struck != nil {
		e.log().Warn("strike a stage", "scenario", j.scenario.Name, "error", struck)
	}
	var cells []Cell
	for _, c := range j.consumers {
		slices.SortFunc(observed[c.Name], func(a, b Observation) int {
			return cmp.Or(a.Step-b.Step, cmp.Compare(slices.Index(j.scenario.services(), a.Service), slices.Index(j.scenario.services(), b.Service)))
		})
		cell := judge(c, j.scenario.Name, observed[c.Name])
		if failed := errors.Join(s.failed[c.Name], err); failed != nil {
			cell.Verdict, cell.Note = NotRun, failed.Error()
		} else if len(cell.Observations) == 0 {
			cell.Verdict = NotApplicable
		}
		cell.RestartHeals = healed[c.Name]
		cells = append(cells, cell)
		e.log().Info("cell", "scenario", j.scenario.Name, "consumer", c.Name, "verdict", cell.Verdict, "rule", cell.Rule, "step", cell.Step, "attempt", j.attempt)
	}
	e.log().Info("played", "scenario", j.scenario.Name, "attempt", j.attempt, "took", time.Since(began).Round(100*time.Millisecond))
	if err != nil {
		err = fmt.Errorf("scenario %s: %w", j.scenario.Name, err)
	}
	return cells, err
}

func (e *Engine) log() *slog.Logger {
	if e.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return e.Log
}

// merge adds a repeated play to what is known of a cell. The result of the
// first play is kept, because the other consumers saw the same at that time.
func merge(have, next Cell) Cell {
	if have.Plays == 0 {
		return next
	}
	have.Plays += next.Plays
	have.Broken += next.Broken
	if next.RestartHeals != "" {
		have.RestartHeals = next.RestartHeals
	}
	return have
}

// values are those of an instance, without the Service.
func (e *Engine) values(c *Consumer, dir string) values {
	e.mu.Lock()
	e.instance++
	n := e.instance
	e.mu.Unlock()
	// Every instance has a loopback address, and thus every port, to itself.
	ip := fmt.Sprintf("127.50.%d.%d", n/250, 1+n%250)
	return values{
		"KUBECONFIG": filepath.Join(e.Lab.Dir, "admin.kubeconfig"),
		"PORT":       portName, "DIR": dir,
		"LISTEN": ip + ":8000", "LISTEN_IP": ip, "LISTEN_PORT": "8000",
		"NODE": "lab-a-1", "ZONE": "lab-a",
		"PROGRAM": e.Built.Consumers[c.Name], "SLICEWRIGHT": e.Built.Slicewright, "READER": e.Built.Reader,
	}
}

func (v values) clone() values { return maps.Clone(v) }

// prepare starts the consumers that follow everything.
func (e *Engine) prepare(ctx context.Context, consumers []*Consumer) (err error) {
	config := rest.CopyConfig(e.Lab.Config)
	config.WarningHandler = rest.NoWarnings{}
	if e.objects, err = manifest.NewClient(config); err != nil {
		return err
	}
	if err := e.route(); err != nil {
		return err
	}
	e.shared = map[string]*instance{}
	defer func() {
		if err != nil {
			e.stopShared()
		}
	}()
	for _, c := range consumers {
		if c.Scope != "cluster" {
			continue
		}
		dir := filepath.Join(e.Dir, c.Name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("make a folder: %w", err)
		}
		i := &instance{consumer: c, values: e.values(c, dir), dir: dir, component: e.restartComponent}
		e.shared[c.Name] = i
		if err := i.start(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine) stopShared() {
	for _, i := range e.shared {
		i.stop()
	}
}

func (e *Engine) restartComponent(ctx context.Context, name string, flags ...string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startPatience, fmt.Errorf("%s is not up within %s", name, startPatience))
	defer cancel()
	return e.Lab.ControlPlane.Restart(ctx, name, flags...)
}

// route lets connections to IPv6 ClusterIPs leave; the lab does so for IPv4.
func (e *Engine) route() error {
	source := netip.MustParseAddr("fd40::1")
	if err := e.Lab.Addresses.Add(source); err != nil {
		return err
	}
	return sandbox.Route(controlplane.ServiceCIDRs[1], source)
}
