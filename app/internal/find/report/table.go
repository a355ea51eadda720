package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/slicewright/slicewright/app/internal/find/apimetrics"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/registry"
	"github.com/slicewright/slicewright/internal/text"
)

// section is a part of the table, with a heading if there are several.
type section struct {
	title string
	keep  func(*registry.Entry) bool
}

// Three questions: what is there to do, what did people do by hand, and what is
// the cluster's own.
var sections = []section{
	{"Consumers of Endpoints", func(e *registry.Entry) bool { return e.Consumer() && !e.Missing }},
	{"Tools in a person's hand", func(e *registry.Entry) bool { return e.Class == evidence.Tooling && !e.Missing }},
	{"Expected: the control plane", func(e *registry.Entry) bool { return e.Class == evidence.Expected && !e.Missing }},
	{"Not found by this run", func(e *registry.Entry) bool { return e.Missing }},
}

func writeTable(w io.Writer, r *registry.Registry, wide bool, opts Options) error {
	out := &printer{w: w}
	entries, broad := shown(r, opts)
	for _, s := range sections {
		var part []registry.Entry
		for _, e := range entries {
			if s.keep(&e) {
				part = append(part, e)
			}
		}
		if len(part) == 0 {
			continue
		}
		out.printf("%s\n", s.title)
		t := tabwriter.NewWriter(out, 2, 8, 2, ' ', 0)
		fmt.Fprint(t, "  APPLICATION\tIDENTITY\tWORKLOAD\tCLASS\tCONFIDENCE\tSTATUS\tVERBS\tNAMESPACES\tOWNER\tEVIDENCE")
		if wide {
			fmt.Fprint(t, "\tACCESS\tUSER AGENTS\tIMAGES\tPUBLISHES TO")
		}
		fmt.Fprintln(t)
		for _, e := range part {
			cells := []string{
				e.Application, who(e), workload(e), string(e.Class), string(e.Confidence), string(e.Status),
				verbs(e), namespaces(e), e.Owner, sources(e),
			}
			if wide {
				cells = append(cells, strings.Join(e.Access, ","), strings.Join(e.UserAgents, " "), images(e), e.PublishesTo)
			}
			for i, c := range cells {
				cells[i] = cell(c, wide)
			}
			fmt.Fprintln(t, "  "+strings.Join(cells, "\t"))
		}
		if err := t.Flush(); err != nil {
			return err
		}
		for _, e := range part {
			details(out, e, wide)
		}
		out.printf("\n")
	}
	if len(entries) == 0 {
		out.printf("No consumer of Endpoints was found in what was read.\n\n")
	}
	if broad > 0 {
		out.printf("%d more may read Endpoints by a wildcard or a built-in role alone; --broad lists them.\n\n", broad)
	}
	tableGroups(out, r)
	tableObstacles(out, r)
	tablePatches(out, r)
	tableCrossCheck(out, r.CrossCheck)
	tableCoverage(out, r)
	return out.err
}

// details prints what a row cannot hold: remarks always, evidence if wide.
func details(out *printer, e registry.Entry, wide bool) {
	if !wide && !e.Consumer() {
		return
	}
	for _, remark := range e.Remarks {
		out.printf("    %s: %s\n", text.Line(e.Application), text.Line(remark))
	}
	if !wide {
		return
	}
	for _, ev := range e.Evidence {
		out.printf("      %s %s x%d %s\n", ev.Detector, text.Line(ev.Locator), ev.Count, text.Line(ev.Excerpt))
	}
}

func tableGroups(out *printer, r *registry.Registry) {
	if len(r.Groups) == 0 {
		return
	}
	out.printf("What must move together, and in which order\n")
	for _, g := range r.Groups {
		out.printf("  %s\n", text.Line(g.Name))
		for i, step := range g.Steps {
			out.printf("    %d. %s\n", i+1, text.Line(step))
		}
	}
	out.printf("\n")
}

func tablePatches(out *printer, r *registry.Registry) {
	if len(r.Patches) == 0 {
		return
	}
	out.printf("Roles that lack EndpointSlices (-o json has the patches)\n")
	for _, p := range r.Patches {
		out.printf("  %s, for %s\n", text.Line(p.Role), text.Line(strings.Join(p.For, ", ")))
		for _, line := range strings.Split(strings.TrimSpace(p.YAML), "\n") {
			if line != "" {
				out.printf("    %s\n", text.Line(line))
			}
		}
		for _, why := range p.Refused {
			out.printf("    cannot be carried over: %s\n", text.Line(why))
		}
	}
	out.printf("\n")
}

func tableCrossCheck(out *printer, c *apimetrics.CrossCheck) {
	if c == nil {
		return
	}
	out.printf("The API server's own counts\n")
	for _, f := range c.Findings {
		out.printf("  %s\n", text.Line(f))
	}
	for _, q := range c.Queries {
		out.printf("  %s: %s\n", text.Line(q.Purpose), text.Line(q.PromQL))
	}
	out.printf("\n")
}

func tableCoverage(out *printer, r *registry.Registry) {
	out.printf("Coverage\n")
	for _, c := range r.Coverage {
		out.printf("  %s: %d read, %d skipped\n", c.Source, c.Read, c.Skipped)
		for _, n := range c.Notes {
			out.printf("    %s\n", text.Line(n))
		}
		for i, p := range c.Problems {
			if i == 20 {
				out.printf("    ! %d more problems; -o json lists them\n", len(c.Problems)-i)
				break
			}
			out.printf("    ! %s: %s\n", text.Line(p.Locator), text.Line(p.Message))
		}
	}
}

// cell fits a text into a column: one line, no tabulator, and in the narrow form
// not so long that it pushes the others out of sight.
func cell(s string, wide bool) string {
	const narrow = 48
	s = text.Line(s)
	if s == "" {
		return "-"
	}
	if !wide && utf8.RuneCountInString(s) > narrow {
		return string([]rune(s)[:narrow-1]) + "…"
	}
	return s
}

// printer keeps the first error, so that its callers write straight lines.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) Write(b []byte) (int, error) {
	if p.err != nil {
		return 0, p.err
	}
	n, err := p.w.Write(b)
	p.err = err
	return n, err
}

func (p *printer) printf(format string, args ...any) { fmt.Fprintf(p, format, args...) }
