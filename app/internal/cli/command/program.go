// Package command is what every command is made with: streams, exit codes, usage
// errors, the flags for a cluster and for logs, and the program that the commands
// belong to.
package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// New makes a command that uses the streams.
type New func(Streams) *cobra.Command

// A Program is an executable with its commands.
type Program struct {
	// Name is that of the executable.
	Name string
	// Short and Long describe it in usage texts.
	Short, Long string
	Commands    []New
}

// Main runs the command line args (with the program's name first) and returns
// the exit code. Cancelling ctx ends a long-running command cleanly.
func (p *Program) Main(ctx context.Context, streams Streams, args []string) int {
	root := p.Root(streams)
	root.SetArgs(args[1:])
	root.Use = p.calledAs(args[0])
	err := root.ExecuteContext(ctx)
	if err != nil && !errors.Is(err, ErrQuiet) {
		fmt.Fprintln(streams.Err, "Error: "+err.Error())
	}
	return exitCode(err)
}

// calledAs is how the user calls the program: as a kubectl plugin, usage texts
// say "kubectl slicewright".
func (p *Program) calledAs(arg0 string) string {
	name := strings.TrimSuffix(filepath.Base(arg0), ".exe")
	if strings.HasPrefix(name, "kubectl-") {
		return "kubectl " + strings.TrimPrefix(name, "kubectl-")
	}
	return p.Name
}

// Root returns the command that all others are below.
func (p *Program) Root(streams Streams) *cobra.Command {
	root := &cobra.Command{
		Use:           p.Name,
		Short:         p.Short,
		Long:          p.Long + "\n\nExit codes: 0 holds, 1 failed, 2 wrong usage, 3 a finding, 4 unknown.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return UsageErrorf("unknown command %q: see '%s --help'", args[0], cmd.CommandPath())
			}
			return cmd.Help()
		},
	}
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return UsageErrorf("%w: see '%s --help'", err, cmd.CommandPath())
	})
	for _, create := range p.Commands {
		root.AddCommand(create(streams))
	}
	wrongArgumentsAreUsage(root)
	return root
}

// wrongArgumentsAreUsage makes cobra's complaints about arguments what they
// are: wrong usage, exit code 2.
func wrongArgumentsAreUsage(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return UsageErrorf("%w: see '%s --help'", err, cmd.CommandPath())
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		wrongArgumentsAreUsage(sub)
	}
}
