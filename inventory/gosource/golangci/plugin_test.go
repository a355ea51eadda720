package golangci_test

import (
	"testing"

	"github.com/golangci/plugin-module-register/register"

	"github.com/slicewright/slicewright/inventory/gosource/analyzer"
	_ "github.com/slicewright/slicewright/inventory/gosource/golangci"
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
