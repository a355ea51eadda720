// Package timeline is the command that shows a recording.
package timeline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/cli/recording"
	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/app/internal/timeline/store"
	"github.com/slicewright/slicewright/endpointset"
)

// maxPageLanes bounds the HTML page: a browser draws this many lanes at once,
// and a person looks at fewer.
const maxPageLanes = 2000

// timelineFlags are shared by "timeline" and "timeline at".
type timelineFlags struct {
	namespace    string
	since, until string
	endpoint     string
	output       string
	failOn       []string
	policy       string
	skew         time.Duration
}

func New(streams command.Streams) *cobra.Command {
	var flags timelineFlags
	cmd := &cobra.Command{
		Use:   "timeline FILE.db [SERVICE]",
		Short: "Show what a recording tells: transitions, findings, a page to look at",
		Long: `Timeline shows what happened to every endpoint in a recording, and computes the
contrasts between the Pods' own facts, the slices and what consumers did.

Moments are UTC. "~" before one: it is the API's own, in whole seconds. "?": the
change had no moment, and the one shown is that of the change before it.

TIME is RFC 3339, a time of the recording's first day like 15:04:05.250, or an
offset from where it begins or ends: start+30s, end-5m, end.

Findings: ` + codeNames() + `.`,
		Example: `  # Everything about one Service
  slicewright timeline shop.db shop/reports

  # A page that shows it, without a server
  slicewright timeline shop.db reports -o html > reports.html

  # The set as it was
  slicewright timeline at 15:04:05 shop.db reports

  # Fail where an address was published before its Pod was ready
  slicewright timeline shop.db --fail-on published-before-ready`,
		Args: cobra.MaximumNArgs(4),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return command.UsageErrorf("say which recording: timeline FILE.db")
			}
			if at, rest, ok := cutAt(args); ok {
				return runTimelineAt(cmd.Context(), streams, flags, at, rest)
			}
			return runTimeline(cmd.Context(), streams, flags, args)
		},
	}
	flags.add(cmd)
	f := cmd.Flags()
	f.StringVar(&flags.since, "since", "", "show nothing before this TIME")
	f.StringVar(&flags.until, "until", "", "show nothing after this TIME")
	f.StringVar(&flags.endpoint, "endpoint", "", "show this IP alone")
	f.StringSliceVar(&flags.failOn, "fail-on", nil, `end with code 3 if there are findings of these codes; "any" is all but measurements`)
	f.DurationVar(&flags.skew, "skew", 500*time.Millisecond, "how far two watches may deliver apart without a finding")
	cmd.AddCommand(newAtCommand(streams))
	return cmd
}

func newAtCommand(streams command.Streams) *cobra.Command {
	var flags timelineFlags
	cmd := &cobra.Command{
		Use:   "at TIME FILE.db [SERVICE]",
		Short: "Print the set as it was at a time",
		Args:  cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runTimelineAt(cmd.Context(), streams, flags, args[0], args[1:])
		},
	}
	flags.add(cmd)
	return cmd
}

func (f *timelineFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.namespace, "namespace", "n", "", "namespace of SERVICE; not needed where the name is in one alone")
	cmd.Flags().StringVarP(&f.output, "output", "o", "table", "output format: table, json or html")
	cmd.Flags().StringVar(&f.policy, "policy", string(endpointset.PolicyReady), "with at: which backends are active")
}

// cutAt finds "at TIME" among the arguments: FILE.db at TIME [SERVICE], or
// FILE.db SERVICE at TIME.
func cutAt(args []string) (at string, rest []string, ok bool) {
	i := slices.Index(args[1:], "at") + 1
	if i == 0 || i+1 >= len(args) {
		return "", nil, false
	}
	return args[i+1], slices.Delete(slices.Clone(args), i, i+2), true
}

func codeNames() string {
	names := make([]string, 0, len(timeline.Codes()))
	for _, c := range timeline.Codes() {
		names = append(names, string(c))
	}
	return strings.Join(names, ", ")
}

func runTimeline(ctx context.Context, streams command.Streams, flags timelineFlags, args []string) error {
	if len(args) > 2 {
		return command.UsageErrorf("one recording and one Service at a time: timeline FILE.db [SERVICE]")
	}
	if err := flags.validate("table", "json", "html"); err != nil {
		return err
	}
	rec, err := recording.Open(ctx, args[0])
	if err != nil {
		return err
	}
	defer rec.Close()
	filter, err := flags.filter(rec.Info)
	if err != nil {
		return err
	}
	history, err := rec.History(ctx, filter)
	if err != nil {
		return err
	}
	if len(args) == 2 {
		if filter.Service, err = chooseService(history, flags.namespace, args[1]); err != nil {
			return command.WithExit(command.ExitUnknown, fmt.Errorf("%s: %w", rec.Name, err))
		}
	}
	if flags.output == "html" {
		filter.MaxLanes = maxPageLanes
	}
	report := timeline.NewReport(history, filter, timeline.Options{Skew: flags.skew})
	report.Trimmed = rec.Info.Trimmed
	if err := printTimeline(streams.Out, flags.output, report); err != nil {
		return err
	}
	return flags.verdict(report.Findings)
}

