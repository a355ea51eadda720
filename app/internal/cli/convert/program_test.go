package convert

import "github.com/slicewright/slicewright/app/internal/cli/command"

var program = command.Program{Name: "slicewright", Commands: []command.New{New}}
