// Package run is the command that keeps load balancers at the backends of Services.
package run

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"

	"github.com/slicewright/slicewright/app/internal/apiclient"
	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/config"
	"github.com/slicewright/slicewright/app/internal/shadow/live"
	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/publish"
	"github.com/slicewright/slicewright/publish/metrics"
	"github.com/slicewright/slicewright/watch"
	"github.com/slicewright/slicewright/watch/access"
	watchmetrics "github.com/slicewright/slicewright/watch/metrics"
)

type runFlags struct {
	config         string
	shard          shard
	metricsAddress string
	log            command.LogFlags
	cluster        *command.ClusterFlags
}

func New(streams command.Streams) *cobra.Command {
	f := runFlags{cluster: command.NewClusterFlags()}
	cmd := &cobra.Command{
		Use:   "run --config FILE",
		Short: "Keep load balancers at the backends that the EndpointSlices give",
		Long: `Watch EndpointSlices and keep every upstream of the configuration at its
target: a HAProxy backend over the runtime API, a rendered file.

It needs list and watch on endpointslices in the namespaces of the
configuration, and says which Role grants it when they are missing. Without an
API server it starts all the same, changes nothing that works, and waits.

On --metrics-address it serves /metrics, /healthz, /readyz (after the first
publish of every upstream) and /status.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd.Context(), streams)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.config, "config", "", "configuration file")
	flags.Var(&f.shard, "shard", "I/N: take only the I-th of N parts of the Services, for more than one process can carry")
	flags.StringVar(&f.metricsAddress, "metrics-address", "127.0.0.1:9808", "address to serve metrics, health and status on; \"\" serves none")
	f.log.AddTo(flags)
	f.cluster.AddTo(flags)
	return cmd
}

func (f *runFlags) run(ctx context.Context, streams command.Streams) error {
	if f.config == "" {
		return command.UsageErrorf("--config is missing: name the configuration file")
	}
	conf, err := config.Load(f.config)
	if err != nil {
		return command.WithExit(command.ExitUsage, err)
	}
	logger, err := f.log.Logger(streams.Err)
	if err != nil {
		return err
	}
	client, connection, err := f.cluster.Connect("run")
	if err != nil {
		return err
	}
	if err := checkAccess(ctx, client, conf.Namespaces, logger); err != nil {
		return err
	}

	registry := prometheus.NewRegistry()
	counts := metrics.New(registry)
	r := &runner{conf: conf, logger: logger}
	r.watcher = watch.New(client.DiscoveryV1(), watch.Options{
		Namespaces: conf.Namespaces,
		Index:      conf.Index(),
		Changed:    r.changed,
		Logger:     logger,
	})
	if r.fleet, err = r.newFleet(f.shard, counts); err != nil {
		return err
	}
	registry.MustRegister(metrics.Collector(r.fleet), watchmetrics.Collector(r.watcher))
	if r.shadow = r.newShadow(client, f.shard); r.shadow != nil {
		registry.MustRegister(live.Collector(r.shadow))
	}
	if f.metricsAddress != "" {
		stop, err := serveStatus(f.metricsAddress, r, registry, logger)
		if err != nil {
			return err
		}
		defer stop()
	}
	return r.run(ctx, client, connection)
}

// checkAccess refuses to start without permissions. An API server that cannot
// be asked is no reason: the watch will find out when it is back.
func checkAccess(ctx context.Context, client apiclient.Interface, namespaces []string, logger *slog.Logger) error {
	err := access.Check(ctx, client.AuthorizationV1(), namespaces)
	var denied *access.Error
	if err != nil && !errors.As(err, &denied) && ctx.Err() == nil {
		logger.Warn("starting without the API server: nothing is changed until it answers", "err", err)
		return nil
	}
	return err
}

// A runner is what runs together.
type runner struct {
	conf    *config.Config
	logger  *slog.Logger
	watcher *watch.Watcher
	fleet   *publish.Fleet
	shadow  *live.Watcher // nil unless an upstream is in mode shadow
	opened  sync.Once
	// leading: this replica publishes, or has. Only with leader election.
	leading atomic.Bool
}

// changed hands what the watch saw to the publishers. The first call says that
// the gate is open (S14).
func (r *runner) changed(changes []endpointset.Change) {
	r.fleet.Changed(changes)
	r.opened.Do(r.fleet.Opened)
}

func (r *runner) newFleet(part shard, counts publish.Metrics) (*publish.Fleet, error) {
	var store publish.Store
	if r.conf.State.Dir != "" {
		var err error
		if store, err = publish.NewStore(r.conf.State.Dir); err != nil {
			return nil, err
		}
	}
	var publishers []*publish.Publisher
	for _, u := range r.conf.Upstreams {
		upstream := u.Upstream(r.conf)
		if !part.has(upstream.Service) {
			continue
		}
		for _, t := range u.To {
			driver, err := t.Driver()
			if err != nil {
				return nil, err
			}
			options := r.conf.Options(t)
			options.Store, options.Logger, options.Metrics = store, r.logger, counts
			publishers = append(publishers, publish.NewPublisher(upstream, driver, r.watcher.Service, options))
		}
	}
	return publish.NewFleet(publishers...)
}

// run watches and publishes until ctx ends. With leader election every replica
// watches, and the leader alone publishes.
func (r *runner) run(ctx context.Context, client apiclient.Interface, connection *rest.Config) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var running sync.WaitGroup
	running.Go(func() { r.watcher.Run(ctx) })
	if r.shadow != nil {
		running.Go(func() { r.shadow.Run(ctx) })
	}
	defer running.Wait()
	defer cancel()
	r.logger.Info("started", "api", connection.Host, "targets", len(r.fleet.Statuses()))
	if r.conf.Leader == nil {
		r.fleet.Run(ctx)
		<-ctx.Done() // with every upstream in mode shadow the fleet is empty
		return nil
	}
	return r.lead(ctx, client)
}
