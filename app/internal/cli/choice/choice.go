// Package choice has the flags that say which backends are chosen, and out of
// which slices.
package choice

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/slicewright/slicewright/app/internal/backendreport"
	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/endpointset"
)

// ChoiceFlags say where slices come from other than a cluster, and which of
// their backends are chosen.
type Flags struct {
	Files    []string
	Events   string
	policy   string
	location endpointset.Location
	topology string
	mode     string
}

// AddTo adds the flags to a command's. who says what the policy decides, and
// eventsAre what a recorded watch is read as, "" for nothing more.
func (f *Flags) AddTo(flags *pflag.FlagSet, who, eventsAre string) {
	flags.StringArrayVarP(&f.Files, "filename", "f", nil, "file or folder with EndpointSlices instead of a cluster, - for stdin; may be repeated")
	flags.StringVar(&f.Events, "events", "", "recorded watch instead of a cluster, - for stdin"+eventsAre)
	flags.StringVar(&f.policy, "policy", "", "who "+who+" new connections: "+policyNames()+" (default \"ready\")")
	flags.StringVar(&f.location.Zone, "zone", "", "the zone of the consumer")
	flags.StringVar(&f.location.Node, "node", "", "the node of the consumer")
	flags.StringVar(&f.topology, "topology", "", "judge nearness by hints, zone or node (default: take all)")
	flags.StringVar(&f.mode, "topology-mode", "prefer", "when nothing is near: prefer takes all, require takes none")
}

func policyNames() string {
	var names []string
	for _, p := range endpointset.Policies() {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}

// Offline reports whether the slices come from somewhere other than a cluster.
func (f *Flags) Offline() bool { return len(f.Files) > 0 || f.Events != "" }

// CheckSources refuses two sources of slices.
func (f *Flags) CheckSources() error {
	if len(f.Files) > 0 && f.Events != "" {
		return command.UsageErrorf("-f and --events exclude each other: slices come from one of them")
	}
	return nil
}

// Options returns who is chosen.
func (f *Flags) Options() (backendreport.Options, error) {
	policy, err := endpointset.ParsePolicy(f.policy)
	if err != nil {
		return backendreport.Options{}, command.WithExit(command.ExitUsage, err)
	}
	f.location.Topology, f.location.Mode = endpointset.Topology(f.topology), endpointset.Mode(f.mode)
	if err := f.location.Validate(); err != nil {
		return backendreport.Options{}, command.UsageErrorf("%w: see --zone, --node, --topology and --topology-mode", err)
	}
	return backendreport.Options{Policy: policy, Location: f.location}, nil
}

// ErrNoSlices says that a Service has no slices in what was read.
func ErrNoSlices(key endpointset.ServiceKey, where string) error {
	return fmt.Errorf("no EndpointSlice belongs to Service %s in %s: is the name right, and does the Service have a selector or somebody who writes its slices?", key, where)
}
