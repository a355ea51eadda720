// Package serve keeps a registry current from audit events as they happen: it is
// the backend of an API server's audit webhook, and follows a log that grows.
package serve

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"golang.org/x/sync/errgroup"

	"github.com/slicewright/slicewright/app/internal/find/audit"
	"github.com/slicewright/slicewright/app/internal/find/audit/live"
)

// Options say what is served. State, and one of Webhook and Follow, are required.
type Options struct {
	// State is the directory of the journal, for one process.
	State string
	Audit audit.Options
	// Webhook is nil if no API server sends events.
	Webhook *Webhook
	// Follow is a log file that grows; "" follows none.
	Follow string
	// MetricsAddress has /metrics, /registry.json, /healthz and /readyz; "" is
	// without.
	MetricsAddress string
	// Registry is the file to keep current; "" keeps none.
	Registry string
	// Interval is how often the registry and the state are written.
	Interval time.Duration
	// ReadWorkloads reads what runs in the cluster; nil is without.
	ReadWorkloads ReadWorkloads
	Log           *slog.Logger
}

// SettingError says that a file which a setting names does not hold what it must.
type SettingError string

// Error returns the setting and what is wrong.
func (e SettingError) Error() string { return string(e) }

// Run serves until ctx ends, then writes the registry a last time.
func Run(ctx context.Context, opts Options) (err error) {
	metrics := prometheus.NewRegistry()
	metrics.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	counts := live.NewMetrics(metrics)
	recorder, err := live.Open(opts.State, opts.Audit, counts)
	if err != nil {
		return err
	}
	counts.WatchOpen(metrics, recorder)
	keeper := &registryKeeper{path: opts.Registry, recorder: recorder, running: newRunning()}
	defer func() { err = errors.Join(err, keeper.write(), recorder.Close()) }()

	group, ctx := errgroup.WithContext(ctx)
	if opts.Webhook != nil {
		if err := opts.Webhook.start(ctx, group, recorder, opts); err != nil {
			return err
		}
	}
	if opts.MetricsAddress != "" {
		if err := serveMetrics(ctx, group, metrics, keeper, opts); err != nil {
			return err
		}
	}
	if opts.Follow != "" {
		follower := live.Follower{Path: opts.Follow, Recorder: recorder, Log: opts.Log}
		group.Go(func() error { return follower.Run(ctx) })
		opts.Log.Info("following the audit log", "path", opts.Follow)
	}
	if opts.ReadWorkloads != nil {
		group.Go(func() error { return keeper.running.follow(ctx, opts.Log, opts.ReadWorkloads) })
	}
	group.Go(func() error { keeper.run(ctx, opts.Interval, opts.Log); return nil })
	return group.Wait()
}
