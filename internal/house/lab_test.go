package house

import (
	"slices"
	"strings"
	"testing"
)

// labFloors lists the lab's house in the same way; "." is package lab itself.
var labFloors = [][]string{
	{"cmd", "bench", "scenarios"},
	{"scenario", "conformance", "supervisor"},
	{"demo", "experiment", "endpointsreader"},
	{".", "fleet", "probe"},
	{"controlplane", "kubelet", "haproxy"},
	{"address", "auditlog", "gobuild", "manifest", "process", "product", "sandbox"},
	{"consumers"},
}

// ofTheProduct is what the lab may import of the product, with the reason. The
// rest of it is judged from outside, as a program: whoever judges with the code
// that is judged finds nothing.
var ofTheProduct = map[string]string{
	"internal/slicetest":   "objects for a benchmark",
	"readiness/report":     "the form of the experiment's report",
	"readiness/experiment": "the words of the plan that the experiment carries out",
	"verify":               "what a consumer's view is",
	"verify/observe":       "reads what other people's consumers have",
	"verify/probe":         "asks what other people's consumers answer",
}

func TestTheLabsImportsGoDown(t *testing.T) {
	const lab = module + "/lab"
	name := func(path string) string {
		if path == lab {
			return "."
		}
		return strings.TrimPrefix(path, lab+"/")
	}
	taken := map[string]bool{}
	rooms := map[string]bool{}
	for _, p := range packages(t, "../../lab") {
		floor, room := floorOf(labFloors, name(p.ImportPath))
		if floor < 0 {
			t.Errorf("%s is on no floor of the lab: give it one here and in docs/architecture.md", p.ImportPath)
			continue
		}
		rooms[room] = true
		for _, imported := range p.Imports {
			if imported != lab && !strings.HasPrefix(imported, lab+"/") {
				path, ours := strings.CutPrefix(imported, module+"/")
				if taken[path] = ours; ours && ofTheProduct[path] == "" {
					t.Errorf("%s imports %s of the product, which the lab judges", p.ImportPath, path)
				}
				continue
			}
			if below, other := floorOf(labFloors, name(imported)); room != other && below <= floor {
				t.Errorf("%s imports %s, which is not below it", p.ImportPath, imported)
			}
		}
	}
	for _, room := range slices.Concat(labFloors...) {
		if !rooms[room] {
			t.Errorf("there is no %s in the lab", room)
		}
	}
	for path := range ofTheProduct {
		if !taken[path] {
			t.Errorf("nothing in the lab imports %s: take it off the list", path)
		}
	}
}
