// Package shadow is the command that compares Endpoints with slices.
package shadow

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/cobra"

	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/shadow"
	"github.com/slicewright/slicewright/app/internal/shadow/live"
	"github.com/slicewright/slicewright/endpointset"
)

var shadowFormats = []string{"table", "wide", "json", "html"}

type shadowFlags struct {
	files          []string
	reference      string
	duration       time.Duration
	settle         time.Duration
	ceiling        time.Duration
	output         string
	allNamespaces  bool
	events         bool
	metricsAddress string
	log            command.LogFlags
	cluster        *command.ClusterFlags
}

func New(streams command.Streams) *cobra.Command {
	f := shadowFlags{cluster: command.NewClusterFlags()}
	cmd := &cobra.Command{
		Use:   "shadow [[NAMESPACE/]SERVICE...] [-A] [--for DURATION] [-f FILE|DIR|-]",
		Short: "Compare what Endpoints say with what EndpointSlices say, once both are still",
		Long: `Watch the Endpoints and the EndpointSlices of Services, compare them once both
have been still for the settle window, and say of each difference whether it is
one that the two APIs always have, or one to look at. Nothing is published.

Without --for it ends when every Service has been judged once; with it, after that
time. A Service that never rests is judged too, once in every ceiling, by the
differences that last. A difference that was judged once counts, even if it is
gone at the end.

It needs list and watch on endpoints and endpointslices. Services, Pods and Nodes
are read as far as permitted; what cannot be said without them is in the report.

With -f it compares objects from manifests: what
kubectl get endpoints,endpointslices,services,pods,nodes -A -o yaml writes.

Exit codes: 0 equal, 3 different, 4 not settled or not allowed to read.`,
		Example: `  slicewright shadow -n shop cart
  slicewright shadow -A --for 10m -o json > shadow.json
  slicewright shadow shop/cart --reference cart.yaml
  kubectl get endpoints,endpointslices -A -o yaml | slicewright shadow -f -`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), streams, args)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVarP(&f.files, "filename", "f", nil, "file or folder with objects instead of a cluster, - for stdin; may be repeated")
	flags.StringVar(&f.reference, "reference", "", "file with the sets to compare with where Endpoints cannot equal the slices")
	flags.DurationVar(&f.duration, "for", 0, "how long to watch (default: until every Service was judged once)")
	flags.DurationVar(&f.settle, "settle", shadow.DefaultWindow, "how long both sources must be still to be compared")
	flags.DurationVar(&f.ceiling, "settle-ceiling", shadow.DefaultCeiling, "after how long a Service that never rests is judged")
	flags.StringVarP(&f.output, "output", "o", "table", strings.Join(shadowFormats, ", "))
	flags.BoolVarP(&f.allNamespaces, "all-namespaces", "A", false, "all namespaces")
	flags.BoolVar(&f.events, "events-on-service", false, "write a Kubernetes Event on a Service when it begins to differ and when it agrees again")
	flags.StringVar(&f.metricsAddress, "metrics-address", "", "address to serve /metrics on while watching; \"\" serves none")
	f.log.AddTo(flags)
	f.cluster.AddTo(flags)
	return cmd
}

func (f *shadowFlags) run(ctx context.Context, streams command.Streams, args []string) error {
	if err := f.validate(args); err != nil {
		return err
	}
	if f.output == "html" {
		if err := command.NoTerminal(streams.Out, "shadow.html"); err != nil {
			return err
		}
	}
	reference, err := f.readReference()
	if err != nil {
		return err
	}
	services, err := f.cluster.Services(args)
	if err != nil {
		return err
	}
	var report *shadow.Report
	if len(f.files) > 0 {
		report, err = f.compareFiles(streams, services, reference)
	} else {
		report, err = f.watch(ctx, streams, services, reference)
	}
	if err != nil {
		return err
	}
	if err := writeShadow(streams.Out, report, f.output); err != nil {
		return err
	}
	switch report.Outcome {
	case shadow.Different:
		return command.WithExit(command.ExitFinding, command.ErrQuiet)
	case shadow.Unknown:
		return command.WithExit(command.ExitUnknown, command.ErrQuiet)
	}
	return nil
}

