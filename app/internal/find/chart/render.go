package chart

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/slicewright/slicewright/internal/text"
)

// Values are a values file that somebody gave.
type Values struct {
	// Chart is the name or the directory of the chart that it is for; "" is every
	// chart.
	Chart string
	// Name is shown in notes.
	Name string
	Data []byte
}

// Renderer renders a chart. It may be called from several goroutines.
type Renderer interface {
	Render(ctx context.Context, r Request) (Response, error)
}

// Request is a chart and what to render it with.
type Request struct {
	Files []File `json:"files"`
	// Values are values files; a later one overrides an earlier one, and each the
	// chart's own.
	Values    [][]byte `json:"values,omitempty"`
	Release   string   `json:"release"`
	Namespace string   `json:"namespace"`
}

// Response is what became of a chart.
type Response struct {
	// Documents are the rendered templates, by the name that Helm gives them:
	// chart/templates/x.yaml, chart/charts/sub/templates/y.yaml.
	Documents []Document `json:"documents,omitempty"`
	// Problems say in sentences what is missing in them.
	Problems []string `json:"problems,omitempty"`
	// Error says why there is nothing.
	Error string `json:"error,omitempty"`
}

// Document is a template's output.
type Document struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Options say how charts are rendered. Nothing is without a Renderer.
type Options struct {
	Renderer Renderer
	Values   []Values
	// Namespace is that of the release.
	Namespace string
}

// Problem is something that was not rendered, or not well.
type Problem struct{ Locator, Message string }

// Rendered is a chart with its values.
type Rendered struct {
	// Dir is the chart's directory, relative to the root that was given.
	Dir string
	// Name is the chart's, on one line.
	Name string
	// With names the values: "values.yaml", "values.yaml and prod.yaml".
	With      string
	Templates []Template
	Problems  []Problem

	tree   *chartTree
	values []Values
}

// Template is one template's output.
type Template struct {
	// File is the template, or the archive that it is in, relative to the root
	// that was given.
	File string
	Text string
	// own is the template's text; nil if it is in an archive.
	own []byte
}

// Applies reports whether there are values for some chart in particular or for
// all: such a chart can have what its own files do not.
func (o *Options) Applies() bool { return len(o.Values) > 0 }

// Render loads the chart in dir, a slash-separated path below the root of fsys,
// and renders it.
func (o *Options) Render(ctx context.Context, fsys fs.FS, dir string) (*Rendered, error) {
	s, err := load(ctx, fsys, dir)
	if err != nil {
		return nil, err
	}
	r := &Rendered{Dir: dir, Name: text.Excerpt(s.name, maxMessage), tree: s, Problems: s.unread, With: "its own values"}
	// The name of the release is the chart's: most charts then name their objects
	// as the chart is named, and an application is known by it.
	request := Request{Files: s.files, Release: releaseName(s.name), Namespace: o.Namespace}
	var names []string
	for _, v := range o.Values {
		if v.Chart == "" || v.Chart == s.name || path.Clean(v.Chart) == dir {
			request.Values = append(request.Values, v.Data)
			r.values = append(r.values, v)
			names = append(names, v.Name)
		}
	}
	if len(names) > 0 {
		r.With = strings.Join(names, ", ")
	}
	answer, err := o.Renderer.Render(ctx, request)
	if err != nil {
		return nil, err
	}
	if answer.Error != "" {
		return nil, errors.New(text.Excerpt(answer.Error, maxMessage))
	}
	for _, p := range answer.Problems {
		r.Problems = append(r.Problems, Problem{path.Join(dir, metadataFile), text.Excerpt(p, maxMessage)})
	}
	for _, d := range answer.Documents {
		_, name, found := strings.Cut(d.Name, "/")
		if !found || strings.TrimSpace(d.Text) == "" {
			continue
		}
		file, own := s.template(name)
		r.Templates = append(r.Templates, Template{File: path.Join(dir, file), Text: d.Text, own: own})
	}
	slices.SortFunc(r.Templates, func(a, b Template) int { return strings.Compare(a.File, b.File) })
	return r, nil
}

// template finds the file of a template by Helm's name for it, which has the
// names of sub-charts where the file has their directories.
func (s *chartTree) template(name string) (string, []byte) {
	if data := s.file(name); data != nil {
		return name, data
	}
	rest, found := strings.CutPrefix(name, "charts/")
	if !found {
		return text.Excerpt(name, maxMessage), nil
	}
	chart, _, _ := strings.Cut(rest, "/")
	for _, f := range s.files {
		below, found := strings.CutPrefix(f.Name, "charts/")
		// charts/sub-1.2.3.tgz, or a directory of that name.
		if dir, _, _ := strings.Cut(below, "/"); found && strings.HasPrefix(dir, chart+"-") {
			if path.Ext(dir) == ".tgz" {
				return "charts/" + dir, nil
			}
			moved := "charts/" + dir + strings.TrimPrefix(rest, chart)
			if data := s.file(moved); data != nil {
				return moved, data
			}
		}
	}
	return text.Excerpt(name, maxMessage), nil // an alias: its chart's directory has another name
}

// releaseName is a name that Helm takes for a release: at most 53 characters.
func releaseName(chart string) string {
	if len(chart) > 53 {
		chart = chart[:53]
	}
	return strings.Trim(chart, "-.")
}

// maxMessage is enough of an error in a template.
const maxMessage = 400

// plainError is an error without the path in it.
func plainError(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return text.Excerpt(err.Error(), maxMessage)
}
