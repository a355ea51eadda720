// Package cli wires the commands: flags, streams, exit codes. It holds no
// logic; every command calls packages that stand on their own.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// Streams are what a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Main runs the command line args (with the program's name first) and returns
// the exit code. Cancelling ctx ends a long-running command cleanly.
func Main(ctx context.Context, streams Streams, args []string) int {
	root := newRoot(streams)
	root.SetArgs(args[1:])
	root.Use = commandName(args[0])
	err := root.ExecuteContext(ctx)
	if err != nil && !errors.Is(err, errQuiet) {
		fmt.Fprintln(streams.Err, "Error: "+err.Error())
	}
	return exitCode(err)
}

// commandName is how the user calls the program: as a kubectl plugin, usage
// texts say "kubectl slicewright".
func commandName(arg0 string) string {
	name := strings.TrimSuffix(filepath.Base(arg0), ".exe")
	if strings.HasPrefix(name, "kubectl-") {
		return "kubectl " + strings.TrimPrefix(name, "kubectl-")
	}
	return "slicewright"
}

func newRoot(streams Streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "slicewright",
		Short: "Move your own Kubernetes consumers from Endpoints to EndpointSlice, and prove it",
		Long: `Slicewright moves a team's own consumers off the deprecated core/v1 Endpoints
API and onto EndpointSlice, and proves at the final load balancer that the move
worked.

Exit codes: 0 holds, 1 failed, 2 wrong usage, 3 a finding, 4 unknown.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageErrorf("unknown command %q: see '%s --help'", args[0], cmd.CommandPath())
			}
			return cmd.Help()
		},
	}
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageErrorf("%w: see '%s --help'", err, cmd.CommandPath())
	})
	root.AddCommand(
		newConvertCommand(streams),
		newBackendsCommand(streams),
		newRunCommand(streams),
		newRecordCommand(streams),
		newTimelineCommand(streams),
		newFindCommand(streams),
		newShadowCommand(streams),
		newGateCommand(streams),
		newExperimentCommand(streams),
		newVerifyCommand(streams),
		newVersionCommand(streams),
	)
	wrongArgumentsAreUsage(root)
	return root
}

// wrongArgumentsAreUsage makes cobra's complaints about arguments what they
// are: wrong usage, exit code 2.
func wrongArgumentsAreUsage(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return usageErrorf("%w: see '%s --help'", err, cmd.CommandPath())
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		wrongArgumentsAreUsage(sub)
	}
}
