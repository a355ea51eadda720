package experiment

import (
	"testing"

	"github.com/slicewright/slicewright/app/internal/cli/clitest"
	"github.com/slicewright/slicewright/app/internal/cli/command"
)

var program = command.Program{Name: "slicewright", Commands: []command.New{New}}

func run(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return clitest.Run(t, &program, stdin, args...)
}
