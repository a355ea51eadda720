package timeline

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/output"
	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/app/internal/web"
	"github.com/slicewright/slicewright/internal/text"
)

func printTimeline(w io.Writer, format string, report *timeline.Report) error {
	switch format {
	case "json":
		return output.JSON(w, report)
	case "html":
		if err := command.NoTerminal(w, "timeline.html"); err != nil {
			return err
		}
		return web.WriteTimeline(w, report)
	default:
		return printTransitions(w, report)
	}
}

func printTransitions(out io.Writer, report *timeline.Report) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "TIME\tSERVICE\tADDRESS\tR/S/T\tSLICE\tPOD\tWHAT")
	for _, t := range report.Transitions {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", clockTime(t.At, t.Clock),
			text.Cell(t.Service), text.Cell(t.Address), text.Cell(t.Conditions), text.Cell(t.Slice), text.Cell(t.Pod), text.Line(t.What))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(report.Findings) == 0 {
		_, err := fmt.Fprintln(out, "\nNo findings.")
		return err
	}
	fmt.Fprintln(out, "\nFINDINGS")
	for _, x := range report.Findings {
		where := strings.TrimSpace(x.Service + " " + x.Address)
		uncertain := ""
		if x.Uncertain {
			uncertain = " (uncertain: a watch was lost in that time)"
		}
		fmt.Fprintf(out, "%s  %s  %s\n    %s%s\n", x.From.Format(time.RFC3339Nano), x.Code, text.Line(where), text.Line(x.Message), uncertain)
		for _, m := range x.Moments {
			fmt.Fprintf(out, "    %s  %s\n", clockTime(m.At, m.Clock), text.Line(m.What))
		}
	}
	return nil
}

func clockTime(t time.Time, c timeline.Clock) string {
	text := t.UTC().Format("2006-01-02T15:04:05.000Z")
	switch c {
	case timeline.Told:
		return "~" + text
	case timeline.Carried:
		return "?" + text
	default:
		return " " + text
	}
}
