package cli

import (
	"strings"
	"testing"
)

func TestVersionAndUnknownCommand(t *testing.T) {
	out, _, code := run(t, "", "version", "-o", "json")
	if code != ExitHolds || !strings.Contains(out, `"kind": "Version"`) {
		t.Errorf("exit code %d: %s", code, out)
	}
	if _, errs, code := run(t, "", "frobnicate"); code != ExitUsage || !strings.Contains(errs, `unknown command "frobnicate"`) {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if out, _, code := run(t, "", "completion", "bash"); code != ExitHolds || !strings.Contains(out, "slicewright") {
		t.Errorf("completion: exit code %d", code)
	}
}
