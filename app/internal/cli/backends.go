package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/slicewright/slicewright/app/internal/backendreport"
	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/watch/replay"
)

type backendsFlags struct {
	files         []string
	events        string
	policy        string
	location      endpointset.Location
	topology      string
	mode          string
	output        string
	explain       bool
	watch         bool
	allNamespaces bool
	selector      string
	cluster       *genericclioptions.ConfigFlags
}

func newBackendsCommand(streams Streams) *cobra.Command {
	f := backendsFlags{cluster: newClusterFlags()}
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
	flags.StringArrayVarP(&f.files, "filename", "f", nil, "file or folder with EndpointSlices instead of a cluster, - for stdin; may be repeated")
	flags.StringVar(&f.events, "events", "", "recorded watch instead of a cluster, - for stdin")
	flags.StringVar(&f.policy, "policy", "", "who gets new connections: "+policyNames()+" (default \"ready\")")
	flags.StringVar(&f.location.Zone, "zone", "", "the zone where the consumer stands")
	flags.StringVar(&f.location.Node, "node", "", "the node where the consumer stands")
	flags.StringVar(&f.topology, "topology", "", "judge nearness by hints, zone or node (default: take all)")
	flags.StringVar(&f.mode, "topology-mode", "prefer", "when nothing is near: prefer takes all, require takes none")
	flags.StringVarP(&f.output, "output", "o", "table", "table, wide, json, yaml or hostport")
	flags.BoolVar(&f.explain, "explain", false, "say for every address what became of it, by which rule and why")
	flags.BoolVarP(&f.watch, "watch", "w", false, "go on and show what changes")
	flags.BoolVarP(&f.allNamespaces, "all-namespaces", "A", false, "all namespaces")
	flags.StringVarP(&f.selector, "selector", "l", "", "only slices with these labels (from a cluster)")
	f.cluster.AddFlags(flags)
	return cmd
}

func policyNames() string {
	var names []string
	for _, p := range endpointset.Policies() {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}

func (f *backendsFlags) run(ctx context.Context, streams Streams, args []string) error {
	v, err := f.view(streams.Out)
	if err != nil {
		return err
	}
	if v.wanted, err = f.services(args); err != nil {
		return err
	}
	switch {
	case len(f.files) > 0 && f.events != "":
		return usageErrorf("-f and --events exclude each other: slices come from one of them")
	case len(f.files) > 0 && f.watch:
		return usageErrorf("--watch needs a cluster or --events: files do not change")
	case (len(f.files) > 0 || f.events != "") && f.selector != "":
		return usageErrorf("-l needs a cluster")
	case len(f.files) > 0:
		return f.fromFiles(v, streams.In)
	case f.events != "":
		return f.fromEvents(v, streams)
	}
	return f.fromCluster(ctx, v)
}

// view returns how sets are shown.
func (f *backendsFlags) view(out io.Writer) (*backendsView, error) {
	policy, err := endpointset.ParsePolicy(f.policy)
	if err != nil {
		return nil, withExit(ExitUsage, err)
	}
	f.location.Topology, f.location.Mode = endpointset.Topology(f.topology), endpointset.Mode(f.mode)
	if err := f.location.Validate(); err != nil {
		return nil, usageErrorf("%w: see --zone, --node, --topology and --topology-mode", err)
	}
	format := backendreport.Format(f.output)
	if !slices.Contains(backendreport.Formats(), format) {
		return nil, usageErrorf("unknown output %q: use table, wide, json, yaml or hostport", f.output)
	}
	if f.explain && (format == backendreport.Table || format == backendreport.Wide) {
		format = backendreport.Explain
	}
	return &backendsView{
		out: out, format: format,
		options: backendreport.Options{Policy: policy, Location: f.location, Explain: f.explain},
		index:   endpointset.NewIndex(endpointset.Options{}),
		seen:    map[endpointset.ServiceKey]bool{},
		shown:   map[endpointset.ServiceKey]backendreport.Service{},
	}, nil
}

// services reads the arguments. A Service without a namespace is in that of -n
// or, offline and without -n, wherever it is found.
func (f *backendsFlags) services(args []string) ([]endpointset.ServiceKey, error) {
	var keys []endpointset.ServiceKey
	for _, arg := range args {
		namespace, name, qualified := strings.Cut(arg, "/")
		if !qualified {
			namespace, name = *f.cluster.Namespace, arg
		}
		if name == "" || strings.Contains(name, "/") || qualified && namespace == "" {
			return nil, usageErrorf("%q is no Service: write SERVICE or NAMESPACE/SERVICE", arg)
		}
		keys = append(keys, endpointset.ServiceKey{Namespace: namespace, Name: name})
	}
	return keys, nil
}

func (f *backendsFlags) fromFiles(v *backendsView, stdin io.Reader) error {
	all, err := replay.Files(f.files, stdin)
	if err != nil {
		return err
	}
	event := replay.Event{Relist: true, List: all}
	v.apply(event)
	return v.show(f.inNamespace(), strings.Join(f.files, ", "))
}

func (f *backendsFlags) fromEvents(v *backendsView, streams Streams) error {
	recording, err := openEvents(streams, f.events)
	if err != nil {
		return err
	}
	defer recording.Close()
	err = replay.Stream(f.events, recording, func(e replay.Event) error {
		changes := v.apply(e)
		if !f.watch {
			return nil
		}
		return v.showChanges(changes, f.inNamespace())
	})
	if err != nil || f.watch {
		return err
	}
	return v.show(f.inNamespace(), f.events)
}

// inNamespace returns which namespaces are shown when no Service is named.
func (f *backendsFlags) inNamespace() func(string) bool {
	only := *f.cluster.Namespace
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

func errNoSlices(key endpointset.ServiceKey, where string) error {
	return fmt.Errorf("no EndpointSlice belongs to Service %s in %s: is the name right, and does the Service have a selector or somebody who writes its slices?", key, where)
}
