package timeline

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/cli/recording"
	"github.com/slicewright/slicewright/app/internal/output"
	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/internal/text"
)

func runTimelineAt(ctx context.Context, streams command.Streams, flags timelineFlags, at string, args []string) error {
	if len(args) > 2 {
		return command.UsageErrorf("one recording and one Service at a time: timeline at TIME FILE.db [SERVICE]")
	}
	if err := flags.validate("table", "json"); err != nil {
		return err
	}
	policy, err := endpointset.ParsePolicy(flags.policy)
	if err != nil {
		return command.UsageErrorf("--policy: %w", err)
	}
	rec, err := recording.Open(ctx, args[0])
	if err != nil {
		return err
	}
	defer rec.Close()
	moment, err := parseMoment(at, rec.Info)
	if err != nil {
		return command.WithExit(command.ExitUsage, err)
	}
	if moment.Before(rec.Info.From) || moment.After(rec.Info.Until) {
		return command.WithExit(command.ExitUnknown, fmt.Errorf("%s tells of %s to %s, not of %s", rec.Name,
			rec.Info.From.Format(time.RFC3339Nano), rec.Info.Until.Format(time.RFC3339Nano), moment.Format(time.RFC3339Nano)))
	}
	state, gaps, err := stateAt(ctx, rec, moment)
	if err != nil {
		return err
	}
	var service endpointset.ServiceKey
	if len(args) == 2 {
		if service, err = matchService(recordedServices(state), flags.namespace, args[1]); err != nil {
			return command.WithExit(command.ExitUnknown, fmt.Errorf("%s at %s: %w", rec.Name, moment.Format(time.RFC3339Nano), err))
		}
	}
	report := timeline.NewSetReport(state, gaps, moment, service, policy)
	if flags.output == "json" {
		return output.JSON(streams.Out, report)
	}
	return printTimelineSet(streams.Out, report)
}

// stateAt folds the events up to a moment. A gap is known only when it ends, so
// those after the moment are read too.
func stateAt(ctx context.Context, r *recording.Opened, at time.Time) (*timeline.State, []timeline.Gap, error) {
	state := timeline.NewState()
	var gaps timeline.Gaps
	for ev, err := range r.Events(ctx, at, time.Time{}) {
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", r.Name, err)
		}
		if ev.Gap != nil {
			gaps.Add(*ev.Gap)
		}
		if !ev.At.After(at) {
			state.Apply(ev)
		}
	}
	// A gap that has not ended holds the moment too.
	return state, gaps.List(at.Add(time.Microsecond)), nil
}

// recordedServices are those that have slices or were seen themselves.
func recordedServices(state *timeline.State) []endpointset.ServiceKey {
	seen := map[endpointset.ServiceKey]bool{}
	var keys []endpointset.ServiceKey
	add := func(key endpointset.ServiceKey) {
		if !seen[key] {
			seen[key] = true
			keys = append(keys, key)
		}
	}
	for _, s := range state.Slices {
		if key, ok := s.ServiceKey(); ok {
			add(key)
		}
	}
	for key := range state.Services {
		add(key)
	}
	return keys
}

func printTimelineSet(out io.Writer, report *timeline.SetReport) error {
	if report.Uncertain {
		fmt.Fprintln(out, "UNCERTAIN: a watch was lost at that time; changes may be missing.")
	}
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "SERVICE\tUSE\tPORT\tENDPOINT\tREADY\tSERVING\tTERMINATING\tNODE\tZONE\tPOD\tSLICE")
	for _, s := range report.Services {
		use := "active"
		if s.Fallback {
			use = "fallback"
		}
		printTimelineBackends(w, s.Service, use, s.Active)
		printTimelineBackends(w, s.Service, "draining", s.Draining)
		printTimelineBackends(w, s.Service, "", s.Excluded)
		if len(s.Active)+len(s.Draining)+len(s.Excluded) == 0 {
			fmt.Fprintf(w, "%s\tnone\t-\t-\t-\t-\t-\t-\t-\t-\t-\n", text.Line(s.Service))
		}
	}
	return w.Flush()
}

func printTimelineBackends(w io.Writer, service, use string, list []timeline.BackendThen) {
	for _, b := range list {
		why := use
		if b.Reason != "" {
			why = b.Reason
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%t\t%t\t%t\t%s\t%s\t%s\t%s\n", text.Line(service), why, text.Cell(b.Port), b.Endpoint,
			b.Ready, b.Serving, b.Terminating, text.Cell(b.Node), text.Cell(b.Zone), text.Cell(b.Pod), text.Cell(b.Slice))
	}
}
