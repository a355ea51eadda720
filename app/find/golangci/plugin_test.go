package golangci_test

import (
	"testing"

	"github.com/golangci/plugin-module-register/register"

	_ "github.com/slicewright/slicewright/app/find/golangci"
	"github.com/slicewright/slicewright/app/internal/find/gosource/analyzer"
)

func TestTheLinterIsRegisteredUnderItsName(t *testing.T) {
	newPlugin, err := register.GetPlugin("endpointsvet")
	if err != nil {
		t.Fatal(err)
	}
	plugin, err := newPlugin(nil)
	if err != nil {
		t.Fatal(err)
	}
	analyzers, err := plugin.BuildAnalyzers()
	if err != nil {
		t.Fatal(err)
	}
	if len(analyzers) != 1 || analyzers[0] != analyzer.Analyzer {
		t.Errorf("analyzers %v", analyzers)
	}
	if plugin.GetLoadMode() != register.LoadModeTypesInfo {
		t.Errorf("load mode %q", plugin.GetLoadMode())
	}
}
