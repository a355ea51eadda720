package conformance

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// callsOf runs a script with a kubectl that only notes how it was called, and
// returns the calls.
func callsOf(t *testing.T, script string) []string {
	t.Helper()
	dir := t.TempDir()
	kubectl := "#!/bin/sh\nprintf '%s\\n' \"$*\" >> " + filepath.Join(dir, "calls") + "\ncat > /dev/null\n"
	for name, content := range map[string]string{"kubectl": kubectl, "sleep": "#!/bin/sh\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v: %s", filepath.Base(script), err, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "here")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s ran text of a program", filepath.Base(script))
	}
	calls, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil {
		t.Errorf("%s called no kubectl: %v", filepath.Base(script), err)
	}
	return strings.Split(strings.TrimSpace(string(calls)), "\n")
}

// Scripts are shell, whatever consumers print.
func TestReproductionsAreShell(t *testing.T) {
	r := &Results{
		Consumers: []ConsumerResult{{Name: "mine", Title: "it's `mine`\n$(touch here)", Versions: []string{"v1\nrm -rf x"}}},
		Scenarios: []string{"duplicate", "label-moved"},
		Cells: []Cell{
			{
				Scenario: "duplicate", Consumer: "mine", Verdict: Breaks, Rule: "S7", Step: 2, RestartHeals: "no", Plays: 3, Broken: 3,
				Observations: []Observation{{Step: 2, Service: "web", Want: "1-3", Unknown: "a\nb; exit 1"}},
			},
			{Scenario: "label-moved", Consumer: "mine", Verdict: Breaks, Rule: "S1", Step: 2, RestartHeals: "yes", Plays: 3, Broken: 3},
		},
	}
	dir := t.TempDir()
	if n, err := r.WriteReproductions(dir); err != nil || n != 2 {
		t.Fatalf("%d scripts, %v", n, err)
	}
	for name, want := range map[string]int{
		"mine--duplicate.sh":   1 + 1 + 1, // namespace, Service, the state
		"mine--label-moved.sh": 1 + 2 + 2, // namespace, two Services, two steps
	} {
		if calls := callsOf(t, filepath.Join(dir, name)); len(calls) != want {
			t.Errorf("%s called kubectl %d times, not %d: %q", name, len(calls), want, calls)
		}
	}
}

// Every cell that breaks in the results that are kept has a script, and each
// script runs.
func TestReproductionsOfTheResultsRun(t *testing.T) {
	r := loadResults(t)
	dir := filepath.Join(t.TempDir(), "new")
	n, err := r.WriteReproductions(dir)
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range r.Cells {
		if c.Verdict != Breaks || r.Consumers[indexOf(r.Consumers, c.Consumer)].Control {
			continue
		}
		calls := callsOf(t, filepath.Join(dir, reproductionName(c)))
		if len(calls) < 2 || !strings.HasPrefix(calls[0], "create namespace ") {
			t.Errorf("%s makes no namespace with a Service: %q", reproductionName(c), calls)
		}
		ran++
	}
	if ran == 0 || ran != n {
		t.Errorf("%d scripts were written and %d run", n, ran)
	}
}
