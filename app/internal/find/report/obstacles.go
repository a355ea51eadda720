package report

import (
	"fmt"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/registry"
	"github.com/slicewright/slicewright/internal/text"
)

// maxObstacles bounds those of one code in a table for people: a thousand
// Services with one writer are one thing to do.
const maxObstacles = 20

// tableObstacles lists what is in the way on the cluster.
func tableObstacles(out *printer, r *registry.Registry) {
	if len(r.Obstacles) == 0 {
		return
	}
	out.printf("In the way on the cluster\n")
	for _, code := range evidence.ObstacleCodes() {
		n := 0
		for _, o := range r.Obstacles {
			if o.Code != code {
				continue
			}
			if n++; n > maxObstacles {
				continue
			}
			out.printf("  %s: %s\n", o.Code, text.Line(o.Message))
			for _, w := range o.Writers {
				out.printf("    written by %s\n", text.Line(writer(w)))
			}
			out.printf("    %s\n", text.Line(o.Advice))
			if o.Source != "" {
				out.printf("    see %s\n", text.Line(o.Source))
			}
		}
		if n > maxObstacles {
			out.printf("  %s: %d more; -o json lists them\n", code, n-maxObstacles)
		}
	}
	out.printf("\n")
}

func markdownObstacles(out *printer, r *registry.Registry) {
	if len(r.Obstacles) == 0 {
		return
	}
	out.printf("## In the way on the cluster\n\n")
	for _, o := range r.Obstacles {
		out.printf("- %s: %s\n", text.Markdown(string(o.Code)), text.Markdown(o.Message))
		for _, w := range o.Writers {
			out.printf("  - written by %s\n", text.Markdown(writer(w)))
		}
		out.printf("  - [ ] %s\n", text.Markdown(o.Advice))
	}
	out.printf("\n")
}

// writer says in one line who writes, and how that is known.
func writer(w evidence.ObstacleWriter) string {
	text := w.Name
	if w.Workload.Name != "" {
		text += fmt.Sprintf(" in %s %s/%s", w.Workload.Kind, w.Workload.Namespace, w.Workload.Name)
	}
	if w.ServiceAccount != "" {
		text += " as " + w.ServiceAccount
	}
	text += " (" + w.By
	if w.LastSeen != nil {
		text += ", " + w.LastSeen.UTC().Format("2006-01-02 15:04:05")
	}
	return text + ")"
}
