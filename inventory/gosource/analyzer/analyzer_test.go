package analyzer_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/slicewright/slicewright/inventory/gosource/analyzer"
)

// TestCorpus runs every labelled fixture with the facts of the packages below
// it: what has no want must not be flagged.
func TestCorpus(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), analyzer.Analyzer, "corpus/...")
}