func (f *timelineFlags) validate(outputs ...string) error {
	if err := command.CheckOutput(f.output, outputs); err != nil {
		return err
	}
	for _, code := range f.failOn {
		if code != "any" && !slices.Contains(timeline.Codes(), timeline.Code(code)) {
			return command.UsageErrorf("--fail-on %q: known are any, %s", code, codeNames())
		}
	}
	return nil
}

func (f *timelineFlags) filter(info store.Info) (timeline.Filter, error) {
	filter := timeline.Filter{Address: f.endpoint}
	var err error
	if filter.Since, err = parseMoment(f.since, info); err != nil {
		return filter, command.UsageErrorf("--since: %w", err)
	}
	if filter.Until, err = parseMoment(f.until, info); err != nil {
		return filter, command.UsageErrorf("--until: %w", err)
	}
	if !filter.Since.IsZero() && !filter.Until.IsZero() && filter.Until.Before(filter.Since) {
		return filter, command.UsageErrorf("--until %s is before --since %s", f.until, f.since)
	}
	return filter, nil
}

// verdict is the exit code that --fail-on asks for.
func (f *timelineFlags) verdict(findings []timeline.Finding) error {
	n := 0
	for _, x := range findings {
		if slices.Contains(f.failOn, string(x.Code)) || slices.Contains(f.failOn, "any") && !x.Code.Measurement() {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return command.WithExit(command.ExitFinding, fmt.Errorf("%d findings of %s", n, strings.Join(f.failOn, ", ")))
}

// chooseService finds NAME or NAMESPACE/NAME among the recorded Services.
func chooseService(h *timeline.History, namespace, name string) (endpointset.ServiceKey, error) {
	keys := make([]endpointset.ServiceKey, 0, len(h.Services))
	for _, s := range h.Services {
		keys = append(keys, s.Key)
	}
	return matchService(keys, namespace, name)
}

func matchService(keys []endpointset.ServiceKey, namespace, name string) (endpointset.ServiceKey, error) {
	if before, after, ok := strings.Cut(name, "/"); ok {
		namespace, name = before, after
	}
	var found []endpointset.ServiceKey
	for _, key := range keys {
		if key.Name == name && (namespace == "" || key.Namespace == namespace) {
			found = append(found, key)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		if namespace != "" {
			name = namespace + "/" + name
		}
		return endpointset.ServiceKey{}, fmt.Errorf("no Service %s in the recording: %s", name, someServices(keys))
	default:
		return endpointset.ServiceKey{}, fmt.Errorf("more than one namespace has a Service %s: say %s, or use -n", name, found[0])
	}
}

func someServices(keys []endpointset.ServiceKey) string {
	const few = 10
	if len(keys) == 0 {
		return "it holds none"
	}
	names := make([]string, 0, few)
	for _, key := range keys[:min(few, len(keys))] {
		names = append(names, key.String())
	}
	text := "it holds " + strings.Join(names, ", ")
	if len(keys) > few {
		text += fmt.Sprintf(" and %d more", len(keys)-few)
	}
	return text
}

// parseMoment reads a TIME of the command line. "" is the zero time.
func parseMoment(text string, info store.Info) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if after, ok := strings.CutPrefix(text, "start"); ok {
		return momentOffset(text, info.From, after)
	}
	if after, ok := strings.CutPrefix(text, "end"); ok {
		return momentOffset(text, info.Until, after)
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t.UTC(), nil
	}
	for _, layout := range []string{"15:04:05.999999", "15:04"} {
		if t, err := time.Parse(layout, text); err == nil {
			day := info.From.UTC().Truncate(24 * time.Hour)
			return day.Add(t.Sub(t.Truncate(24 * time.Hour))), nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no TIME: use RFC 3339, 15:04:05, start+30s or end-5m", text)
}

// momentOffset adds what follows "start" or "end": nothing, or a signed duration.
func momentOffset(text string, from time.Time, after string) (time.Time, error) {
	if after == "" {
		return from, nil
	}
	d, err := time.ParseDuration(after)
	if err != nil || after[0] != '+' && after[0] != '-' {
		return time.Time{}, fmt.Errorf("%q is no TIME: start and end take a signed duration, as in end-5m", text)
	}
	return from.Add(d), nil
}
