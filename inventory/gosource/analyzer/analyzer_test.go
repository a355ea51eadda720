package analyzer_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/slicewright/slicewright/inventory/gosource/analyzer"
)

// TestCorpus runs every labelled fixture: what has no want must not be flagged.
func TestCorpus(t *testing.T) {
	for _, name := range []string{
		"typed", "informer", "dynamic", "rest", "objects", "runnable", "url", "foreignurl", "lock", "rbac",
		"wrapper/kube", "wrapper/app", "wrapper/main", "state", "ownlock", "walker", "dual",
		"acknowledged", "generated", "clean",
	} {
		t.Run(name, func(t *testing.T) {
			analysistest.Run(t, analysistest.TestData(), analyzer.Analyzer, "corpus/"+name)
		})
	}
}
