package backends

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/slicewright/slicewright/app/internal/backendreport"
	"github.com/slicewright/slicewright/app/internal/cli/clitest"
	"github.com/slicewright/slicewright/app/internal/cli/command"
)

// The Vector example has all that its README promises.
func TestTheVectorExample(t *testing.T) {
	out, errs, code := run(t, "", "backends", "-f", clitest.ProjectFolder+"examples/vector", "-o", "json")
	if code != command.ExitHolds {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	var report backendreport.Report
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatal(err)
	}
	if len(report.Services) != 1 {
		t.Fatalf("%d Services", len(report.Services))
	}
	s := report.Services[0]
	if len(s.Active) != 238 || len(s.Draining) != 1 || len(s.Excluded) != 1 || len(s.Diagnostics) != 1 || s.Diagnostics[0].Code != "duplicate" {
		t.Errorf("%d active, %d draining, %d excluded, diagnostics %v", len(s.Active), len(s.Draining), len(s.Excluded), s.Diagnostics)
	}
	if out, _, _ := run(t, "", "backends", "-f", clitest.ProjectFolder+"examples/vector/reports-4kq7z.yaml", "-o", "hostport"); strings.Count(out, "\n") != 99 {
		t.Errorf("one slice alone gives %d", strings.Count(out, "\n"))
	}
}

// What the README prints is what the command prints.
func TestTheREADMEShowsTheOutput(t *testing.T) {
	readme, err := os.ReadFile(clitest.ProjectFolder + "README.md")
	if err != nil {
		t.Fatal(err)
	}
	out, _, _ := run(t, "", "backends", "-f", clitest.ProjectFolder+"examples/vector")
	at := strings.Index(string(readme), "\nvector-lab/reports: ")
	if at < 0 {
		t.Fatal("the README shows no output")
	}
	shown, _, _ := strings.Cut(string(readme)[at+1:], "\n```")
	for line := range strings.SplitSeq(shown, "\n") {
		if line != "…" && !strings.Contains(out, line+"\n") {
			t.Errorf("the README shows a line that the command does not print: %s", line)
		}
	}
}
