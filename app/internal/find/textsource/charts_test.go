package textsource

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/app/internal/find/chart"
	"github.com/slicewright/slicewright/app/internal/find/chart/engine"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// inProcess renders the charts of these tests, which are harmless.
type inProcess struct{}

func (inProcess) Render(_ context.Context, r chart.Request) (chart.Response, error) {
	return engine.Render(r), nil
}

// places are findings as "locator detector confidence".
func places(findings []evidence.Finding) []string {
	out := []string{}
	for _, f := range findings {
		out = append(out, fmt.Sprint(f.Evidence[0].Locator, " ", f.Evidence[0].Detector, " ", f.Confidence))
	}
	return out
}

const webChart = "apiVersion: v2\nname: web\nversion: 1.0.0\n"

// scraper is a Prometheus configuration in a ConfigMap, whose role is a value's.
const scraper = `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-config
data:
  prometheus.yml: |
    scrape_configs:
    - job_name: pods
      kubernetes_sd_configs:
      - role: {{ .Values.scrape.role }}
`

// operated is a Prometheus whose absent field means Endpoints, unless a value
// brings it.
const operated = `apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata:
  name: main
spec:
  replicas: 1
  {{- if .Values.slices }}
  serviceDiscoveryRole: EndpointSlice
  {{- end }}
`

