package manifests

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/app/internal/find/chart"
	"github.com/slicewright/slicewright/app/internal/find/chart/engine"
)

// inProcess renders the charts of these tests, which are harmless.
type inProcess struct{}

func (inProcess) Render(_ context.Context, r chart.Request) (chart.Response, error) {
	return engine.Render(r), nil
}

const (
	chartMetadata = "apiVersion: v2\nname: sync\nversion: 1.0.0\n"
	chartRole     = `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: {{ .Release.Name }}
  namespace: {{ .Release.Namespace }}
rules:
{{- if .Values.legacy }}
- apiGroups: [""]
  resources: [endpoints]
  verbs: [get]
{{- end }}
- apiGroups: [discovery.k8s.io]
  resources: [endpointslices]
  verbs: [list]
`
)

func TestChartsAreReadAsTheyRender(t *testing.T) {
	files := []string{
		"deploy/sync/Chart.yaml", chartMetadata,
		"deploy/sync/values.yaml", "legacy: false\n",
		"deploy/sync/templates/role.yaml", chartRole,
		"deploy/sync/extra/sa.yaml", "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a}\n",
	}
	opts := Options{Namespace: "prod", Charts: chart.Options{Renderer: inProcess{}}}
	snapshot, coverage := read(t, opts, files...)
	want := []string{
		"Role/prod/sync deploy/sync/templates/role.yaml:2:1 rules deploy/sync/templates/role.yaml:13:3",
		"ServiceAccount/prod/a deploy/sync/extra/sa.yaml:2:1",
	}
	if diff := cmp.Diff(want, contents(snapshot)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(coverage.Problems) > 0 || !strings.Contains(strings.Join(coverage.Notes, " "), "1 Helm charts were rendered") {
		t.Errorf("coverage %+v", coverage)
	}

	opts.Charts.Values = []chart.Values{{Data: []byte("legacy: true\n")}}
	snapshot, _ = read(t, opts, files...)
	if got := snapshot.Roles[0].Locators.Rules; len(got) != 2 || got[0] != "deploy/sync/templates/role.yaml:9:3" {
		t.Errorf("rules at %v, want that of the value first", got)
	}
}

func TestAChartThatDoesNotRenderIsAProblem(t *testing.T) {
	_, coverage := read(t, Options{Charts: chart.Options{Renderer: inProcess{}}},
		"c/Chart.yaml", chartMetadata, "c/templates/_h.tpl", `{{ if }}`, "c/templates/b.yaml", chartRole)
	if len(coverage.Problems) < 2 || coverage.Problems[0].Locator != "c/Chart.yaml" || !strings.Contains(coverage.Problems[0].Message, "chart not rendered") {
		t.Errorf("problems %+v, want the chart and its templates", coverage.Problems)
	}
}
