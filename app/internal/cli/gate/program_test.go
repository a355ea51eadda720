package gate

import (
	"testing"

	"github.com/slicewright/slicewright/app/internal/cli/clitest"
	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/cli/shadow"
)

var program = command.Program{Name: "slicewright", Commands: []command.New{New, shadow.New}}

func run(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return clitest.Run(t, &program, stdin, args...)
}
