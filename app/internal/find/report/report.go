// Package report writes a registry for people and for other programs: a table,
// JSON, YAML, CSV, Markdown, SARIF 2.1.0 and a page of HTML in one file.
//
// Names, user agents and excerpts in a registry are a stranger's text. No format
// lets them act: terminals get no control characters, spreadsheets no formulas,
// Markdown and HTML no markup.
package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/registry"
	"github.com/slicewright/slicewright/app/internal/output"
)

// Formats are the names that Write knows.
var Formats = []string{"table", "wide", "json", "yaml", "csv", "markdown", "sarif", "html"}

// Options direct a report. The zero value is ready for use.
type Options struct {
	// Broad shows entries that rest on a wildcard or a built-in role alone, which
	// the formats for people otherwise only count.
	Broad bool
	// Baseline marks in SARIF what it has already; nil is none.
	Baseline *registry.Registry
	// Version of the program, for SARIF.
	Version string
}

// Write writes r in the named format.
func Write(w io.Writer, r *registry.Registry, format string, opts Options) error {
	var err error
	switch format {
	case "table", "wide":
		err = writeTable(w, r, format == "wide", opts)
	case "json":
		err = output.JSON(w, r)
	case "yaml":
		err = output.YAML(w, r)
	case "csv":
		err = writeCSV(w, r)
	case "markdown":
		err = writeMarkdown(w, r, opts)
	case "sarif":
		err = writeSARIF(w, r, opts)
	case "html":
		err = writeHTML(w, r, opts)
	default:
		return output.Check(format, Formats)
	}
	if err != nil {
		return fmt.Errorf("writing the report as %s: %w", format, err)
	}
	return nil
}

// shown splits entries into those to show and the number of collapsed ones.
func shown(r *registry.Registry, opts Options) (entries []registry.Entry, broad int) {
	for _, e := range r.Entries {
		if e.Confidence == evidence.Broad && !opts.Broad {
			broad++
			continue
		}
		entries = append(entries, e)
	}
	return entries, broad
}

// verbs writes counts in the order in which one thinks of them.
func verbs(e registry.Entry) string {
	order := []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}
	var out []string
	for _, v := range order {
		if n, ok := e.Verbs[v]; ok {
			out = append(out, v+":"+strconv.Itoa(n))
		}
	}
	var rest []string
	for v, n := range e.Verbs {
		if !slices.Contains(order, v) {
			rest = append(rest, v+":"+strconv.Itoa(n))
		}
	}
	slices.Sort(rest)
	out = append(out, rest...)
	if e.Refused > 0 {
		out = append(out, "refused:"+strconv.Itoa(e.Refused))
	}
	return strings.Join(out, ",")
}

// who is the shortest true answer to whose an entry is.
func who(e registry.Entry) string {
	if e.ServiceAccount != "" {
		return e.ServiceAccount
	}
	return e.User
}

func workload(e registry.Entry) string {
	if e.Workload.Name == "" {
		return ""
	}
	return e.Workload.Kind + "/" + e.Workload.Name
}

func namespaces(e registry.Entry) string {
	if len(e.Namespaces) > 3 {
		return strings.Join(e.Namespaces[:3], ",") + fmt.Sprintf(" and %d more", len(e.Namespaces)-3)
	}
	return strings.Join(e.Namespaces, ",")
}

func sources(e registry.Entry) string {
	var out []string
	for _, ev := range e.Evidence {
		if s := string(ev.Source); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return strings.Join(out, ",")
}

func images(e registry.Entry) string {
	var out []string
	for _, i := range e.Images {
		if i.Digest != "" && !strings.Contains(i.Image, "@") {
			out = append(out, i.Image+"@"+i.Digest)
		} else {
			out = append(out, i.Image)
		}
	}
	return strings.Join(out, " ")
}
