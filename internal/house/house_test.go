package house

import "testing"

var library = Module{
	Path: project,
	Dir:  "../..",
	Floors: [][]string{
		{"examples"},
		{"producer"},
		{"driver/haproxy", "driver/template"},
		{"publish"},
		{"watch/access", "watch/metrics"},
		{"watch"},
		{"endpointset"},
	},
	Ground: []string{"internal"},
}

func TestTheLibrarysImportsGoDown(t *testing.T) { library.ImportsGoDown(t) }

func TestTheHeartIsPure(t *testing.T) {
	library.Pure(t, map[string][]string{"endpointset": nil})
}

func TestTheLibraryStaysLight(t *testing.T) {
	library.Budgets(t, []Budget{
		{"endpointset", 65},
		{"producer", 80},
		{"publish", 80},
		{"driver/haproxy", 80},
		{"driver/template", 80},
		{"watch", 125},
	})
}
