package report

import (
	_ "embed"
	"html/template"
	"io"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/registry"
	"github.com/slicewright/slicewright/internal/text"
)

//go:embed report.html
var pageText string

// page escapes everything by its context: html/template knows how.
var page = template.Must(template.New("report").Funcs(template.FuncMap{
	"who": who, "workload": workload, "verbs": verbs, "images": images, "plain": text.Line, "writer": writer,
	"join": func(list []string) string { return strings.Join(list, ", ") },
	"time": func(ev evidence.Evidence) string {
		if ev.LastSeen == nil {
			return ""
		}
		return ev.LastSeen.UTC().Format("2006-01-02 15:04:05")
	},
}).Parse(pageText))

type pageSection struct {
	Title   string
	Entries []registry.Entry
}

func writeHTML(w io.Writer, r *registry.Registry, opts Options) error {
	entries, broad := shown(r, opts)
	data := struct {
		Registry *registry.Registry
		Sections []pageSection
		Broad    int
	}{r, nil, broad}
	for _, s := range sections {
		part := pageSection{Title: s.title}
		for _, e := range entries {
			if s.keep(&e) {
				part.Entries = append(part.Entries, e)
			}
		}
		if len(part.Entries) > 0 {
			data.Sections = append(data.Sections, part)
		}
	}
	return page.Execute(w, data)
}
