// Package engine renders a chart with Helm's own engine: no cluster is asked by
// lookup, no name is resolved, no file outside of the request is read, no
// dependency is fetched, and no schema, which could name a URL, is applied.
package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	helmchart "helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	helm "helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/ignore"

	"github.com/slicewright/slicewright/app/internal/find/chart"
)

// Serve is the whole of a rendering process: it limits itself, reads a request,
// and writes the response. It must be called once, first, in a process that does
// nothing else.
func Serve(in io.Reader, out io.Writer) error {
	log.SetOutput(io.Discard) // Helm's warnings quote values of the chart
	limit()
	var r chart.Request
	if err := json.NewDecoder(in).Decode(&r); err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	return json.NewEncoder(out).Encode(Render(r))
}

// Render renders a chart. It runs for as long and takes as much memory as the
// templates want: [Serve] bounds both.
func Render(r chart.Request) chart.Response {
	response, err := render(r)
	if err != nil {
		return chart.Response{Error: err.Error()}
	}
	size := 0
	for _, d := range response.Documents {
		if size += len(d.Text); size > chart.MaxResponse {
			return chart.Response{Error: fmt.Sprintf("renders to more than %d bytes", chart.MaxResponse)}
		}
	}
	return response
}

func render(r chart.Request) (chart.Response, error) {
	var response chart.Response
	files, err := unignored(r.Files)
	if err != nil {
		return response, err
	}
	c, err := loader.LoadFiles(files)
	if err != nil {
		return response, err
	}
	if c.Metadata.Type == "library" {
		return response, nil // has nothing of its own
	}
	values := map[string]any{}
	for _, text := range r.Values {
		given, err := chartutil.ReadValues(text)
		if err != nil {
			return response, fmt.Errorf("the values: %w", err)
		}
		values = chartutil.MergeTables(given, values)
	}
	if err := chartutil.ProcessDependenciesWithMerge(c, values); err != nil {
		return response, err
	}
	var there []string
	for _, d := range c.Dependencies() {
		there = append(there, d.Name())
	}
	for _, d := range c.Metadata.Dependencies {
		if !slices.Contains(there, d.Name) && !slices.Contains(there, d.Alias) {
			response.Problems = append(response.Problems, fmt.Sprintf("its dependency %s %s is not in charts/ and was not rendered: run helm dependency build first", d.Name, d.Version))
		}
	}
	capabilities := chartutil.DefaultCapabilities.Copy()
	// Of today's clusters, not of Helm's default: charts choose API versions by it.
	capabilities.KubeVersion = chartutil.KubeVersion{Version: "v1.37.0", Major: "1", Minor: "37"}
	release := chartutil.ReleaseOptions{Name: r.Release, Namespace: r.Namespace, Revision: 1, IsInstall: true}
	top, err := chartutil.ToRenderValuesWithSchemaValidation(c, values, release, capabilities, true)
	if err != nil {
		return response, err
	}
	rendered, problems, err := renderMost(c, top)
	if err != nil {
		return response, err
	}
	response.Problems = append(response.Problems, problems...)
	for name, text := range rendered {
		response.Documents = append(response.Documents, chart.Document{Name: name, Text: text})
	}
	slices.SortFunc(response.Documents, func(a, b chart.Document) int { return strings.Compare(a.Name, b.Name) })
	return response, nil
}

// maxFailing bounds how many templates are left out of a chart.
const maxFailing = 32

// renderMost renders a chart, and where a template fails, the others: values that
// only an installation has are often missing, and the rest is worth seeing all
// the same. What is missing is said.
func renderMost(c *helmchart.Chart, values chartutil.Values) (map[string]string, []string, error) {
	var problems []string
	for {
		rendered, err := helm.Engine{}.Render(c, values)
		if err == nil {
			return rendered, problems, nil
		}
		// Without what the chart itself asserts about its values.
		if lenient, second := (helm.Engine{LintMode: true}).Render(c, values); second == nil {
			return lenient, append(problems, "refuses to be rendered with these values, and was rendered all the same: "+err.Error()), nil
		} else if len(problems) == maxFailing || !leaveOut(c, second) {
			return nil, nil, err
		}
		problems = append(problems, "one template was left out: "+err.Error())
	}
}

// failing is the template that an error of the engine begins with.
var failing = regexp.MustCompile(`^(?:template: |[a-z]+ error (?:at|in) \()([^:()]+)`)

// leaveOut takes the template that an error is about out of the chart.
func leaveOut(c *helmchart.Chart, err error) bool {
	m := failing.FindStringSubmatch(err.Error())
	if m == nil || strings.HasPrefix(path.Base(m[1]), "_") {
		return false
	}
	for i, t := range c.Templates {
		if path.Join(c.ChartFullPath(), t.Name) == m[1] {
			c.Templates = slices.Delete(c.Templates, i, i+1)
			return true
		}
	}
	for _, sub := range c.Dependencies() {
		if leaveOut(sub, err) {
			return true
		}
	}
	return false
}

// unignored are the files that .helmignore leaves.
func unignored(files []chart.File) ([]*loader.BufferedFile, error) {
	rules := ignore.Empty()
	for _, f := range files {
		if f.Name == ignore.HelmIgnore {
			var err error
			if rules, err = ignore.Parse(bytes.NewReader(f.Data)); err != nil {
				return nil, fmt.Errorf("its %s: %w", ignore.HelmIgnore, err)
			}
		}
	}
	rules.AddDefaults()
	var out []*loader.BufferedFile
	for _, f := range files {
		if !ignored(rules, f.Name) {
			out = append(out, &loader.BufferedFile{Name: f.Name, Data: bytes.TrimPrefix(f.Data, []byte("\xef\xbb\xbf"))})
		}
	}
	return out, nil
}

func ignored(rules *ignore.Rules, name string) bool {
	if rules.Ignore(name, entry{path.Base(name), false}) {
		return true
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if rules.Ignore(dir, entry{path.Base(dir), true}) {
			return true
		}
	}
	return false
}

// entry is a file's name and whether it is a directory: what ignoring asks.
type entry struct {
	name string
	dir  bool
}

func (e entry) Name() string       { return e.name }
func (e entry) IsDir() bool        { return e.dir }
func (e entry) Size() int64        { return 0 }
func (e entry) ModTime() time.Time { return time.Time{} }
func (e entry) Sys() any           { return nil }
func (e entry) Mode() fs.FileMode {
	if e.dir {
		return fs.ModeDir
	}
	return 0
}
