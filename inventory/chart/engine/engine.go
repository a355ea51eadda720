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
	"slices"
	"strings"
	"time"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	helm "helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/ignore"
	"sigs.k8s.io/yaml"

	"github.com/slicewright/slicewright/inventory/chart"
)

// Serve is the whole of a rendering process: it limits itself, reads a request,
// and writes the response. It must be called once, first, in a process that does
// nothing else.
func Serve(in io.Reader, out io.Writer) error {
	log.SetOutput(io.Discard) // Helm's warnings, about values of strangers
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
	rendered, err := helm.Engine{}.Render(c, top)
	if err != nil {
		// Values that only an installation has are often required. The rest of
		// the chart is worth seeing all the same.
		lenient, second := helm.Engine{LintMode: true}.Render(c, top)
		if second != nil {
			return response, err
		}
		rendered = lenient
		response.Problems = append(response.Problems, "refuses to be rendered with these values, and was rendered all the same: "+err.Error())
	}
	for name, text := range rendered {
		response.Documents = append(response.Documents, chart.Document{Name: name, Text: text})
	}
	slices.SortFunc(response.Documents, func(a, b chart.Document) int { return strings.Compare(a.Name, b.Name) })
	return response, nil
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

// ValidateValues reports whether text is a values file.
func ValidateValues(text []byte) error {
	var v map[string]any
	return yaml.Unmarshal(text, &v)
}