func (f *shadowFlags) validate(args []string) error {
	if err := command.CheckOutput(f.output, shadowFormats); err != nil {
		return err
	}
	switch {
	case f.settle <= 0 || f.ceiling <= 0 || f.duration < 0:
		return command.UsageErrorf("--for, --settle and --settle-ceiling are times from now on: write them as 5s or 10m")
	case f.allNamespaces && len(args) > 0:
		return command.UsageErrorf("-A and a SERVICE exclude each other")
	case len(f.files) > 0 && (f.duration > 0 || f.events || f.metricsAddress != ""):
		return command.UsageErrorf("--for, --events-on-service and --metrics-address need a cluster: files do not change")
	case f.duration > 0 && f.duration < f.settle:
		return command.UsageErrorf("--for %s is shorter than --settle %s: nothing could be judged", f.duration, f.settle)
	}
	return nil
}

func (f *shadowFlags) readReference() (live.Reference, error) {
	if f.reference == "" {
		return nil, nil
	}
	data, err := os.ReadFile(f.reference)
	if err != nil {
		return nil, fmt.Errorf("--reference: %w", err)
	}
	reference, err := shadow.ParseReference(data)
	if err != nil {
		return nil, fmt.Errorf("--reference %s: %w", f.reference, err)
	}
	return reference, nil
}

func (f *shadowFlags) compareFiles(streams command.Streams, services []endpointset.ServiceKey, reference live.Reference) (*shadow.Report, error) {
	var files live.Files
	for _, path := range f.files {
		if err := files.Read(path, streams.In); err != nil {
			return nil, err
		}
	}
	for i := range services {
		if services[i].Namespace == "" {
			services[i].Namespace = "default"
		}
	}
	only := f.cluster.Namespace()
	report, err := files.Compare(time.Now(), services, func(key endpointset.ServiceKey) bool {
		return len(services) == 0 && (f.allNamespaces || only == "" || key.Namespace == only)
	}, reference)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(f.files, ", "), err)
	}
	return report, nil
}

// watch watches a cluster for as long as it is asked to.
func (f *shadowFlags) watch(ctx context.Context, streams command.Streams, services []endpointset.ServiceKey, reference live.Reference) (*shadow.Report, error) {
	logger, err := f.log.Logger(streams.Err)
	if err != nil {
		return nil, err
	}
	client, _, err := f.cluster.Connect("shadow")
	if err != nil {
		return nil, err
	}
	current, err := f.cluster.CurrentNamespace()
	if err != nil {
		return nil, fmt.Errorf("connect to the cluster: %w", err)
	}
	options := live.Options{Window: f.settle, Ceiling: f.ceiling, Reference: reference, Logger: logger}
	for _, key := range services {
		if key.Namespace == "" {
			key.Namespace = current
		}
		options.Services = append(options.Services, key)
	}
	if len(services) == 0 && !f.allNamespaces {
		options.Namespaces = []string{current}
	}
	var events *live.Events
	if f.events {
		host, _ := os.Hostname() // an Event does without it
		events = live.NewEvents(client.CoreV1(), host, logger)
		options.Judged = events.Judged
	}
	w := live.New(client, options)
	if f.metricsAddress != "" {
		registry := prometheus.NewRegistry()
		registry.MustRegister(live.Collector(w))
		handler := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
		stop, err := command.Serve(f.metricsAddress, handler, "metrics", logger)
		if err != nil {
			return nil, err
		}
		defer stop()
	}
	f.watchUntilDone(ctx, w, events)
	report := w.Report()
	explainUnread(logger, report)
	return report, nil
}

// watchUntilDone returns when enough was seen, or nothing more can be.
func (f *shadowFlags) watchUntilDone(ctx context.Context, w *live.Watcher, events *live.Events) {
	limit := f.duration
	if limit == 0 {
		// A Service that never rests takes a ceiling; before that, the API server
		// has half a minute to answer.
		limit = max(f.ceiling, f.settle) + f.settle + 30*time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	running.Go(func() { w.Run(ctx) })
	if events != nil {
		running.Go(func() { events.Run(ctx) })
	}
	select {
	case <-ctx.Done():
		return
	case <-w.Judged():
	}
	if f.duration == 0 || w.Refused() {
		return
	}
	<-ctx.Done()
}

// explainUnread names what is needed and missing: in the report it is one of many
// things, but a user who can fix it needs to see it first.
func explainUnread(logger *slog.Logger, report *shadow.Report) {
	for _, u := range report.Unread {
		if !u.Needed {
			continue
		}
		message := "needed, and cannot be read: does the API server answer?"
		if u.Refused {
			message = "needed, and refused: list and watch must be permitted, see docs/shadow.md for the Role"
		}
		logger.Error(message, "resource", u.Resource, "namespace", u.Namespace, "err", u.Problem)
	}
}