func TestChartsAreReadAsTheirValuesMakeThem(t *testing.T) {
	for _, test := range []struct {
		name   string
		files  map[string]string
		values []chart.Values
		want   []string
	}{
		{
			"a default turns the role on",
			map[string]string{"c/templates/a.yaml": scraper, "c/values.yaml": "scrape: {role: endpoints}\n"},
			nil,
			[]string{"c/templates/a.yaml:10:9 text/prometheus-role likely"},
		},
		{
			"a given value turns it on",
			map[string]string{"c/templates/a.yaml": scraper, "c/values.yaml": "scrape: {role: pod}\n"},
			[]chart.Values{{Name: "prod.yaml", Data: []byte("scrape: {role: endpoints}\n")}},
			[]string{"c/templates/a.yaml:10:9 text/prometheus-role likely"},
		},
		{
			"a given value turns it off",
			map[string]string{"c/templates/a.yaml": scraper, "c/values.yaml": "scrape: {role: endpoints}\n"},
			[]chart.Values{{Name: "prod.yaml", Data: []byte("scrape: {role: endpointslice}\n")}},
			[]string{},
		},
		{
			"values for another chart do nothing",
			map[string]string{"c/templates/a.yaml": scraper, "c/values.yaml": "scrape: {role: pod}\n"},
			[]chart.Values{{Chart: "other", Name: "prod.yaml", Data: []byte("scrape: {role: endpoints}\n")}},
			[]string{},
		},
		{
			"absence by default",
			map[string]string{"c/templates/a.yaml": operated, "c/values.yaml": "slices: false\n"},
			nil,
			[]string{"c/templates/a.yaml:2:1 text/prometheus-operator likely"},
		},
		{
			"no absence with the value",
			map[string]string{"c/templates/a.yaml": operated, "c/values.yaml": "slices: true\n"},
			nil,
			[]string{},
		},
		{
			"a line that is there twice is found where it stands",
			map[string]string{"c/templates/a.yaml": "apiVersion: v1\nkind: Endpoints\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Endpoints\nmetadata: {name: b}\n"},
			nil,
			[]string{"c/templates/a.yaml:2:1 text/manifest likely", "c/templates/a.yaml:6:1 text/manifest likely"},
		},
		{
			"what was a guess about values is none any more",
			map[string]string{"c/templates/a.yaml": "apiVersion: v1\nkind: {{ .Values.kind | default \"Endpoints\" }}\nmetadata: {name: {{ .Release.Name }}}\nsubsets: [{{ .Values.none }}]\n---\napiVersion: {{ .Values.version }}\nkind: Endpoints\nmetadata: {name: b}\n", "c/values.yaml": "version: v1\n"},
			nil,
			[]string{"c/templates/a.yaml:2:1 text/manifest likely", "c/templates/a.yaml:7:1 text/manifest likely"},
		},
		{
			"a loop is one finding",
			map[string]string{
				"c/templates/a.yaml": "{{- range $n := .Values.names }}\n---\napiVersion: v1\nkind: {{ $.Values.kind }}\nmetadata:\n  name: {{ $n }}\nsubsets: []\n{{- end }}\n",
				"c/values.yaml":      "names: [a, b, c]\nkind: Endpoints\n",
			},
			nil,
			[]string{"c/templates/a.yaml:4:1 text/manifest likely"},
		},
		{
			"from a helper, at the helper",
			map[string]string{
				"c/templates/_h.tpl": "{{ define \"sd\" }}\nkubernetes_sd_configs:\n- role: {{ .Values.r }}\n{{ end }}\n",
				"c/templates/a.yaml": "scrape_configs:\n- job_name: a\n{{ include \"sd\" . | indent 2 }}\n",
				"c/values.yaml":      "r: endpoints\n",
			},
			nil,
			[]string{"c/templates/_h.tpl:3:3 text/prometheus-role likely"},
		},
		{
			"put together by the template: no line can be told",
			map[string]string{
				"c/templates/a.yaml": "{{ printf \"apiVersion: v1\\nki\" }}nd{{ printf \": %s%s\\nmetadata: {name: x}\\nsubsets: []\" \"Endp\" \"oints\" }}\n# ndpoint\n",
			},
			nil,
			[]string{"c/templates/a.yaml (rendered) text/manifest likely"},
		},
		{
			"the namespace of the release is nobody's",
			map[string]string{
				"c/templates/a.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, namespace: {{ .Release.Namespace }}}\nspec:\n  template:\n    spec:\n      serviceAccountName: a\n      containers:\n      - name: a\n        command: [{{ .Values.tool }}, get, {{ .Values.what }}, -n, {{ .Release.Namespace }}]\n",
				"c/values.yaml":      "tool: kubectl\nwhat: endpoints\n",
			},
			nil,
			[]string{"c/templates/a.yaml:10:19 text/kubectl likely"},
		},
		{
			"an output that is not the same as another's keeps to its file",
			map[string]string{
				"c/templates/a.yaml":               scraper,
				"c/values.yaml":                    "scrape: {role: endpoints}\nsub: {scrape: {role: pod}}\n",
				"c/charts/sub/Chart.yaml":          "apiVersion: v2\nname: sub\nversion: 1.0.0\n",
				"c/charts/sub/values.yaml":         "scrape: {role: endpoints}\n",
				"c/charts/sub/templates/conf.yaml": scraper,
			},
			nil,
			[]string{"c/templates/a.yaml:10:9 text/prometheus-role likely"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.files["c/Chart.yaml"] = webChart
			root := tree(t, test.files)
			findings, coverage := Scan(t.Context(), root, Options{Charts: chart.Options{Renderer: inProcess{}, Values: test.values}})
			if diff := cmp.Diff(test.want, places(findings)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			if len(coverage.Problems) > 0 {
				t.Errorf("problems %v", coverage.Problems)
			}
			for _, f := range findings {
				if f.Subject.Workload.Namespace == releaseNamespace || strings.Contains(fmt.Sprint(f.Namespaces), releaseNamespace) {
					t.Errorf("the made-up namespace is in a finding: %+v", f)
				}
			}
		})
	}
}

// A finding in a template and in its output is one finding; a note says what
// only other values bring.
func TestRenderedAndUnrenderedAreOneFinding(t *testing.T) {
	root := tree(t, map[string]string{
		"c/Chart.yaml":  webChart,
		"c/values.yaml": "old: false\n",
		"c/templates/a.yaml": `apiVersion: v1
kind: Endpoints
metadata: {name: a}
---
{{- if .Values.old }}
apiVersion: "v1"
kind: "Endpoints"
metadata: {name: b}
{{- end }}
`,
	})
	findings, _ := Scan(t.Context(), root, Options{Charts: chart.Options{Renderer: inProcess{}}})
	want := []string{"c/templates/a.yaml:2:1 text/manifest likely", "c/templates/a.yaml:7:1 text/manifest likely"}
	if diff := cmp.Diff(want, places(findings)); diff != "" {
		t.Fatalf("findings (-want +got):\n%s", diff)
	}
	for i, want := range []string{"", "c/templates/a.yaml:7 is not in chart web rendered with its own values: other values bring it."} {
		if got := strings.Join(findings[i].Notes, " "); got != want {
			t.Errorf("finding %d says %q, want %q", i, got, want)
		}
	}
}

func TestAChartThatDoesNotRenderIsAProblemAndIsReadAsItIs(t *testing.T) {
	root := tree(t, map[string]string{
		"c/Chart.yaml":         webChart,
		"c/templates/a.yaml":   "apiVersion: v1\nkind: Endpoints\nmetadata: {name: a}\n",
		"c/templates/_bad.tpl": "{{ if }}\n",
		"d/Chart.yaml":         "name: [\n# ndpoint\n",
		"e/Chart.yaml":         webChart,
		"e/templates/a.yaml":   "kind: ConfigMap\n",
	})
	findings, coverage := Scan(t.Context(), root, Options{Charts: chart.Options{Renderer: inProcess{}}})
	if diff := cmp.Diff([]string{"c/templates/a.yaml:2:1 text/manifest likely"}, places(findings)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	about := map[string]bool{}
	for _, p := range coverage.Problems {
		if strings.Contains(p.Message, "chart not rendered") {
			about[p.Locator] = true
		}
	}
	// e has no word at all and is not even tried.
	if len(about) != 2 || !about["c/Chart.yaml"] || !about["d/Chart.yaml"] {
		t.Errorf("problems %v", coverage.Problems)
	}
	_, coverage = Scan(t.Context(), root, Options{})
	if notes := strings.Join(coverage.Notes, "\n"); !strings.Contains(notes, "not rendered: 2 Helm charts") {
		t.Errorf("without a renderer the notes are %s", notes)
	}
}
