// Package find is the command that finds who uses Endpoints.
package find

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/find/audit"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/pipeline"
	"github.com/slicewright/slicewright/app/internal/find/registry"
	"github.com/slicewright/slicewright/app/internal/find/registry/registryfile"
	"github.com/slicewright/slicewright/app/internal/find/report"
	"github.com/slicewright/slicewright/app/internal/find/search"
)

// findFlags are the flags of find, by what they are about.
type findFlags struct {
	sources   []string
	manifests []string
	cluster   bool
	audits    []string
	aggregate []string
	metrics   []string
	before    []string
	server    string // Prometheus

	tests, generated, vendor bool
	buildTags                []string
	helmValues               []string
	render                   bool
	excludeAgents            []string
	tokenFile, caFile        string

	output   string
	broad    bool
	registry string
	baseline string
	failOn   string

	kube *command.ClusterFlags
}

func New(streams command.Streams) *cobra.Command {
	flags := findFlags{kube: command.NewClusterFlags().WithoutName()}
	cmd := &cobra.Command{
		Use:   "find [--source DIR]... [--manifests DIR]... [--cluster] [--audit FILE|DIR|-]... [--metrics FILE|URL]...",
		Short: "Find who still reads or writes Endpoints, with evidence, and say what was not seen",
		Long: `Find who still reads or writes Endpoints: in source code, manifests, the cluster's
permissions, audit logs and the API server's metrics. What all sources say of one
consumer becomes one entry, with its evidence, its confidence and its owner.

Confidence follows from the kind of evidence:
  proven    seen in the audit log with success, or named by managedFields
  strong    typed source in an image whose ServiceAccount may
  likely    source or configuration alone
  possible  an explicit grant alone
  broad     a wildcard or a built-in role alone (hidden without --broad)

Exit codes: 0 done; 3 with --fail-on, an entry at that level or above; 4 nothing
was found, and not enough was seen to say that there is nothing.`,
		Example: `  slicewright find --source . --fail-on likely
  slicewright find --source . --helm-values prod.yaml
  slicewright find --cluster --audit /var/log/kubernetes/audit.log -o wide
  zcat audit-*.gz | slicewright find --audit - -o json
  slicewright find --cluster --audit audit/ --metrics metrics.txt --registry registry.yaml`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return command.UsageErrorf("unknown argument %q: sources are given by flags, see '%s --help'", args[0], cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return find(cmd.Context(), streams, flags) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&flags.sources, "source", nil, "directory of source code; can be given more than once")
	f.StringArrayVar(&flags.manifests, "manifests", nil, `directory or file of Kubernetes manifests, "-" for stdin; can be given more than once`)
	f.BoolVar(&flags.cluster, "cluster", false, "read RBAC, workloads and Endpoints objects of the cluster")
	f.StringArrayVar(&flags.audits, "audit", nil, `audit log: file, directory or "-", also .gz; can be given more than once`)
	f.StringArrayVar(&flags.aggregate, "audit-aggregate", nil, "result of a query of find audit-query; can be given more than once")
	f.StringArrayVar(&flags.metrics, "metrics", nil, `metrics page of an API server: file, URL or "-"; once for each API server`)
	f.StringArrayVar(&flags.before, "metrics-before", nil, "the same page at an earlier time, to count only what came since")
	f.StringVar(&flags.server, "prometheus", "", "URL of a Prometheus server that scrapes the API servers")
	f.BoolVar(&flags.tests, "tests", false, "look into tests too")
	f.BoolVar(&flags.generated, "generated", false, "look into generated code too")
	f.BoolVar(&flags.vendor, "vendor", false, "look into vendored code too")
	f.StringSliceVar(&flags.buildTags, "build-tags", nil, "build tags for Go packages, as with go build -tags")
	f.StringArrayVar(&flags.helmValues, "helm-values", nil, "values file to render the Helm charts of --source and --manifests with, or CHART=FILE for one of them; a later one overrides an earlier one")
	f.BoolVar(&flags.render, "render", true, "render Helm charts, beside reading their templates as they are")
	f.StringArrayVar(&flags.excludeAgents, "exclude-user-agent", nil, "leave out requests with this user agent (product or prefix), and count them; can be given more than once")
	f.StringVar(&flags.tokenFile, "bearer-token-file", "", "token for the --metrics and --prometheus URLs")
	f.StringVar(&flags.caFile, "ca-file", "", "certificates to trust for the --metrics and --prometheus URLs")
	f.StringVarP(&flags.output, "output", "o", "table", "output format: "+strings.Join(report.Formats, ", "))
	f.BoolVar(&flags.broad, "broad", false, "list entries that rest on a wildcard or a built-in role alone")
	f.StringVar(&flags.registry, "registry", "", "registry.yaml to update: found facts are rewritten, what people wrote is kept")
	f.StringVar(&flags.baseline, "baseline", "", "registry with what is known: --fail-on ignores it")
	f.StringVar(&flags.failOn, "fail-on", "", "end with exit code 3 if there is an entry at this level or above: proven, strong, likely, possible, broad")
	flags.kube.AddTo(f)
	cmd.AddCommand(
		newAuditPolicyCommand(streams),
		newAuditQueryCommand(streams),
		newServeCommand(streams),
		newRenderChartCommand(streams),
	)
	return cmd
}

// validate checks everything that can be wrong before anything is read.
func (f *findFlags) validate() (evidence.Confidence, error) {
	if len(f.sources)+len(f.manifests)+len(f.audits)+len(f.aggregate)+len(f.metrics) == 0 && !f.cluster && f.server == "" {
		return "", command.UsageErrorf("nothing to search: give at least one of --source, --manifests, --cluster, --audit, --audit-aggregate, --metrics, --prometheus")
	}
	if err := command.CheckOutput(f.output, report.Formats); err != nil {
		return "", err
	}
	stdin := 0
	for _, list := range [][]string{f.manifests, f.audits, f.aggregate, f.metrics, f.before} {
		for _, name := range list {
			if name == "-" {
				stdin++
			}
		}
	}
	if stdin > 1 {
		return "", command.UsageErrorf(`"-" is given %d times: stdin can be read once`, stdin)
	}
	if len(f.before) > 0 && len(f.metrics) == 0 {
		return "", command.UsageErrorf("--metrics-before needs --metrics")
	}
	if len(f.helmValues) > 0 && (!f.render || len(f.sources)+len(f.manifests) == 0) {
		return "", command.UsageErrorf("--helm-values is for the charts of --source and --manifests, and for --render")
	}
	level, err := registry.ParseLevel(f.failOn)
	if err != nil {
		return "", command.UsageErrorf("--fail-on: %w", err)
	}
	return level, nil
}

func find(ctx context.Context, streams command.Streams, flags findFlags) error {
	level, err := flags.validate()
	if err != nil {
		return err
	}
	// Files that people keep are read first: a mistake in one must show before
	// an hour of searching, and nothing may be written over it.
	var baseline, earlier *registry.Registry
	if flags.baseline != "" {
		if baseline, err = registryfile.Load(flags.baseline); err != nil {
			return err
		}
	}
	if flags.registry != "" {
		if earlier, err = registryfile.LoadIfExists(flags.registry); err != nil {
			return err
		}
	}
	sources, err := flags.searched(streams)
	if err != nil {
		return err
	}
	show := command.ProgressLine(streams.Err)
	found, err := search.Run(ctx, sources, show)
	show("")
	if err != nil {
		return err
	}
	reg := pipeline.Attribute(found).Registry()
	if earlier != nil {
		registry.Reconcile(reg, earlier)
	}
	if flags.registry != "" {
		if err := registryfile.Save(flags.registry, reg); err != nil {
			return err
		}
	}
	opts := report.Options{Broad: flags.broad, Baseline: baseline, Version: command.Build().Version}
	if err := report.Write(streams.Out, reg, flags.output, opts); err != nil {
		return err
	}
	return findVerdict(streams, registry.Judge(reg, level, baseline), level)
}

// findVerdict turns what the registry means into the exit code, and says why.
func findVerdict(streams command.Streams, v registry.Verdict, level evidence.Confidence) error {
	switch {
	case len(v.Failing) > 0:
		fmt.Fprintf(streams.Err, "%d entries are %s or more certain: %s\n", len(v.Failing), level, strings.Join(v.Failing, ", "))
		return command.WithExit(command.ExitFinding, command.ErrQuiet)
	case v.Unknown:
		fmt.Fprintln(streams.Err, "Nothing was found, and not enough was seen to say that there is nothing:")
		for _, why := range v.Why {
			fmt.Fprintln(streams.Err, "  "+why)
		}
		return command.WithExit(command.ExitUnknown, command.ErrQuiet)
	}
	return nil
}

func (f *findFlags) auditOptions() audit.Options {
	return audit.Options{ExcludeUserAgents: f.excludeAgents}
}
