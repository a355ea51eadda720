package house

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/internal/house"
)

// publicPackages of the programs' module, with the importer outside of it. See
// docs/adr/0173-three-modules.md.
var publicPackages = map[string]string{
	"experiment/controllers": "the lab's stop experiment",
	"experiment/report":      "the lab, and programs that write the report of a stop experiment",
	"find":                   "programs of teams that read their registry.yaml: dashboards, checks in CI",
	"find/analyzer":          "drivers of go/analysis with analyzers of their own, such as a multichecker",
	"find/golangci":          "a golangci-lint binary with the analyzer as a module plugin",
	"observe":                "the lab's conformance runs and scenarios",
}

func TestPublicPackagesHaveAnImporter(t *testing.T) {
	var public []string
	for _, p := range house.List(t, app.Dir, "./...") {
		name := strings.TrimPrefix(p.ImportPath, app.Path+"/")
		if isProgram := strings.HasPrefix(name, "cmd/") || strings.HasPrefix(name, "examples/"); !isProgram && !slices.Contains(strings.Split(name, "/"), "internal") {
			public = append(public, name)
		}
	}
	slices.Sort(public)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(publicPackages)), public); diff != "" {
		t.Errorf("public packages (-with an importer here +in the module): a package without a known importer belongs under internal\n%s", diff)
	}
}
