package house

import (
	"testing"

	"github.com/slicewright/slicewright/internal/house"
)

// Most of the product is judged from outside, as a program: a judge that uses the
// code which it judges finds nothing. What the lab does import has a reason here.
var lab = house.Module{
	Path: "github.com/slicewright/slicewright/lab",
	Dir:  "..",
	Floors: [][]string{
		{"cmd", "bench", "scenarios"},
		{"scenario", "conformance", "supervisor"},
		{"demo", "experiment", "endpointsreader"},
		{".", "fleet", "probe"},
		{"controlplane", "kubelet", "haproxy"},
		{"address", "auditlog", "gobuild", "manifest", "process", "product", "sandbox"},
		{"consumers"},
	},
	Ground: []string{"house"},
	Outside: map[string]string{
		"internal/atomicfile":        "replaces files",
		"internal/pause":             "waits with a context",
		"internal/slicetest":         "objects for a benchmark",
		"app/experiment/report":      "the form of the experiment's report",
		"app/experiment/controllers": "the grammar of --controllers, for the experiment",
		"app/observe":                "reads what other people's consumers have and answer",
	},
}

func TestTheLabsImportsGoDown(t *testing.T) { lab.ImportsGoDown(t) }
