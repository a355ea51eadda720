package chart_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"github.com/slicewright/slicewright/app/internal/find/chart"
	"github.com/slicewright/slicewright/app/internal/find/chart/engine"
)

// The test binary is the rendering process, too.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "render" {
		if err := engine.Serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func process(t *testing.T) chart.Process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return chart.Process{Command: []string{self, "render"}, Timeout: 2 * time.Minute}
}

func tree(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	if _, found := files["web/Chart.yaml"]; !found {
		fsys["web/Chart.yaml"] = &fstest.MapFile{Data: []byte("apiVersion: v2\nname: web\nversion: 1.0.0\n")}
	}
	return fsys
}

func TestValuesOverrideEachOtherAndTheChartsOwn(t *testing.T) {
	fsys := tree(map[string]string{
		"web/values.yaml":         "role: endpoints\nkeep: own\n",
		"web/templates/a.yaml":    "role: {{ .Values.role }}\nkeep: {{ .Values.keep }}\nname: {{ .Release.Name }} {{ .Release.Namespace }}\n",
		"web/templates/NOTES.txt": "notes",
	})
	for _, test := range []struct {
		name   string
		values []chart.Values
		want   string
	}{
		{"none", nil, "role: endpoints\nkeep: own\nname: web shop\n"},
		{"one", []chart.Values{{Name: "p.yaml", Data: []byte("role: pod\n")}}, "role: pod\nkeep: own\nname: web shop\n"},
		{"the last wins", []chart.Values{{Data: []byte("role: pod\n")}, {Data: []byte("role: node\n")}}, "role: node\nkeep: own\nname: web shop\n"},
		{"by the chart's name", []chart.Values{{Chart: "web", Data: []byte("role: pod\n")}}, "role: pod\nkeep: own\nname: web shop\n"},
		{"of another chart", []chart.Values{{Chart: "db", Data: []byte("role: pod\n")}}, "role: endpoints\nkeep: own\nname: web shop\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := chart.Options{Renderer: process(t), Values: test.values, Namespace: "shop"}
			r, err := o.Render(t.Context(), fsys, "web")
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, tmpl := range r.Templates {
				if tmpl.File == "web/templates/a.yaml" {
					got = tmpl.Text
				}
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestSubChartsAreRenderedAsTheirConditionsSay(t *testing.T) {
	fsys := tree(map[string]string{
		"web/Chart.yaml":                         "apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n- {name: cache, version: 1.0.0}\n- {name: extra, version: 1.0.0, condition: extra.enabled}\n- {name: away, version: 2.0.0}\n",
		"web/values.yaml":                        "extra: {enabled: false}\ncache: {x: given}\n",
		"web/charts/cache-1.0.0/Chart.yaml":      "apiVersion: v2\nname: cache\nversion: 1.0.0\n",
		"web/charts/cache-1.0.0/templates/a.yml": "x: {{ .Values.x }}\n",
		"web/charts/extra/Chart.yaml":            "apiVersion: v2\nname: extra\nversion: 1.0.0\n",
		"web/charts/extra/templates/a.yaml":      "x: extra\n",
	})
	o := chart.Options{Renderer: process(t)}
	r, err := o.Render(t.Context(), fsys, "web")
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Templates) != 1 || r.Templates[0].File != "web/charts/cache-1.0.0/templates/a.yml" || r.Templates[0].Text != "x: given\n" {
		t.Errorf("templates %+v", r.Templates)
	}
	if len(r.Problems) != 1 || !strings.Contains(r.Problems[0].Message, "away 2.0.0") {
		t.Errorf("problems %+v, want the dependency that is not there", r.Problems)
	}
}

// A template is a program from outside: it ends, and it learns nothing.
func TestHostileTemplatesEnd(t *testing.T) {
	t.Setenv("SECRET_OF_THE_CALLER", "leaked")
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("leaked"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"a loop":                       `{{ range until 2000000000 }}{{ end }}`,
		"a loop without memory":        `{{ range $i := untilStep 0 100000000 1 }}{{ range $j := untilStep 0 100000000 1 }}{{ end }}{{ end }}`,
		"a word a billion times":       `{{ repeat 2000000000 "x" }}`,
		"doubling":                     `{{ define "d" }}{{ $x := printf "%s%s" . . }}{{ include "d" $x }}{{ end }}{{ include "d" "xxxxxxxxxxxxxxxx" }}`,
		"itself":                       `{{ define "a" }}{{ template "a" . }}{{ end }}{{ template "a" . }}`,
		"two calls each":               `{{ define "f" }}{{ include "f" . }}{{ include "f" . }}{{ end }}{{ include "f" . }}`,
		"more than is taken":           `{{ range until 40000000 }}xx{{ end }}`,
		"a failure with control bytes": "{{ fail \"\\x1b[31mred\" | int }}{{ .Values.x.y.z }}",
	} {
		t.Run(name, func(t *testing.T) {
			o := chart.Options{Renderer: process(t)}
			r, err := o.Render(t.Context(), tree(map[string]string{"web/templates/a.yaml": text}), "web")
			if err == nil {
				// It was left out of its chart.
				if len(r.Templates) > 0 || len(r.Problems) != 1 {
					t.Fatalf("it was rendered: %d templates, problems %v", len(r.Templates), r.Problems)
				}
				err = errors.New(r.Problems[0].Message)
			}
			if strings.ContainsAny(err.Error(), "\x1b\n") || len(err.Error()) > 1000 {
				t.Errorf("the error is not one clean line: %q", err)
			}
			if strings.Contains(err.Error(), "runtime stack") || strings.Contains(err.Error(), "goroutine ") {
				t.Errorf("the error is a stack: %q", err)
			}
		})
	}
	for name, text := range map[string]string{
		"the environment": `x: {{ env "SECRET_OF_THE_CALLER" }}`,
		"a file outside":  `x: {{ .Files.Get "` + outside + `" }}{{ .Files.Get "../../outside" }}`,
		"the cluster":     `x: {{ (lookup "v1" "Secret" "kube-system" "").items }}`,
		"a name":          `x: {{ getHostByName "localhost" }}`,
	} {
		t.Run(name, func(t *testing.T) {
			o := chart.Options{Renderer: process(t)}
			r, err := o.Render(t.Context(), tree(map[string]string{"web/templates/a.yaml": text}), "web")
			if err != nil {
				return // refused: that is as good
			}
			for _, tmpl := range r.Templates {
				if strings.TrimSpace(strings.TrimPrefix(tmpl.Text, "x:")) != "" {
					t.Errorf("it learned %q", tmpl.Text)
				}
			}
		})
	}
}

func TestTheClockBoundsARendering(t *testing.T) {
	p := process(t)
	p.Timeout = 200 * time.Millisecond
	o := chart.Options{Renderer: p}
	_, err := o.Render(t.Context(), tree(map[string]string{"web/templates/a.yaml": `{{ range until 2000000000 }}{{ end }}`}), "web")
	if err == nil || !strings.Contains(err.Error(), "longer than 200ms") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := o.Render(ctx, tree(nil), "web"); err == nil {
		t.Error("it was rendered after the end")
	}
}

func TestARequiredValueDoesNotHideTheRest(t *testing.T) {
	o := chart.Options{Renderer: process(t)}
	r, err := o.Render(t.Context(), tree(map[string]string{"web/templates/a.yaml": "x: {{ required \"give a host\" .Values.host }}\nrole: endpoints\n"}), "web")
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Templates) != 1 || !strings.Contains(r.Templates[0].Text, "role: endpoints") || len(r.Problems) != 1 || !strings.Contains(r.Problems[0].Message, "give a host") {
		t.Errorf("templates %+v, problems %+v", r.Templates, r.Problems)
	}
}

func TestATemplateThatFailsCostsItself(t *testing.T) {
	files := map[string]string{
		"web/templates/a.yaml":            "{{ .Values.no.such }}",
		"web/templates/b.yaml":            "role: endpoints\n",
		"web/templates/c.yaml":            "{{ include \"missing\" . }}",
		"web/templates/d.yaml":            "{{ if }}",
		"web/charts/sub/Chart.yaml":       "apiVersion: v2\nname: sub\nversion: 1.0.0\n",
		"web/charts/sub/templates/x.yaml": "{{ .Values.no.such }}",
	}
	o := chart.Options{Renderer: process(t)}
	r, err := o.Render(t.Context(), tree(files), "web")
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Templates) != 1 || r.Templates[0].File != "web/templates/b.yaml" || len(r.Problems) != 4 {
		t.Errorf("templates %+v, problems %+v", r.Templates, r.Problems)
	}
	files["web/templates/_h.tpl"] = "{{ if }}"
	if _, err := o.Render(t.Context(), tree(files), "web"); err == nil {
		t.Error("rendered without the helpers that do not parse")
	}
}

func TestPlaces(t *testing.T) {
	fsys := tree(map[string]string{
		"web/values.yaml": "both: here\nconfig:\n  both: here\n  jobs:\n  - job_name: pods\n  - job_name: only-here\ntop: one\n",
		"web/templates/_helpers.tpl": `{{ define "role" }}
  from-helper: yes
  both: here
{{ end }}`,
		"web/templates/a.yaml": `{{- /* a comment
that goes over lines */ -}}
apiVersion: v1
data:
  role: {{ .Values.role | default "endpoints" }}
  twice: a
  list:
    twice: a
{{ include "role" . | indent 4 }}
  x: {{ .Values.top }}-{{ .Values.top }}
  config: |
{{ toYaml .Values.config | indent 4 }}
`,
	})
	o := chart.Options{Renderer: process(t)}
	r, err := o.Render(t.Context(), fsys, "web")
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &r.Templates[0]
	for _, test := range []struct {
		line string // what is looked for in the output
		want string
	}{
		{"apiVersion: v1", "web/templates/a.yaml [3] 1"},
		{"role: endpoints", "web/templates/a.yaml [5] 3"},
		{"twice: a", "web/templates/a.yaml [6 8] 3"},
		{"from-helper: yes", "web/templates/_helpers.tpl [2] 3"},
		{"x: one-one", "web/templates/a.yaml [] 0"},
		{"- job_name: only-here", "web/values.yaml [6] 3"},
		{"both: here", "web/templates/a.yaml [] 0"}, // in a helper and in the values
	} {
		number := 1 + strings.Count(tmpl.Text[:max(0, strings.Index(tmpl.Text, test.line))], "\n")
		line := strings.Split(tmpl.Text, "\n")[number-1]
		p := r.Place(tmpl, number, strings.Index(line, strings.TrimSpace(line))+1)
		if got := fmt.Sprint(p.File, " ", p.Lines, " ", p.Column); got != test.want {
			t.Errorf("%s is from %s, want %s", test.line, got, test.want)
		}
	}
}

func TestRoots(t *testing.T) {
	got := fmt.Sprint(chart.Roots([]string{"a", "a/charts/b", "a/charts/b/charts/c", "charts/d", "x/charts/e"}))
	if got != "[a charts/d x/charts/e]" {
		t.Errorf("roots %s", got)
	}
}

// What a place is found by is text from outside.
func FuzzPlace(f *testing.F) {
	f.Add("role: {{ .x }}\n{{/* a\nb */}}\n{{", "role: endpoints\nb", 1, 3)
	f.Fuzz(func(t *testing.T, template, rendered string, line, column int) {
		p := chart.PlaceIn(template, rendered, line, column)
		for _, n := range p.Lines {
			if n < 1 || n > strings.Count(template, "\n")+1 {
				t.Errorf("line %d of a template of %d", n, strings.Count(template, "\n")+1)
			}
		}
	})
}

// Of a line that gave nothing it can be said; of one that may have, it cannot.
func TestHas(t *testing.T) {
	template := "role: endpoints\nrole: {{ .x }}\n{{ .y }}\n{{ if\n  role: of no use }}\nkind: Service\n"
	for line, want := range map[int]bool{1: false, 2: true, 3: true, 4: true, 5: true, 6: false, 7: true, 99: true} {
		if got := chart.HasIn(template, "  role: pod\n", line); got != want {
			t.Errorf("line %d can have given it: %v, want %v", line, got, want)
		}
	}
}
