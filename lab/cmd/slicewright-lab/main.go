// Command slicewright-lab runs a real Kubernetes control plane on one machine,
// in a network of its own, with Pods that really listen.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/slicewright/slicewright/lab/supervisor"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := newRoot().ExecuteContext(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		code := 1
		if own := (exitError{}); errors.As(err, &own) {
			code = own.code
		}
		os.Exit(code)
	}
}

func newRoot() *cobra.Command {
	name := "default"
	state := func() (supervisor.State, error) { return supervisor.DefaultState(name) }
	root := &cobra.Command{
		Use:   "slicewright-lab",
		Short: "A real Kubernetes control plane on one machine, with Pods that really listen",
		Long: `A real Kubernetes control plane on one machine, in a network of its own, with
Pods that really listen and say who they are. It needs Linux and either root or
user namespaces; it touches nothing outside its network and its folder.`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.PersistentFlags().StringVar(&name, "name", name, "the lab; several can be up, and never meet")
	root.AddCommand(
		newBuildCommand(),
		newUpCommand(state),
		newDownCommand(state),
		newStatusCommand(state),
		newKubeconfigCommand(state),
		newExecCommand(state),
		newKillCommand(state),
		newRestartCommand(state),
		newListenCommand(state),
		newUnlistenCommand(state),
		newApplyCommand(state),
		newDemoCommand(),
		newExperimentCommand(),
		newConformanceCommand(),
		newSuperviseCommand(),
		newPlayDemoCommand(),
		newPlayExperimentCommand(),
		newEndpointsReaderCommand(),
	)
	return root
}

// stateFunc returns the folder of the lab that the flags name.
type stateFunc func() (supervisor.State, error)
