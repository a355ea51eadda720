// Package golangci registers endpointsvet as a module plugin of golangci-lint:
// name the module in .custom-gcl.yml, import this package, and enable the
// linter endpointsvet with type: module.
package golangci

import (
	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/slicewright/slicewright/app/internal/find/gosource/analyzer"
)

func init() { register.Plugin(analyzer.Name, New) }

// New makes the plugin. It has no settings.
func New(any) (register.LinterPlugin, error) { return plugin{}, nil }

type plugin struct{}

// BuildAnalyzers gives golangci-lint the one analyzer.
func (plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return []*analysis.Analyzer{analyzer.Analyzer}, nil
}

// GetLoadMode asks for types: without them there would be next to nothing.
func (plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
