// Package verify is the command that compares slices with consumers and answers.
package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slicewright/slicewright/app/internal/cli/choice"
	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/live"
	"github.com/slicewright/slicewright/app/internal/verify/observe"
	"github.com/slicewright/slicewright/app/internal/verify/probe"
	"github.com/slicewright/slicewright/endpointset"
)

type verifyFlags struct {
	cluster *command.ClusterFlags
	// slices has the flags that verify shares with backends: where slices come
	// from and who is chosen.
	slices   choice.Flags
	port     string
	protocol string
	family   string

	consumers []string
	probes    verifyProbeFlags
	hold      verifyHoldFlags
	published bool
	health    string

	duration     time.Duration
	during       string
	allowFailure bool
	settle       time.Duration
	interval     time.Duration
	timeout      time.Duration

	record string
	output string
}

func New(streams command.Streams) *cobra.Command {
	f := verifyFlags{cluster: command.NewClusterFlags()}
	cmd := &cobra.Command{
		Use:   "verify [NAMESPACE/]SERVICE [--consumer SPEC]... [--probe URL]... [--for DURATION | --during COMMAND]",
		Short: "Compare what slices say with what a consumer has and with who really answers",
		Long: `Follow the EndpointSlices of a Service, ask consumers what they have (--consumer),
open new connections as clients do (--probe), and hold the three against each
other: addresses that a consumer has and the slices do not, that it lacks, that
terminate and are given new connections all the same; who answered after it had
left; requests lost; and how long the consumer took to follow each change.

Without --for and --during it looks until all agree, or until something has
differed for longer than --settle. With --for it looks for that time. With
--during it waits until all agree, runs a command (sh -c), such as a rollout, and
judges what happens from then until all has settled after it. The command is what
you wrote: nothing from the cluster is put into it.

A difference that lasts no longer than --settle is measured and shown, and is no
finding. What could not be seen is never taken for equal.

Consumers:
  ` + strings.Join(observe.Kinds(), "\n  ") + `

Probes:
  ` + strings.Join(strings.Split(strings.ReplaceAll(probe.Example, " or ", ", "), ", "), "\n  ") + `

Connections that last (--hold, with --for or --during) are kept open through what
happens: when each ended and how, what was lost, doubled or moved.
` + `
--published shows, for publishNotReadyAddresses, four facts side by side: what
each application says of itself (--health), ready and serving in the slices,
whether the consumers have it, whether ordinary requests come out there.

Exit codes: 0 equal, 3 a finding, 4 not enough was seen to say (a consumer that
does not answer, slices that cannot be read, answers that do not tell whose they
are), 1 the command of --during failed, 2 wrong usage.`,
		Example: `  # Does HAProxy have what the slices have?
  slicewright verify shop/web --consumer haproxy:/run/haproxy/admin.sock/web

  # And who answers? Each request over a connection of its own
  slicewright verify shop/web --consumer haproxy:/run/haproxy/admin.sock/web \
      --probe http://10.0.0.1:8080/whoami --identify json:pod

  # Does a rollout lose a request?
  slicewright verify shop/web --probe http://10.0.0.1:8080/ \
      --during 'kubectl -n shop rollout restart deployment/web && kubectl -n shop rollout status deployment/web'

  # Without a cluster: what is in a file, against what a load balancer has
  slicewright verify shop/web -f slices.yaml --consumer nginx:/etc/nginx/nginx.conf#web`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), streams, args)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.consumers, "consumer", nil, "consumer to ask what it has; may be repeated")
	f.probes.addTo(flags)
	f.hold.addTo(flags)
	flags.BoolVar(&f.published, "published", false, "measure side by side: the application's health, ready and serving in the slices, discovery by --consumer, requests by the first --probe")
	flags.StringVar(&f.health, "health", "", "with --published, where each backend says of itself whether it is well, such as http://:8081/healthz (default port: the endpoint's)")
	flags.DurationVar(&f.duration, "for", 0, "how long to look (default: until all has settled)")
	flags.StringVar(&f.during, "during", "", "shell command to run and to judge what happens in it")
	flags.BoolVar(&f.allowFailure, "allow-command-failure", false, "a command of --during that fails is no error")
	flags.DurationVar(&f.settle, "settle", verify.DefaultSettle, "how long a consumer may take to follow a change")
	flags.DurationVar(&f.interval, "interval", 0, "time from one look at a consumer to the next (default 500ms, or half of --settle if that is less)")
	flags.DurationVar(&f.timeout, "timeout", live.DefaultTimeout, "how long the command, and each wait until all has settled, may take")
	flags.StringVar(&f.port, "port", "", "name of the Service's port (default: its only one)")
	flags.StringVar(&f.protocol, "protocol", "TCP", "protocol of the port, with --port")
	flags.StringVar(&f.family, "family", "", "the consumer's IP family, IPv4 or IPv6 (default: both)")
	f.slices.AddTo(flags, "should get", ": what it comes to in the end")
	flags.StringVar(&f.record, "record", "", "file to record slices, Pods and what consumers and probes did into, for 'timeline'")
	flags.StringVarP(&f.output, "output", "o", "table", "table, wide, json, yaml or html")
	f.cluster.AddTo(flags)
	return cmd
}

