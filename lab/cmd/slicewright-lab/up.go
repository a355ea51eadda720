package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/slicewright/slicewright/lab/controlplane"
	"github.com/slicewright/slicewright/lab/process"
	"github.com/slicewright/slicewright/lab/sandbox"
	"github.com/slicewright/slicewright/lab/supervisor"
)

func newBuildCommand() *cobra.Command {
	version := controlplane.DefaultVersion
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Build the control plane into the cache, unless it is there, and print its path",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			programs, err := findPrograms(cmd.Context(), version)
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), programs.MultiCall)
			return nil
		},
	}
	cmd.Flags().StringVar(&version, "kubernetes", version, "another version than that of lab/go.mod, such as v1.36.3")
	return cmd
}

// findPrograms builds the control plane of a version if need be.
func findPrograms(ctx context.Context, version string) (controlplane.Programs, error) {
	here, err := os.Getwd()
	if err != nil {
		return controlplane.Programs{}, err
	}
	source, err := controlplane.FindSource(here)
	if err != nil {
		return controlplane.Programs{}, err
	}
	cache, err := controlplane.CacheDir()
	if err != nil {
		return controlplane.Programs{}, err
	}
	build, err := controlplane.Build{
		Source: source, Cache: cache, Progress: os.Stderr, Terminal: term.IsTerminal(int(os.Stderr.Fd())),
	}.At(version)
	if err != nil {
		return controlplane.Programs{}, err
	}
	program, err := build.Program(ctx)
	return controlplane.Programs{MultiCall: program, Assets: os.Getenv("KUBEBUILDER_ASSETS")}, err
}

func newUpCommand(state stateFunc) *cobra.Command {
	var foreground bool
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start the lab, and return when it takes Pods",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := state()
			if err != nil {
				return err
			}
			programs, err := findPrograms(cmd.Context(), controlplane.DefaultVersion)
			if err != nil {
				return err
			}
			return up(cmd.Context(), s, programs, cmd.OutOrStdout(), foreground)
		},
	}
	cmd.Flags().BoolVar(&foreground, "foreground", false, "stay until Ctrl-C, then take the lab down")
	return cmd
}

// startTimeout is far above what a start takes on a loaded machine (2 to 30 s).
const startTimeout = 3 * time.Minute

func up(ctx context.Context, s supervisor.State, programs controlplane.Programs, out io.Writer, foreground bool) (err error) {
	if err := s.Create(); err != nil {
		return err
	}
	supervise, err := startSupervisor(s, programs)
	if err != nil {
		return err
	}
	defer func() {
		// Interrupted or failed: leave nothing behind, but the log of a failure.
		if err != nil {
			supervise.Stop(10 * time.Second)
		}
		if err == nil && foreground || errors.Is(err, context.Canceled) {
			err = errors.Join(err, s.Remove())
		}
	}()
	status, err := waitReady(ctx, s, supervise)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, `Lab %s is up after %s; its files are in %s.
  slicewright-lab exec -- COMMAND   runs a command in its network, KUBECONFIG set
  slicewright-lab status            says what runs
  slicewright-lab down              ends it
`, filepath.Base(s.Dir), status.UpAfter.Round(100*time.Millisecond), s.Dir)
	if !foreground {
		return nil
	}
	select {
	case <-ctx.Done():
		supervise.Stop(20 * time.Second)
		return nil
	case <-supervise.Done():
		return fmt.Errorf("the lab ended by itself:\n%s", supervise.LogTail(2000))
	}
}

// startSupervisor starts this program as the lab's supervisor, which goes into
// a sandbox and lives on without us.
func startSupervisor(s supervisor.State, programs controlplane.Programs) (*process.Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the running program: %w", err)
	}
	return process.Start(process.Spec{
		Name: "the lab's supervisor",
		Path: self,
		// The folder, not the name: in a user namespace we are another user, with
		// another folder for labs.
		Args: []string{"supervise", "--dir", s.Dir, "--program", programs.MultiCall, "--assets", programs.Assets},
		Dir:  s.Dir,
		Log:  s.Log(),
	})
}

func waitReady(ctx context.Context, s supervisor.State, supervise *process.Process) (supervisor.Status, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	client := supervisor.NewClient(s)
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		status, err := client.Status(ctx)
		if err == nil && status.Ready {
			return status, nil
		}
		select {
		case <-supervise.Done():
			return status, fmt.Errorf("the lab did not start:\n%s", supervise.LogTail(4000))
		case <-ctx.Done():
			return status, fmt.Errorf("the lab did not start (see %s): %w", s.Log(), ctx.Err())
		case <-ticker.C:
		}
	}
}

func newDownCommand(state stateFunc) *cobra.Command {
	return &cobra.Command{
		Use:   "down",
		Short: "End the lab and remove its files, also those of one that crashed",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := state()
			if err != nil {
				return err
			}
			return down(cmd.Context(), s)
		},
	}
}

func down(ctx context.Context, s supervisor.State) error {
	within, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	// One that does not answer is killed below.
	_, _ = supervisor.NewClient(s).Do(within, "POST", "/down", nil)
	if !s.WaitDown(20 * time.Second) {
		if err := s.Kill(); err != nil {
			return err
		}
		if !s.WaitDown(10 * time.Second) {
			return fmt.Errorf("the supervisor of %s does not end, not even killed", s.Dir)
		}
	}
	return s.Remove()
}

func newSuperviseCommand() *cobra.Command {
	var state supervisor.State
	var programs controlplane.Programs
	cmd := &cobra.Command{
		Use:    "supervise",
		Short:  "Be the lab's supervisor (started by 'up')",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			sandbox.Enter()
			log := slog.New(slog.NewTextHandler(os.Stderr, nil))
			return supervisor.Run(cmd.Context(), state, programs, log)
		},
	}
	cmd.Flags().StringVar(&state.Dir, "dir", "", "the lab's folder")
	cmd.Flags().StringVar(&programs.MultiCall, "program", "", "the control plane's program")
	cmd.Flags().StringVar(&programs.Assets, "assets", "", "folder of programs to prefer")
	return cmd
}

// enter replaces this process by a command in the lab's network, which then
// has the terminal and its signals to itself.
func enter(s supervisor.State, command []string) error {
	cmd, err := entering(s, command)
	if err != nil {
		return err
	}
	return fmt.Errorf("enter the lab's network: %w", syscall.Exec(cmd.Path, cmd.Args, cmd.Env))
}
