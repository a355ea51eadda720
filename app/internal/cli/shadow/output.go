package shadow

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/slicewright/slicewright/app/internal/output"
	"github.com/slicewright/slicewright/app/internal/shadow"
	"github.com/slicewright/slicewright/app/internal/web"
	"github.com/slicewright/slicewright/internal/text"
)

// writeShadow writes a report as table, wide, json or html.
func writeShadow(out io.Writer, r *shadow.Report, format string) error {
	switch format {
	case "json":
		return output.JSON(out, r)
	case "html":
		return web.WriteShadow(out, r)
	}
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "SERVICE\tOUTCOME\tENDPOINTS\tSLICES\tDIFFERENCES")
	for i := range r.Services {
		s := &r.Services[i]
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\n", text.Line(s.Service), s.Outcome, s.Endpoints, s.Slices, text.Line(s.Summary()))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for i := range r.Services {
		if s := &r.Services[i]; s.Outcome == shadow.Different || format == "wide" {
			writeShadowService(out, s, format == "wide")
		}
	}
	for _, u := range r.Unread {
		where := "all namespaces"
		if u.Namespace != "" {
			where = "namespace " + u.Namespace
		}
		fmt.Fprintf(out, "\nNot read: %s in %s (%s): %s.\n", u.Resource, text.Line(where), text.Line(u.Problem), u.Effect)
	}
	return nil
}

// writeShadowService lists what is to look at, and with wide what is expected too.
func writeShadowService(out io.Writer, s *shadow.ServiceReport, wide bool) {
	var lines []string
	for _, f := range s.Findings {
		if !f.Expected || wide {
			lines = append(lines, fmt.Sprintf("%s\t\t%s", f.Class, text.Line(f.Message)))
		}
	}
	for _, d := range s.Differences {
		if !d.Expected || wide {
			lines = append(lines, fmt.Sprintf("%s\t%s %s %s\t%s: %s", d.Class, text.Line(d.Endpoint), text.Line(d.Port), text.Line(d.Protocol), d.Side, text.Line(d.Because)))
		}
	}
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s\n", text.Line(s.Service))
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	for _, line := range lines {
		fmt.Fprintln(w, "  "+line)
	}
	_ = w.Flush() // the caller's next write meets the same error
	if s.LeftOut > 0 {
		fmt.Fprintf(out, "  and %d more\n", s.LeftOut)
	}
}
