package serve

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/objects"
	"github.com/slicewright/slicewright/app/internal/find/pipeline"
	"github.com/slicewright/slicewright/app/internal/find/workloads"
)

// How often a cluster's workloads are read: from time to time, and sooner when an
// account appears under which nothing is known to run. A list of all Pods costs an API
// server much.
const (
	workloadsInterval = 10 * time.Minute
	workloadsPause    = time.Minute
)

// ReadWorkloads reads a cluster once. What it cannot read is in the coverage.
type ReadWorkloads func(context.Context) (*objects.Snapshot, evidence.Coverage, error)

// running knows the workloads of a cluster and names those that requests in a log
// came from. Its methods may be called by several goroutines.
type running struct {
	// asked has room for one message: that a new account was seen. Nobody closes it.
	asked chan struct{}

	mu    sync.Mutex       // guards what follows
	index *workloads.Index // nil before the first reading, and if nobody reads
	seen  map[string]bool  // accounts without a workload that were asked for once
}

func newRunning() *running {
	return &running{asked: make(chan struct{}, 1), seen: make(map[string]bool)}
}

// name gives findings the workloads that they belong to.
func (r *running) name(findings []evidence.Finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.index == nil {
		return
	}
	pipeline.AttributeLog(findings, r.index)
	for _, f := range findings {
		if s := f.Subject; s.ServiceAccount != "" && s.Workload.Name == "" && !r.seen[s.ServiceAccount] {
			r.seen[s.ServiceAccount] = true
			select {
			case r.asked <- struct{}{}:
			default:
			}
		}
	}
}

// follow reads until ctx ends. What cannot be read is logged, and what was known
// before stays.
func (r *running) follow(ctx context.Context, log *slog.Logger, read ReadWorkloads) error {
	for {
		snapshot, coverage, err := read(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			log.Error("could not read the cluster's workloads", "error", err)
		default:
			for _, p := range coverage.Problems {
				log.Warn("a part of the cluster was not read", "what", p.Locator, "problem", p.Message)
			}
			r.take(workloads.New(snapshot), len(coverage.Problems) == 0)
		}
		if !r.wait(ctx) {
			return nil
		}
	}
}

// take replaces what is known; by a reading with holes only if nothing is.
func (r *running) take(index *workloads.Index, whole bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if whole || r.index == nil {
		r.index = index
	}
}

// wait returns when it is time to read again, false when ctx ended.
func (r *running) wait(ctx context.Context) bool {
	pause, interval := time.NewTimer(workloadsPause), time.NewTimer(workloadsInterval)
	defer pause.Stop()
	defer interval.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-pause.C:
	}
	select {
	case <-ctx.Done():
		return false
	case <-r.asked:
	case <-interval.C:
	}
	return true
}
