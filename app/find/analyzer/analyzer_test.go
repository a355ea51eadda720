package analyzer_test

import (
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/slicewright/slicewright/app/find/analyzer"
)

func TestTheAnalyzerIsValid(t *testing.T) {
	if analyzer.Analyzer.Name != "endpointsvet" {
		t.Errorf("it is called %q", analyzer.Analyzer.Name)
	}
	if err := analysis.Validate([]*analysis.Analyzer{analyzer.Analyzer}); err != nil {
		t.Error(err)
	}
}
