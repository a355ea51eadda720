package record

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/slicewright/slicewright/app/internal/apiclient"
	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/app/internal/timeline/store"
	"github.com/slicewright/slicewright/endpointset"
)

const (
	// batchTime is how long a change waits for others before it is committed. The
	// promise is that a killed recorder loses at most 200 ms; the rest of them is
	// for the commit itself.
	batchTime = 100 * time.Millisecond
	// batchEvents bounds what a commit writes at once.
	batchEvents = 2000
	// idleTime is how often a quiet recording notes that it still sees everything.
	idleTime = time.Second
	// queueLength is how many changes wait for the database before the watches do.
	// Their moments are taken before they wait.
	queueLength = 4096
)

// Cluster records a cluster.
type Cluster struct {
	Client apiclient.Interface
	Scope  Scope
	// Now is the clock.
	Now func() time.Time
	// Progress, if set, is called after every commit.
	Progress func(Progress)
	// Log, if nil, is slog.Default.
	Log *slog.Logger
	// Observations are recorded as they come, those too that wait when ctx ends.
	// It must not be closed before Record returns; nil has none.
	Observations <-chan timeline.Observation
}

// Progress is how far a recording is.
type Progress struct {
	Events, Slices, Pods, Gaps int
	Until                      time.Time
}

// message is what a watch says to the recorder.
type message struct {
	watch *watcher
	at    time.Time
	// apply makes events of it; nil for a bookmark.
	apply func(context.Context, *applier, moment) error
	// gap is set where the watch was down before this message.
	gap *timeline.Gap
	// down is set where the watch went down with this message, for a reason.
	down   bool
	reason string
}

// Record lists, watches and writes until ctx ends, which is no error. The
// writer is committed but not closed.
//
// The first lists come one after the other, Services first, since they decide
// what belongs. When one fails, Record fails: no permission is better said at
// the beginning. Later failures are gaps, and tried again.
func (c *Cluster) Record(ctx context.Context, w *store.Writer) error {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	r := &recorder{Cluster: c, writer: w, applier: newApplier(w, c.Scope), messages: make(chan message, queueLength)}
	if err := r.start(ctx); err != nil {
		if ctx.Err() != nil {
			return r.writer.Commit(context.WithoutCancel(ctx))
		}
		return err
	}
	group, watching := errgroup.WithContext(ctx)
	for _, watch := range r.watchers {
		group.Go(func() error { return watch.run(watching, r.messages) })
	}
	group.Go(func() error { return r.write(watching) })
	// Whether it was interrupted or its time was up, that is how it ends.
	if err := group.Wait(); err != nil && (ctx.Err() == nil || !errors.Is(err, ctx.Err())) {
		return err
	}
	return r.finish(context.WithoutCancel(ctx))
}

type recorder struct {
	*Cluster
	writer   *store.Writer
	applier  *applier
	watchers []*watcher
	messages chan message
	pending  int
	progress Progress
}

// start lists everything for the first time.
func (r *recorder) start(ctx context.Context) error {
	now := r.Now()
	if before := r.writer.Until(); !before.IsZero() {
		if now.Before(before) { // the clock went back while nobody looked
			now = before
		}
		for _, resource := range resources {
			gap := &timeline.Gap{
				From: before, To: now, Resource: resource.name, Namespace: r.Scope.Namespace, Lost: true, Reason: "the recorder did not run",
			}
			if err := r.writer.Append(ctx, timeline.Event{At: now, Gap: gap}); err != nil {
				return err
			}
		}
	}
	for _, resource := range resources {
		watch := &watcher{resource: resource, client: r.Client, namespace: r.Scope.Namespace, now: r.Now, log: r.Log}
		list, err := watch.list(ctx)
		if err != nil {
			return explainList(resource, r.Scope.Namespace, err)
		}
		if err := list.apply(ctx, r.applier, moment{list.at, timeline.Received}); err != nil {
			return err
		}
		r.watchers = append(r.watchers, watch)
	}
	for _, name := range r.Scope.Services {
		key := endpointset.ServiceKey{Namespace: r.Scope.Namespace, Name: name}
		if _, ok := r.writer.State().Services[key]; !ok {
			r.Log.Warn("the Service is not there; it will be recorded when it comes", "service", key.String())
		}
	}
	return r.commit(ctx)
}

