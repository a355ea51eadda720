package cli

import (
	"testing"

	"github.com/slicewright/slicewright/app/internal/cli/clitest"
)

func runProgram(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return clitest.Run(t, &slicewright, stdin, args...)
}
