package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/registry"
	"github.com/slicewright/slicewright/internal/text"
)

// writeCSV writes one row an entry, all of them.
func writeCSV(w io.Writer, r *registry.Registry) error {
	out := csv.NewWriter(w)
	rows := [][]string{{
		"key", "application", "owner", "class", "confidence", "status", "serviceAccount", "user", "workloadKind", "workloadNamespace", "workloadName",
		"images", "userAgents", "namespaces", "verbs", "refused", "access", "publishesTo", "notes", "evidence", "missing",
	}}
	for _, e := range r.Entries {
		var locators []string
		for _, ev := range e.Evidence {
			locators = append(locators, ev.Detector+" "+ev.Locator)
		}
		counts := e
		counts.Refused = 0
		rows = append(rows, []string{
			e.Key, e.Application, e.Owner, string(e.Class), string(e.Confidence), string(e.Status), e.ServiceAccount, e.User,
			e.Workload.Kind, e.Workload.Namespace, e.Workload.Name, images(e), strings.Join(e.UserAgents, " "), strings.Join(e.Namespaces, " "),
			verbs(counts), strconv.Itoa(e.Refused), strings.Join(e.Access, " "), e.PublishesTo, e.Notes, strings.Join(locators, "\n"), strconv.FormatBool(e.Missing),
		})
	}
	for i, row := range rows {
		if i > 0 {
			for j := range row {
				row[j] = noFormula(row[j])
			}
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// noFormula keeps a spreadsheet from running a cell: what begins like a formula
// gets an apostrophe, which spreadsheets take for "this is text".
func noFormula(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

func writeMarkdown(w io.Writer, r *registry.Registry, opts Options) error {
	out := &printer{w: w}
	entries, broad := shown(r, opts)
	out.printf("# Consumers of Endpoints\n\n")
	for _, s := range sections {
		rows := 0
		for _, e := range entries {
			if !s.keep(&e) {
				continue
			}
			if rows == 0 {
				out.printf("## %s\n\n", s.title)
				out.printf("| Application | Identity | Workload | Class | Confidence | Status | Verbs | Namespaces | Owner | Evidence |\n|---|---|---|---|---|---|---|---|---|---|\n")
			}
			rows++
			for _, c := range []string{
				e.Application, who(e), workload(e), string(e.Class), string(e.Confidence), string(e.Status), verbs(e), namespaces(e), e.Owner, sources(e),
			} {
				out.printf("| %s ", text.Markdown(c))
			}
			out.printf("|\n")
		}
		if rows > 0 {
			out.printf("\n")
		}
	}
	if broad > 0 {
		out.printf("%d more may read Endpoints by a wildcard or a built-in role alone.\n\n", broad)
	}
	if len(r.Groups) > 0 {
		out.printf("## What must move together\n\n")
		for _, g := range r.Groups {
			out.printf("### %s\n\n", text.Markdown(g.Name))
			for i, step := range g.Steps {
				out.printf("%d. %s\n", i+1, text.Markdown(step))
			}
			out.printf("\n")
		}
	}
	markdownObstacles(out, r)
	if c := r.CrossCheck; c != nil {
		out.printf("## The API server's own counts\n\n")
		for _, f := range c.Findings {
			out.printf("- %s\n", text.Markdown(f))
		}
		out.printf("\n")
	}
	out.printf("## Coverage\n\n")
	for _, c := range r.Coverage {
		out.printf("- %s: %d read, %d skipped\n", c.Source, c.Read, c.Skipped)
		for _, n := range c.Notes {
			out.printf("  - %s\n", text.Markdown(n))
		}
		for _, p := range c.Problems {
			out.printf("  - not seen: %s: %s\n", text.Markdown(p.Locator), text.Markdown(p.Message))
		}
	}
	return out.err
}
