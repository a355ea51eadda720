package house

import (
	"testing"

	"github.com/slicewright/slicewright/internal/house"
)

var app = house.Module{
	Path: "github.com/slicewright/slicewright/app",
	Dir:  "../..",
	Floors: [][]string{
		{"cmd/slicewright", "cmd/slicewright-agent", "cmd/endpointsvet"},
		{"internal/cli"},
		{
			"internal/cli/backends", "internal/cli/run", "internal/cli/find", "internal/cli/shadow", "internal/cli/gate", "internal/cli/record",
			"internal/cli/timeline", "internal/cli/verify", "internal/cli/convert", "internal/cli/experiment", "internal/cli/version",
		},
		{"internal/cli/clitest"},
		{"internal/cli/choice", "internal/cli/recording"},
		{"internal/cli/command"},
		{"internal/web"},
		{"internal/config"},
		{"internal/backendreport"},
		{"internal/readiness"},
		{"experiment"},
		{"examples/echo", "observe"},
		{"internal/verify"},
		{"internal/shadow"},
		{"internal/timeline"},
		{"internal/apiclient", "internal/election"},
		{"find", "find/golangci", "find/analyzer"},
		// find: what it says, its edge, the pure pipeline, what it reads.
		{"internal/find/report"},
		{"internal/find/search"},
		{"internal/find/pipeline"},
		{"internal/find/registry"},
		{"internal/find/obstacles"},
		{"internal/find/writers"},
		{"internal/find/rbac"},
		{"internal/find/workloads"},
		{"internal/find/cluster", "internal/find/manifests", "internal/find/gosource", "internal/find/textsource", "internal/find/audit", "internal/find/auditpolicy", "internal/find/auditquery"},
		{"internal/find/textsource/program", "internal/find/textsource/manifests"},
		{"internal/find/textsource/shell"},
		{"internal/find/textsource/template", "internal/find/textsource/yamltree", "internal/find/textsource/prometheus", "internal/find/textsource/settings"},
		{"internal/find/textsource/detect"},
		{"internal/find/textsource/lex", "internal/find/textsource/kubectl"},
		{"internal/find/textsource/table"},
		{"internal/find/objects", "internal/find/apimetrics", "internal/find/chart", "internal/find/codeowners"},
		{"internal/find/evidence", "internal/find/wordsearch"},
	},
	Ground: []string{"internal/house", "internal/api", "internal/document", "internal/output", "internal/yamlnode", "internal/find/internal/apitest"},
	Outside: map[string]string{
		"endpointset":         "sets and changes",
		"watch":               "slices of a cluster",
		"publish":             "the loop",
		"driver":              "load balancers",
		"producer":            "writing slices",
		"internal/atomicfile": "replaces files",
		"internal/pause":      "waits with a context",
		"internal/manifest":   "splits documents of objects",
		"internal/text":       "makes untrusted text fit for a terminal",
	},
}

func TestTheProgramsImportsGoDown(t *testing.T) { app.ImportsGoDown(t) }

func TestPurePackages(t *testing.T) {
	app.Pure(t, map[string][]string{
		"internal/find/apimetrics": nil,
		"internal/find/evidence":   nil,
		"internal/find/objects":    nil,
		"internal/find/obstacles":  nil,
		"internal/find/pipeline":   {"io"}, // the end of a document
		"internal/find/rbac":       nil,
		"internal/find/registry":   {"io"}, // the end of a document
		"internal/find/workloads":  nil,
		"internal/find/writers":    nil,
		"internal/shadow":          {"io"}, // the end of a document
		"internal/timeline":        nil,
		"internal/verify":          {"context"}, // its interfaces belong to code that waits
		"experiment/report":        {"io"},      // the end of a document
	})
}

func TestTheProgramsStayLight(t *testing.T) {
	app.Budgets(t, []house.Budget{
		{Package: "cmd/slicewright", Most: 521},
		{Package: "cmd/slicewright-agent", Most: 303},
		{Package: "find", Most: 4},
		{Package: "find/analyzer", Most: 8},
	})
}
