// Package backends is the command that shows which backends a Service has.
package backends

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slicewright/slicewright/app/internal/backendreport"
	"github.com/slicewright/slicewright/app/internal/cli/choice"
	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/watch/replay"
)

type backendsFlags struct {
	choice        choice.Flags
	output        string
	explain       bool
	watch         bool
	allNamespaces bool
	selector      string
	cluster       *command.ClusterFlags
}

func New(streams command.Streams) *cobra.Command {
	f := backendsFlags{cluster: command.NewClusterFlags()}
	cmd := &cobra.Command{
		Use:   "backends [[NAMESPACE/]SERVICE...] [-f FILE|DIR|- | --events FILE|-]",
		Short: "Show which backends a Service really has, and why an address is not among them",
		Long: `Join the EndpointSlices of Services and show which backends get new
connections, which only keep their open ones, and which get none and why.

The slices come from the cluster, from manifests (-f), or from a recorded watch
(--events): what kubectl get endpointslices -w --output-watch-events -o json
writes. Without a SERVICE all are shown.`,
		Example: `  slicewright backends -n shop cart
  slicewright backends -n shop cart --explain
  slicewright backends shop/cart -o hostport
  slicewright backends -f examples/vector
  kubectl get endpointslices -A -o json | slicewright backends -f - -o json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), streams, args)
		},
	}
	flags := cmd.Flags()
	f.choice.AddTo(flags, "gets", "")
	flags.StringVarP(&f.output, "output", "o", "table", "table, wide, json, yaml or hostport")
	flags.BoolVar(&f.explain, "explain", false, "say for every address what became of it, by which rule and why")
	flags.BoolVarP(&f.watch, "watch", "w", false, "go on and show what changes")
	flags.BoolVarP(&f.allNamespaces, "all-namespaces", "A", false, "all namespaces")
	flags.StringVarP(&f.selector, "selector", "l", "", "only slices with these labels (from a cluster)")
	f.cluster.AddTo(flags)
	return cmd
}

func (f *backendsFlags) run(ctx context.Context, streams command.Streams, args []string) error {
	v, err := f.view(streams.Out)
	if err != nil {
		return err
	}
	if v.wanted, err = f.cluster.Services(args); err != nil {
		return err
	}
	if err := f.choice.CheckSources(); err != nil {
		return err
	}
	switch {
	case len(f.choice.Files) > 0 && f.watch:
		return command.UsageErrorf("--watch needs a cluster or --events: files do not change")
	case f.choice.Offline() && f.selector != "":
		return command.UsageErrorf("-l needs a cluster")
	case len(f.choice.Files) > 0:
		return f.fromFiles(v, streams.In)
	case f.choice.Events != "":
		return f.fromEvents(v, streams)
	}
	return f.fromCluster(ctx, v)
}

// view returns how sets are shown.
func (f *backendsFlags) view(out io.Writer) (*backendsView, error) {
	options, err := f.choice.Options()
	if err != nil {
		return nil, err
	}
	format := backendreport.Format(f.output)
	if err := command.CheckOutput(f.output, backendreport.Formats()); err != nil {
		return nil, err
	}
	if f.explain && (format == backendreport.Table || format == backendreport.Wide) {
		format = backendreport.Explain
	}
	options.Explain = f.explain
	return &backendsView{
		out: out, format: format, options: options,
		index: endpointset.NewIndex(endpointset.Options{}),
		seen:  map[endpointset.ServiceKey]bool{},
		shown: map[endpointset.ServiceKey]backendreport.Service{},
	}, nil
}

func (f *backendsFlags) fromFiles(v *backendsView, stdin io.Reader) error {
	all, err := replay.Files(f.choice.Files, stdin)
	if err != nil {
		return err
	}
	event := replay.Event{Relist: true, List: all}
	v.apply(event)
	return v.show(f.inNamespace(), strings.Join(f.choice.Files, ", "))
}

func (f *backendsFlags) fromEvents(v *backendsView, streams command.Streams) error {
	recording, err := streams.OpenEvents(f.choice.Events)
	if err != nil {
		return err
	}
	defer recording.Close()
	err = replay.Stream(f.choice.Events, recording, func(e replay.Event) error {
		changes := v.apply(e)
		if !f.watch {
			return nil
		}
		return v.showChanges(changes, f.inNamespace())
	})
	if err != nil || f.watch {
		return err
	}
	return v.show(f.inNamespace(), f.choice.Events)
}

// inNamespace returns which namespaces are shown when no Service is named.
func (f *backendsFlags) inNamespace() func(string) bool {
	only := f.cluster.Namespace()
	return func(namespace string) bool { return f.allNamespaces || only == "" || namespace == only }
}

// apply takes an event and remembers whose slices it held.
func (v *backendsView) apply(e replay.Event) []endpointset.Change {
	changes := e.Apply(v.index)
	for _, es := range e.Slices() {
		v.seen[v.index.Parse(es).Service()] = true
	}
	for i := range changes {
		v.seen[changes[i].Service] = true
	}
	return changes
}
