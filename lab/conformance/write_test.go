package conformance

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWriteTakesAwayWhatIsOfEarlierResults(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"docs/conformance/gone.md", "docs/other.md", resultsFile} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := &Results{
		APIVersion: APIVersion, Kind: KindResults, Scenarios: []string{"ghost"},
		Consumers: []ConsumerResult{{Name: "mine", Title: "mine", Policy: PolicyReady}},
		Cells:     []Cell{{Scenario: "ghost", Consumer: "mine", Verdict: Breaks, Rule: "S6", Step: 2, Plays: 1, Broken: 1}},
	}
	if err := r.WriteAll(dir); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"docs/conformance/gone.md": false, "docs/other.md": true, "docs/conformance.md": true, "docs/conformance/ghost.md": true,
	} {
		if _, err := os.Stat(filepath.Join(dir, path)); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
	back, err := LoadResults(filepath.Join(dir, resultsFile))
	if err != nil {
		t.Fatal(err)
	}
	if cell, ok := back.Cell("ghost", "mine"); !ok || cell.Verdict != Breaks || cell.Rule != "S6" {
		t.Errorf("came back as %+v", cell)
	}
}
