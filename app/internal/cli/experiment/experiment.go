// Package experiment is the command that plans the stop experiment.
package experiment

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/readiness/experiment"
)

type experimentFlags struct {
	manifest     string
	kubeadm      string
	cluster      bool
	manifestPath string
	service      string
	workload     string
	output       string
	kube         *command.ClusterFlags
}

func New(streams command.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "experiment",
		Short: "Plan the experiment that stops the Endpoints controller",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPlanCommand(streams))
	return cmd
}

func newPlanCommand(streams command.Streams) *cobra.Command {
	f := experimentFlags{kube: command.NewClusterFlags().WithoutName()}
	cmd := &cobra.Command{
		Use:   "plan [--from-manifest FILE|-] [--kubeadm-config FILE|-] [--cluster]",
		Short: "Print the stop experiment for a cluster of your own, as steps; change nothing",
		Long: `Print how to stop the Endpoints controller of a cluster of your own, what to look
at after each step, how long to wait, and the way back. It changes nothing: it
reads files, and with --cluster it gets and lists.

--from-manifest takes the static Pod of kube-controller-manager, on a kubeadm node
` + experiment.DefaultManifestPath + `. From it come the exact value
of --controllers and a diff. --kubeadm-config takes kubeadm's ClusterConfiguration,
from which the next upgrade writes that file again.

--cluster looks for the Pods of kube-controller-manager, which of them leads, and
kubeadm's configuration. It tells managed clusters, where it cannot be done.

-o report prints a form for what the experiment shows, which slicewright gate
--experiment takes when it is filled in.

Exit codes: 0 a plan; 3 it cannot be done on this cluster; 4 the cluster does not
show how its controllers are started.`,
		Example: `  sudo cat ` + experiment.DefaultManifestPath + ` | slicewright experiment plan --from-manifest -
  slicewright experiment plan --cluster --service shop/cart --workload deployment/cart -o markdown > change-request.md
  kubectl -n kube-system get configmap kubeadm-config -o yaml | slicewright experiment plan --kubeadm-config -`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.plan(cmd.Context(), streams) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.manifest, "from-manifest", "", `static Pod of kube-controller-manager, "-" for stdin`)
	flags.StringVar(&f.kubeadm, "kubeadm-config", "", `kubeadm's ClusterConfiguration, or the ConfigMap kubeadm-config, "-" for stdin`)
	flags.BoolVar(&f.cluster, "cluster", false, "look at the cluster: Pods in kube-system, nodes, the Lease of kube-controller-manager, kubeadm-config, the number of Services")
	flags.StringVar(&f.manifestPath, "manifest-path", experiment.DefaultManifestPath, "where the manifest is on the nodes")
	flags.StringVar(&f.service, "service", "", "Service to do it with, as NAMESPACE/NAME")
	flags.StringVar(&f.workload, "workload", "", "its workload, as deployment/NAME or statefulset/NAME")
	flags.StringVarP(&f.output, "output", "o", "text", strings.Join(experiment.Formats(), ", "))
	f.kube.AddTo(flags)
	return cmd
}

func (f *experimentFlags) plan(ctx context.Context, streams command.Streams) error {
	if err := command.CheckOutput(f.output, experiment.Formats()); err != nil {
		return err
	}
	if f.manifest == "-" && f.kubeadm == "-" {
		return command.UsageErrorf(`"-" is given twice: stdin can be read once`)
	}
	in := experiment.Input{ManifestPath: f.manifestPath, Service: f.service, Workload: f.workload}
	if err := in.Check(); err != nil {
		return command.WithExit(command.ExitUsage, err)
	}
	var err error
	if in.Manifest, err = readPlanFile(f.manifest, streams.In, experiment.ParseManifest); err != nil {
		return err
	}
	if in.Kubeadm, err = readPlanFile(f.kubeadm, streams.In, experiment.ParseKubeadm); err != nil {
		return err
	}
	if f.cluster {
		if in.Cluster, err = readPlanCluster(ctx, f.kube); err != nil {
			return err
		}
	}
	plan, err := experiment.Make(in) //nolint:endpointsvet // the plan shows what a reader of Endpoints sees
	if err != nil {
		return err
	}
	if err := plan.Write(streams.Out, f.output); err != nil {
		return err
	}
	switch {
	case !plan.Possible:
		return command.WithExit(command.ExitFinding, command.ErrQuiet)
	case !plan.Known:
		return command.WithExit(command.ExitUnknown, command.ErrQuiet)
	}
	return nil
}

// readPlanFile reads and parses a file, nil if none was named.
func readPlanFile[T any](name string, stdin io.Reader, parse func(string, []byte) (*T, error)) (*T, error) {
	if name == "" {
		return nil, nil
	}
	in := stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("make a plan: %w", err)
		}
		defer file.Close()
		in = file
	}
	// One byte more than is taken, so that more is an error.
	text, err := io.ReadAll(io.LimitReader(in, experiment.MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("make a plan: read %s: %w", command.InputName(name), err)
	}
	return parse(command.InputName(name), text)
}
