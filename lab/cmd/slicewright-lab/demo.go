package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/slicewright/slicewright/lab/controlplane"
	"github.com/slicewright/slicewright/lab/demo"
	"github.com/slicewright/slicewright/lab/product"
	"github.com/slicewright/slicewright/lab/supervisor"
)

// demoLab is the demo's own lab, so that it disturbs no other.
const demoLab = "demo"

func newDemoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Play the Vector example with a real HAProxy, and leave it up to look at",
		Long: `Play the Vector example in a lab of its own, called demo: a Service of 240 Pods
whose addresses change under a real HAProxy that 'slicewright run' writes. It
builds what is missing, replaces a demo that is up, and leaves everything
running, with commands to explore it.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := supervisor.DefaultState(demoLab)
			if err != nil {
				return err
			}
			return runDemo(cmd.Context(), s, cmd.OutOrStdout())
		},
	}
}

func runDemo(ctx context.Context, s supervisor.State, out io.Writer) error {
	slicewright, err := findSlicewright(ctx)
	if err != nil {
		return err
	}
	if err := down(ctx, s); err != nil {
		return err
	}
	programs, err := findPrograms(ctx, controlplane.DefaultVersion)
	if err != nil {
		return err
	}
	if err := up(ctx, s, programs, out, false); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the running program: %w", err)
	}
	// Played inside the lab's network, by this program again.
	play, err := entering(s, []string{self, "play-demo", "--dir", s.Dir, "--slicewright", slicewright})
	if err != nil {
		return err
	}
	play.Stdout, play.Stderr = out, os.Stderr
	if err := play.Run(); err != nil {
		if ctx.Err() != nil {
			// Interrupted: leave nothing behind.
			return errors.Join(ctx.Err(), down(context.WithoutCancel(ctx), s))
		}
		return fmt.Errorf("the demo did not show what it should (%w); it is left up, with logs in %s", err, s.Dir)
	}
	lab := self + " --name " + demoLab
	fmt.Fprintf(out, `
== Look around; everything is left running
   %[1]s exec -- %[2]s backends vector-lab/reports --explain
   %[1]s exec -- curl -s http://127.0.0.1:8000/          # through HAProxy: who answers?
   %[1]s exec -- curl -s http://127.0.0.1:9808/status    # what slicewright run says
   %[1]s kill kube-apiserver                             # the last set stays
   %[1]s restart kube-apiserver
   %[1]s status
   %[1]s down                                            # ends it all
`, lab, slicewright)
	return nil
}

// findSlicewright prefers the program beside this one, as 'make build' puts
// them, to a build of its own.
func findSlicewright(ctx context.Context) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the running program: %w", err)
	}
	beside := filepath.Join(filepath.Dir(self), "slicewright")
	if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
		return beside, nil
	}
	source, err := controlplane.FindSource(".")
	if err != nil {
		return "", err
	}
	cache, err := controlplane.CacheDir()
	if err != nil {
		return "", err
	}
	fmt.Fprintln(os.Stderr, "Building slicewright.")
	return product.Build(ctx, source, cache)
}

func newPlayDemoCommand() *cobra.Command {
	var s supervisor.State
	var slicewright string
	cmd := &cobra.Command{
		Use:    "play-demo",
		Short:  "Play the demo inside a lab's network (started by 'demo')",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cluster, err := clientcmd.BuildConfigFromFlags("", s.AdminKubeconfig())
			if err != nil {
				return fmt.Errorf("read the lab's kubeconfig: %w", err)
			}
			dir := filepath.Join(s.Dir, "demo")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				return fmt.Errorf("make the demo's folder: %w", err)
			}
			return demo.Play(cmd.Context(), demo.Config{
				Cluster:     cluster,
				Kubeconfig:  s.AdminKubeconfig(),
				Slicewright: slicewright,
				Dir:         dir,
				Out:         cmd.OutOrStdout(),
				Restart: func(ctx context.Context, component string, flags ...string) error {
					_, err := supervisor.NewClient(s).Do(ctx, http.MethodPost, "/restart/"+component, url.Values{"flag": flags})
					return err
				},
			})
		},
	}
	cmd.Flags().StringVar(&s.Dir, "dir", "", "the lab's folder")
	cmd.Flags().StringVar(&slicewright, "slicewright", "", "the program")
	return cmd
}

// entering is a command that runs in the lab's network. In the lab's PID
// namespace too, so that it ends with the lab.
func entering(s supervisor.State, command []string) (*exec.Cmd, error) {
	pid, err := s.PID()
	if err != nil {
		return nil, err
	}
	nsenter, err := exec.LookPath("nsenter")
	if err != nil {
		return nil, fmt.Errorf("enter the lab's network: %w (it is in Debian's package util-linux)", err)
	}
	args := []string{"--target", fmt.Sprint(pid), "--net", "--pid"}
	if os.Geteuid() != 0 {
		args = append(args, "--user", "--preserve-credentials")
	}
	cmd := exec.Command(nsenter, append(append(args, "--"), command...)...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+s.AdminKubeconfig())
	return cmd, nil
}
