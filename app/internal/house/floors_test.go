package house

import (
	"testing"

	"github.com/slicewright/slicewright/internal/house"
)

var app = house.Module{
	Path: "github.com/slicewright/slicewright/app",
	Dir:  "../..",
	Floors: [][]string{
		{"cmd/slicewright", "cmd/endpointsvet"},
		{"internal/cli"},
		{"internal/web"},
		{"internal/config"},
		{"internal/backendreport"},
		{"internal/readiness"},
		{"experiment"},
		{"examples/echo", "observe"},
		{"internal/verify"},
		{"internal/shadow"},
		{"internal/timeline"},
		{"find/golangci"},
		{"internal/find/report"},
		{"internal/find/registry"},
		{"internal/find/obstacles"},
		{"internal/find/writers"},
		{"internal/find/rbac"},
		{"internal/find/workloads"},
		{"internal/find/objects", "internal/find/textsource", "internal/find/gosource", "internal/find/audit", "internal/find/apimetrics", "internal/find/auditpolicy", "internal/find/auditquery"},
		{"internal/find/textsource/program", "internal/find/textsource/manifests"},
		{"internal/find/textsource/shell"},
		{"internal/find/textsource/template", "internal/find/textsource/yamltree", "internal/find/textsource/prometheus", "internal/find/textsource/settings"},
		{"internal/find/textsource/detect"},
		{"internal/find/textsource/lex", "internal/find/textsource/kubectl"},
		{"internal/find/textsource/table"},
		{"internal/find/chart", "internal/find/codeowners"},
		{"internal/find/evidence", "internal/find/wordsearch"},
	},
	Ground: []string{"internal/house", "internal/find/internal/apitest"},
	Outside: map[string]string{
		"endpointset":        "sets and changes",
		"watch":              "slices of a cluster",
		"publish":            "the loop",
		"driver":             "load balancers",
		"producer":           "writing slices",
		"internal/manifest":  "splits documents of objects",
		"internal/printable": "makes untrusted text fit for a terminal",
	},
}

func TestTheProgramsImportsGoDown(t *testing.T) { app.ImportsGoDown(t) }

func TestPurePackages(t *testing.T) {
	app.Pure(t, map[string][]string{
		"internal/timeline": nil,
		"internal/verify":   {"context"}, // its interfaces belong to code that waits
		"experiment/report": nil,
	})
}

func TestTheProgramsStayLight(t *testing.T) {
	app.Budgets(t, []house.Budget{
		{Package: "cmd/slicewright", Most: 850},
	})
}