// explainList says which permission is missing.
func explainList(r resource, namespace string, err error) error {
	where := "in namespace " + namespace
	if namespace == "" {
		where = "in all namespaces"
	}
	if apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) {
		return fmt.Errorf("list %s %s: %w; recording needs the verbs list and watch on services, pods and endpointslices.discovery.k8s.io there",
			r.name, where, err)
	}
	return fmt.Errorf("list %s %s: %w", r.name, where, err)
}

// write turns messages into rows until ctx ends, and then what is still queued.
func (r *recorder) write(ctx context.Context) error {
	batch := time.NewTimer(idleTime)
	defer batch.Stop()
	lasting := context.WithoutCancel(ctx)
	for {
		select {
		case m := <-r.messages:
			if r.pending == 0 {
				batch.Reset(batchTime)
			}
			if err := r.take(lasting, m); err != nil {
				return err
			}
			if r.pending < batchEvents {
				continue
			}
		case o := <-r.Observations:
			if r.pending == 0 {
				batch.Reset(batchTime)
			}
			if err := r.observed(lasting, o); err != nil {
				return err
			}
			if r.pending < batchEvents {
				continue
			}
		case <-batch.C:
			r.seen()
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := r.commit(lasting); err != nil {
			return err
		}
		batch.Reset(idleTime)
	}
}

func (r *recorder) take(ctx context.Context, m message) error {
	r.pending++
	if m.gap != nil {
		r.progress.Gaps++
		if err := r.writer.Append(ctx, timeline.Event{At: m.at, Gap: m.gap}); err != nil {
			return err
		}
	}
	if m.down && !m.watch.isDown {
		m.watch.downSince = m.at
		gap := m.watch.gap(m.at, time.Time{}, true, m.reason)
		if err := r.writer.Append(ctx, timeline.Event{At: m.at, Gap: gap}); err != nil {
			return err
		}
	}
	m.watch.isDown = m.down
	if m.apply == nil {
		return nil
	}
	r.progress.Events++
	return m.apply(ctx, r.applier, moment{m.at, timeline.Received})
}

// observed takes what a consumer was seen to do. Its moments are its own; that of
// the event is when it is written.
func (r *recorder) observed(ctx context.Context, o timeline.Observation) error {
	r.pending++
	return r.writer.Append(ctx, timeline.Event{At: r.Now(), Observation: &o})
}

// seen notes that everything up to now was seen, when nothing says otherwise:
// no watch is down and none has said anything that is still queued.
func (r *recorder) seen() {
	for _, w := range r.watchers {
		if w.isDown {
			return
		}
	}
	if len(r.messages) == 0 {
		r.writer.Seen(r.Now())
	}
}

func (r *recorder) commit(ctx context.Context) error {
	r.pending = 0
	if err := r.writer.Commit(ctx); err != nil {
		return err
	}
	if r.Progress != nil {
		p := r.progress
		p.Slices, p.Pods, p.Until = len(r.writer.State().Slices), len(r.writer.State().Pods), r.writer.Committed()
		r.Progress(p)
	}
	return nil
}

// finish takes what is queued, and closes the gap of a watch that is still down.
func (r *recorder) finish(ctx context.Context) error {
	for len(r.messages) > 0 {
		if err := r.take(ctx, <-r.messages); err != nil {
			return err
		}
	}
	for len(r.Observations) > 0 {
		if err := r.observed(ctx, <-r.Observations); err != nil {
			return err
		}
	}
	now := r.Now()
	for _, w := range r.watchers {
		if !w.isDown {
			continue
		}
		gap := w.gap(w.downSince, now, true, "the recording ended before the watch was back")
		if err := r.writer.Append(ctx, timeline.Event{At: now, Gap: gap}); err != nil {
			return err
		}
	}
	r.writer.Seen(now)
	return r.commit(ctx)
}