func (f *verifyFlags) run(ctx context.Context, streams command.Streams, args []string) error {
	named, err := f.validate(args)
	if err != nil {
		return err
	}
	config, err := f.config()
	if err != nil {
		return err
	}
	slices, err := f.source(streams, named)
	if err != nil {
		return err
	}
	config.Service, config.Slices = slices.service, slices.source
	if err := f.connections(ctx, slices, &config); err != nil {
		return err
	}
	progress := command.ProgressLine(streams.Err)
	config.Say = func(what string) { progress("verify: " + what) }

	recording, err := f.startRecording(ctx, slices, &config)
	if err != nil {
		return err
	}
	report, err := f.verify(ctx, streams.Err, config)
	progress("")
	unrecorded := recording.stop()
	if err != nil {
		return errors.Join(err, unrecorded)
	}
	// What was seen is worth showing, also if it could not be recorded.
	if err := errors.Join(writeVerify(streams.Out, report, f.output), unrecorded); err != nil {
		return err
	}
	return f.exit(ctx, report)
}

// verify runs the plan that the flags say.
func (f *verifyFlags) verify(ctx context.Context, stderr io.Writer, config live.Config) (*live.Report, error) {
	runner, err := live.New(config)
	if err != nil {
		return nil, command.WithExit(command.ExitUsage, err)
	}
	plan := live.Plan{For: f.duration, Timeout: f.timeout}
	if f.during != "" {
		plan.During = func(ctx context.Context) verify.CommandReport { return runDuring(ctx, f.during, f.timeout, stderr) }
	}
	report, err := runner.Run(ctx, plan)
	switch {
	case errors.Is(err, live.ErrPort):
		return nil, command.UsageErrorf("%w: see --port", err)
	case err != nil:
		return nil, command.WithExit(command.ExitUnknown, err)
	}
	return report, nil
}

// exit says how it ends. What was found is said before that the command failed:
// it may have failed for that reason. One that was broken off with the
// verification, by ctx, has not failed.
func (f *verifyFlags) exit(ctx context.Context, report *live.Report) error {
	switch {
	case report.Outcome == verify.Different:
		return command.WithExit(command.ExitFinding, command.ErrQuiet)
	case report.Command != nil && report.Command.Failed() && !f.allowFailure && ctx.Err() == nil:
		return fmt.Errorf("the command of --during failed: %s", report.Command.Problem)
	case report.Outcome == verify.Undetermined:
		return command.WithExit(command.ExitUnknown, command.ErrQuiet)
	}
	return nil
}

func (f *verifyFlags) validate(args []string) (endpointset.ServiceKey, error) {
	var none endpointset.ServiceKey
	if len(args) != 1 {
		return none, command.UsageErrorf("say which Service: verify NAMESPACE/SERVICE")
	}
	services, err := f.cluster.Services(args)
	if err != nil {
		return none, err
	}
	if err := f.slices.CheckSources(); err != nil {
		return none, err
	}
	switch {
	case len(f.consumers)+len(f.probes.targets)+len(f.hold.targets) == 0 && !f.published:
		return none, command.UsageErrorf("say what to verify: --consumer, --probe, --hold or --published")
	case len(f.hold.targets) > 0 && f.duration == 0 && f.during == "":
		return none, command.UsageErrorf("--hold needs --for or --during: say for how long, or through what")
	case f.health != "" && !f.published:
		return none, command.UsageErrorf("--health is for --published")
	case f.duration != 0 && f.during != "":
		return none, command.UsageErrorf("--for and --during exclude each other: a command says itself how long it takes")
	case f.duration < 0 || f.settle <= 0 || f.interval < 0 || f.timeout <= 0:
		return none, command.UsageErrorf("--for, --settle, --interval and --timeout are times from now on: write them as 5s or 10m")
	case f.record != "" && f.slices.Offline():
		return none, command.UsageErrorf("--record needs a cluster: what is in a file has no moments beside those of now")
	}
	return services[0], command.CheckOutput(f.output, formats)
}

// connections adds to a configuration what makes connections.
func (f *verifyFlags) connections(ctx context.Context, slices *verifySlices, config *live.Config) error {
	options, err := f.probes.options(slices.allowed(ctx), config.Names)
	if err != nil {
		return err
	}
	if config.Probes, err = f.probes.probers(ctx, options); err != nil {
		return err
	}
	if config.Hold, err = f.hold.holders(ctx, options); err != nil {
		return err
	}
	if f.published {
		config.Published = &live.Published{Requests: publishedRequests}
		config.Published.Health, err = healthProbes(f.health, options)
	}
	return err
}

// config returns what the flags say of consumers, times and the choice.
func (f *verifyFlags) config() (live.Config, error) {
	chosen, err := f.slices.Options()
	if err != nil {
		return live.Config{}, err
	}
	config := live.Config{
		Query:  endpointset.Query{Policy: chosen.Policy, Location: chosen.Location},
		Settle: f.settle, Interval: f.interval, Requests: f.probes.requests, Names: new(live.Names),
	}
	if f.port != "" {
		config.Query.Port, config.Query.Protocol = endpointset.PortNamed(f.port), f.protocol
	}
	switch f.family {
	case "":
	case endpointset.IPv4.String():
		config.Query.Family = endpointset.IPv4
	case endpointset.IPv6.String():
		config.Query.Family = endpointset.IPv6
	default:
		return config, command.UsageErrorf("unknown --family %q: use IPv4 or IPv6", f.family)
	}
	seen := map[string]bool{}
	for _, spec := range f.consumers {
		consumer, err := observe.Parse(spec)
		if err != nil {
			return live.Config{}, command.UsageErrorf("--consumer: %w", err)
		}
		if seen[spec] {
			return live.Config{}, command.UsageErrorf("--consumer %s is given twice", consumer)
		}
		seen[spec] = true
		config.Consumers = append(config.Consumers, consumer)
	}
	return config, nil
}
