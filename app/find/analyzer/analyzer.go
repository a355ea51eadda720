// Package analyzer is endpointsvet for programs that run analyzers: it reports Go
// code that reads or writes core/v1 Endpoints.
//
//	singlechecker.Main(analyzer.Analyzer)
//
// docs/find-go.md describes what it finds. golangci-lint takes package
// find/golangci instead.
package analyzer

import (
	"golang.org/x/tools/go/analysis"

	"github.com/slicewright/slicewright/app/internal/find/gosource/analyzer"
)

// Analyzer is endpointsvet. It needs types, and takes no flags. Its facts carry what
// a function does with Endpoints to the packages that call it.
var Analyzer *analysis.Analyzer = analyzer.Analyzer
