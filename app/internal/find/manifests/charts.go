package manifests

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/objects"

	"github.com/slicewright/slicewright/app/internal/find/chart"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// chartReader reads Helm charts as what they render to, in the place of their
// templates.
type chartReader struct {
	*reader
	rendered map[string]bool // directories of charts
}

// covers reports whether a directory holds what was rendered already: a chart's
// templates and sub-charts. The rest of its directory can have manifests.
func (c *chartReader) covers(dir string) bool {
	base := path.Base(dir)
	return (base == "templates" || base == "charts") && c.rendered[path.Dir(dir)]
}

// enter renders the chart that a directory is, if it is one.
func (c *chartReader) enter(ctx context.Context, fsys fs.FS, dir string) error {
	opts := c.opts.Charts
	if opts.Renderer == nil {
		return nil
	}
	metadata := path.Join(dir, "Chart.yaml")
	if info, err := fs.Stat(fsys, metadata); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	opts.Namespace = c.opts.Namespace
	r, err := opts.Render(ctx, fsys, dir)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.skip(metadata, "chart not rendered: "+err.Error())
		return nil
	}
	if c.rendered == nil {
		c.rendered = map[string]bool{}
	}
	c.rendered[dir] = true
	c.charts++
	for _, p := range r.Problems {
		c.problem(p.Locator, p.Message)
	}
	for i := range r.Templates {
		t := &r.Templates[i]
		if manifestName(t.File) || strings.HasSuffix(t.File, ".tgz") {
			c.readDocuments(t.File, strings.NewReader(t.Text), func(line, column int) string {
				return placeOf(r, t, line, column)
			})
		}
	}
	return nil
}

// placeOf is a line of a template's output as a locator in the chart.
func placeOf(r *chart.Rendered, t *chart.Template, line, column int) string {
	p := r.Place(t, line, column)
	if !p.Known() {
		return objects.Clean(t.File) + evidence.Rendered
	}
	return fmt.Sprintf("%s:%d:%d", objects.Clean(p.File), p.Lines[0], p.Column)
}
