// Package gate is the command that judges whether the old controller may stop.
package gate

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/cli/recording"
	"github.com/slicewright/slicewright/app/internal/find/audit"
	"github.com/slicewright/slicewright/app/internal/find/registry/registryfile"
	"github.com/slicewright/slicewright/app/internal/readiness"
	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/app/internal/web"
)

var gateFormats = append(readiness.Formats(), "html")

type gateFlags struct {
	registry    string
	shadow      string
	timeline    string
	audits      []string
	experiments []string
	cluster     bool
	criteria    string
	output      string
	kube        *command.ClusterFlags
}

func New(streams command.Streams) *cobra.Command {
	f := gateFlags{kube: command.NewClusterFlags().WithoutName()}
	cmd := &cobra.Command{
		Use:   "gate [--registry FILE] [--shadow FILE] [--timeline FILE.db] [--audit FILE]... [--experiment FILE]... [--cluster] [--criteria FILE]",
		Short: "Say whether the Endpoints controller may stop, by named criteria and their evidence",
		Long: `Evaluate named criteria over what the other commands found, and say of each
whether it is met, not met or unknown, with its evidence and what would settle it.
Nothing is met for want of evidence.

Criteria are data: --criteria FILE replaces those that come with the program, or,
with waivers alone in it, adds those. A waiver names who decided, why, and until
when; one that has expired does not count.

Exit codes: 0 every criterion is met or waived, 3 one is not met, 4 one is unknown.`,
		Example: `  slicewright gate --registry registry.yaml --audit audit.log --cluster
  slicewright gate --registry registry.yaml --shadow shadow.json --timeline shop.db \
    --audit audit/ --experiment report.json --cluster -o markdown > change-request.md`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd.Context(), streams)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.registry, "registry", "", "registry of consumers: what slicewright find --registry keeps")
	flags.StringVar(&f.shadow, "shadow", "", "comparison: what slicewright shadow -o json writes")
	flags.StringVar(&f.timeline, "timeline", "", "recording: what slicewright record writes")
	flags.StringArrayVar(&f.audits, "audit", nil, `audit log: file, directory or "-", also .gz; can be given more than once`)
	flags.StringArrayVar(&f.experiments, "experiment", nil, "report of an experiment; can be given more than once")
	flags.BoolVar(&f.cluster, "cluster", false, "read Pods, Leases and CronJobs of the cluster")
	flags.StringVar(&f.criteria, "criteria", "", "criteria and waivers (default: those that come with the program)")
	flags.StringVarP(&f.output, "output", "o", "table", strings.Join(gateFormats, ", "))
	f.kube.AddTo(flags)
	return cmd
}

func (f *gateFlags) run(ctx context.Context, streams command.Streams) error {
	if err := command.CheckOutput(f.output, gateFormats); err != nil {
		return err
	}
	if f.output == "html" {
		if err := command.NoTerminal(streams.Out, "gate.html"); err != nil {
			return err
		}
	}
	criteria := readiness.DefaultCriteria()
	if f.criteria != "" {
		var err error
		if criteria, err = readDocument(f.criteria, "criteria", readiness.ParseCriteria); err != nil {
			return command.WithExit(command.ExitUsage, err) // as any other configuration
		}
	}
	facts, err := f.facts(ctx, streams)
	if err != nil {
		return err
	}
	verdict := readiness.Evaluate(criteria, facts, time.Now())
	write := func() error { return verdict.Write(streams.Out, f.output) }
	if f.output == "html" {
		write = func() error { return web.WriteGate(streams.Out, verdict) }
	}
	if err := write(); err != nil {
		return err
	}
	switch verdict.Outcome {
	case readiness.NotReady:
		return command.WithExit(command.ExitFinding, command.ErrQuiet)
	case readiness.Undecided:
		return command.WithExit(command.ExitUnknown, command.ErrQuiet)
	}
	return nil
}

// facts reads everything that was given. What cannot be read is an error: a
// mistyped name must not look like evidence that there is none.
func (f *gateFlags) facts(ctx context.Context, streams command.Streams) (*readiness.Facts, error) {
	facts := &readiness.Facts{Names: readiness.Names{Registry: f.registry, Shadow: f.shadow, Timeline: f.timeline}}
	var err error
	if f.registry != "" {
		if facts.Registry, err = registryfile.Load(f.registry); err != nil {
			return nil, err
		}
	}
	if f.shadow != "" {
		if facts.Shadow, err = readDocument(f.shadow, "comparison", readiness.ParseShadow); err != nil {
			return nil, err
		}
	}
	for _, name := range f.experiments {
		e, err := readDocument(name, "experiment", readiness.ParseExperiment)
		if err != nil {
			return nil, err
		}
		facts.Experiments = append(facts.Experiments, readiness.ExperimentFile{File: name, Experiment: *e})
	}
	if f.timeline != "" {
		if facts.Timeline, err = readRecording(ctx, f.timeline); err != nil {
			return nil, err
		}
	}
	if len(f.audits) > 0 {
		result := audit.Scan(ctx, f.audits, streams.In, audit.Options{})
		facts.Audit = &result
	}
	if f.cluster {
		if facts.Cluster, err = readGateCluster(ctx, f.kube); err != nil {
			return nil, err
		}
	}
	return facts, nil
}

func readDocument[T any](name, what string, parse func([]byte) (*T, error)) (*T, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the %s: %w", what, err)
	}
	document, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("read the %s %s: %w", what, name, err)
	}
	return document, nil
}

func readRecording(ctx context.Context, name string) (*timeline.Report, error) {
	rec, err := recording.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	history, err := rec.History(ctx, timeline.Filter{})
	if err != nil {
		return nil, err
	}
	return timeline.NewReport(history, timeline.Filter{}, timeline.Options{}), nil
}
