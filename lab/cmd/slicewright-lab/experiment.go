package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/slicewright/slicewright/app/experiment/report"
	"github.com/slicewright/slicewright/lab/controlplane"
	"github.com/slicewright/slicewright/lab/experiment"
	"github.com/slicewright/slicewright/lab/supervisor"
)

// experimentLab is the experiment's own lab, so that it disturbs no other.
const experimentLab = "experiment"

// exitFinding: the experiment was done, and a check failed.
const exitFinding = 3

// exitError ends the program with an exit code of its own.
type exitError struct {
	error
	code int
}

func (e exitError) Unwrap() error { return e.error }

// settings are what the command tells the copy of it in the lab's network.
type settings struct {
	State       supervisor.State
	Consumer    experiment.Consumer
	Slicewright string
	Acts, Skip  []string
	Patience    time.Duration
	// UpgradeTo is the control plane to go on with, "" for one version alone.
	UpgradeTo string
	// Report is the file to write.
	Report string
}

func newExperimentCommand() *cobra.Command {
	var s settings
	var from, consumer, out, command, balancer string
	var keep bool
	cmd := &cobra.Command{
		Use:   "experiment",
		Short: "Stop the Endpoints controller under a consumer, and report who follows",
		Long: `Do the stop experiment in a lab of its own, called experiment: a consumer fills a
load balancer, the Endpoints controller is switched off, Pods get new addresses,
the last one goes, the consumer is killed, its connection cut. Who answers
through the load balancer decides; a reader of Endpoints beside it shows what
would have happened. The report is what 'slicewright gate --experiment' takes.

The consumer is 'slicewright run' with a HAProxy, unless --consumer or
--command says otherwise. A command is started in the lab's network with
KUBECONFIG, NAMESPACE and SERVICE set; in it, ${KUBECONFIG}, ${NAMESPACE},
${SERVICE} and ${DIR}, a folder of its own, are filled in. It is started again for
each act, with another Service, and killed with its process group. Its load
balancer takes HTTP requests at --url, and is started by --balancer in the same
way; without --url, it fills the backend "users" of the lab's HAProxy over the
socket ${DIR}/admin.sock.

The exit code is 3 if a check failed; the lab is then left up to be looked at.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if s.State, err = supervisor.DefaultState(experimentLab); err != nil {
				return err
			}
			if s.Slicewright, err = findSlicewright(cmd.Context()); err != nil {
				return err
			}
			named := s.Consumer
			switch {
			case command != "":
				s.Consumer = experiment.Consumer{Command: strings.Fields(command), URL: named.URL, Balancer: strings.Fields(balancer), ReadsEndpoints: true}
				s.Consumer.Name = filepath.Base(s.Consumer.Command[0])
			case consumer == "slicewright":
				s.Consumer = experiment.Slicewright(s.Slicewright)
			case consumer == "endpoints-reader":
				self, err := os.Executable()
				if err != nil {
					return fmt.Errorf("find the running program: %w", err)
				}
				s.Consumer = experiment.EndpointsReader([]string{self, "endpoints-reader"})
			default:
				return fmt.Errorf("no consumer %q: there is slicewright and endpoints-reader, or give --command", consumer)
			}
			if named.Name != "" {
				s.Consumer.Name = named.Name
			}
			s.Consumer.Image, s.Consumer.Digest = named.Image, named.Digest
			return runExperiment(cmd.Context(), s, from, out, keep, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&out, "out", "", "file for the report (default: standard output, and the story on standard error)")
	flags.StringVar(&from, "from", "", "begin at this version of Kubernetes, such as v1.36.3, and go on with the same etcd data")
	flags.StringVar(&consumer, "consumer", "slicewright", "slicewright, or endpoints-reader, whose checks must fail")
	flags.StringVar(&command, "command", "", "start this consumer instead: a program and its arguments, without a shell")
	flags.StringVar(&s.Consumer.URL, "url", "", "where the load balancer of --command takes requests")
	flags.StringVar(&balancer, "balancer", "", "start the load balancer at --url by this command, which stays in the foreground")
	flags.StringVar(&s.Consumer.Name, "consumer-name", "", "what the report calls the consumer")
	flags.StringVar(&s.Consumer.Image, "image", "", "the consumer's image, for the report")
	flags.StringVar(&s.Consumer.Digest, "digest", "", "the image's digest, for the report")
	flags.StringSliceVar(&s.Acts, "acts", experiment.Acts(), "what to play")
	flags.StringSliceVar(&s.Skip, "skip", nil, "checks to leave out; they are then not-run")
	flags.DurationVar(&s.Patience, "patience", 90*time.Second, "how long the consumer may take to follow")
	flags.BoolVar(&keep, "keep", false, "leave the lab up")
	return cmd
}

func runExperiment(ctx context.Context, s settings, from, out string, keep bool, stdout, stderr io.Writer) error {
	target, err := findPrograms(ctx, controlplane.DefaultVersion)
	if err != nil {
		return err
	}
	programs := target
	if from != "" {
		if programs, err = findPrograms(ctx, from); err != nil {
			return err
		}
		// Programs of one's own would be the same before and after.
		programs.Assets = ""
		s.UpgradeTo = target.MultiCall
	}
	if err := down(ctx, s.State); err != nil {
		return err
	}
	story := stderr
	if out != "" {
		story = stdout
	}
	if err := up(ctx, s.State, programs, story, false); err != nil {
		return err
	}
	s.Report = filepath.Join(s.State.Dir, "report.json")
	failed := playExperiment(ctx, s, story)
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), down(context.WithoutCancel(ctx), s.State))
	}
	if err := deliver(s.Report, out, stdout); err != nil {
		return errors.Join(failed, err)
	}
	if failed != nil {
		fmt.Fprintf(story, "\nThe lab is left up: slicewright-lab --name %s exec -- bash; logs are in %s.\n", experimentLab, s.State.Dir)
		return failed
	}
	if keep {
		return nil
	}
	return down(ctx, s.State)
}

// playExperiment runs this program again in the lab's network.
func playExperiment(ctx context.Context, s settings, story io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the running program: %w", err)
	}
	told, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("tell what to do: %w", err)
	}
	play, err := entering(s.State, []string{self, "play-experiment", string(told)})
	if err != nil {
		return err
	}
	play.Stdout, play.Stderr = story, os.Stderr
	if err := play.Start(); err != nil {
		return fmt.Errorf("play the experiment: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = play.Process.Signal(os.Interrupt) })
	defer stop()
	err = play.Wait()
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.ExitCode() == exitFinding {
		return exitError{errors.New("a check failed"), exitFinding}
	}
	if err != nil {
		return fmt.Errorf("the experiment did not come to its end: %w", err)
	}
	return nil
}

// deliver copies the report to where it was wanted.
func deliver(from, to string, stdout io.Writer) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("there is no report: %w", err)
	}
	if to == "" {
		_, err = stdout.Write(content)
		return err
	}
	if err := os.WriteFile(to, content, 0o644); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

func newPlayExperimentCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "play-experiment SETTINGS",
		Short:  "Do the experiment inside a lab's network (started by 'experiment')",
		Args:   cobra.ExactArgs(1),
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			var s settings
			if err := json.Unmarshal([]byte(args[0]), &s); err != nil {
				return fmt.Errorf("read what to do: %w", err)
			}
			return playInside(cmd.Context(), s, cmd.OutOrStdout())
		},
	}
}

func playInside(ctx context.Context, s settings, story io.Writer) error {
	cluster, err := clientcmd.BuildConfigFromFlags("", s.State.AdminKubeconfig())
	if err != nil {
		return fmt.Errorf("read the lab's kubeconfig: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the running program: %w", err)
	}
	dir := filepath.Join(s.State.Dir, "experiment")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the experiment's folder: %w", err)
	}
	lab := supervisedLab{s.State, supervisor.NewClient(s.State)}
	config := experiment.Config{
		Lab: lab, Cluster: cluster, Admin: s.State.AdminKubeconfig(), Slicewright: s.Slicewright,
		Reader: []string{self, "endpoints-reader"}, Consumer: s.Consumer, Namespace: "experiment", Controllers: "*",
		Acts: s.Acts, Skip: s.Skip, Patience: s.Patience, Dir: dir, Out: story,
	}
	if s.UpgradeTo != "" {
		config.Upgrade = func(ctx context.Context) error {
			_, err := lab.client.Do(ctx, http.MethodPost, "/upgrade", url.Values{"program": {s.UpgradeTo}})
			return err
		}
	}
	result, err := experiment.Run(ctx, config)
	if result != nil {
		err = errors.Join(err, writeReport(s.Report, result))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(story, "\n%d checks, %d failed.\n", len(result.Checks), len(result.Failed()))
	if failed := result.Failed(); len(failed) > 0 {
		return exitError{fmt.Errorf("failed: %s", strings.Join(failed, ", ")), exitFinding}
	}
	return nil
}

func writeReport(path string, result *report.Experiment) error {
	content, err := result.JSON()
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// supervisedLab is a lab that another process keeps.
type supervisedLab struct {
	state  supervisor.State
	client *supervisor.Client
}

func (l supervisedLab) Restart(ctx context.Context, component string, flags ...string) error {
	_, err := l.client.Do(ctx, http.MethodPost, "/restart/"+component, url.Values{"flag": flags})
	return err
}

func (l supervisedLab) Kill(ctx context.Context, component string) error {
	_, err := l.client.Do(ctx, http.MethodPost, "/kill/"+component, nil)
	return err
}

func (l supervisedLab) Listen(ctx context.Context, ranges string, port uint16) error {
	_, err := l.client.Do(ctx, http.MethodPost, "/listen", url.Values{"ranges": {ranges}, "port": {fmt.Sprint(port)}})
	return err
}

func (l supervisedLab) Unlisten(ctx context.Context, ranges string) error {
	_, err := l.client.Do(ctx, http.MethodPost, "/unlisten", url.Values{"ranges": {ranges}})
	return err
}

func (l supervisedLab) Kubeconfig(ctx context.Context, user string) ([]byte, error) {
	return l.client.Do(ctx, http.MethodGet, "/kubeconfig", url.Values{"user": {user}})
}

func (l supervisedLab) AuditLog() string { return filepath.Join(l.state.LabDir(), "audit.log") }
