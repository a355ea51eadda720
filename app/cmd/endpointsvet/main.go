// Command endpointsvet reports code that reads or writes core/v1 Endpoints. It
// is run by the go command: go vet -vettool=$(which endpointsvet) ./...
package main

import (
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/slicewright/slicewright/app/internal/find/gosource/analyzer"
)

func main() { unitchecker.Main(analyzer.Analyzer) }
