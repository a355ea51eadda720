package cli

import (
	"strings"
	"testing"

	"github.com/slicewright/slicewright/app/internal/cli/command"
)

func TestVersionAndUnknownCommand(t *testing.T) {
	out, _, code := runProgram(t, "", "version", "-o", "json")
	if code != command.ExitHolds || !strings.Contains(out, `"kind": "Version"`) {
		t.Errorf("exit code %d: %s", code, out)
	}
	if _, errs, code := runProgram(t, "", "frobnicate"); code != command.ExitUsage || !strings.Contains(errs, `unknown command "frobnicate"`) {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if out, _, code := runProgram(t, "", "completion", "bash"); code != command.ExitHolds || !strings.Contains(out, "slicewright") {
		t.Errorf("completion: exit code %d", code)
	}
}
