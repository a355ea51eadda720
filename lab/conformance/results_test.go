package conformance

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

const checkout = "../.."

func loadResults(t *testing.T) *Results {
	t.Helper()
	r, err := LoadResults(filepath.Join(checkout, resultsFile))
	if err != nil {
		t.Fatalf("%v; run 'make conformance'", err)
	}
	return r
}

// The documents are those that the results give, to the byte, and
// there are no others.
func TestDocumentsAreMadeOfTheResults(t *testing.T) {
	files, err := loadResults(t).Files()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range files {
		got, err := os.ReadFile(filepath.Join(checkout, path))
		if err != nil || string(got) != want {
			t.Errorf("%s is not what the results give (%v): run 'slicewright-lab conformance --render'", path, err)
		}
	}
	there, err := made(checkout)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range there {
		relative, err := filepath.Rel(checkout, path)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := files[relative]; !ok {
			t.Errorf("%s is of no result", relative)
		}
	}
}

func TestResultsAreOfAWholeRun(t *testing.T) {
	r := loadResults(t)
	consumers, err := LoadConsumers("consumers")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range consumers {
		i := indexOf(r.Consumers, c.Name)
		if i < 0 {
			t.Errorf("the results do not have consumer %s: run 'make conformance'", c.Name)
			continue
		}
		if len(r.Consumers[i].Versions) == 0 {
			t.Errorf("no version of %s", c.Name)
		}
		for _, s := range Scenarios() {
			cell, ok := r.Cell(s.Name, c.Name)
			if !ok {
				t.Errorf("no cell of %s in %s: run 'make conformance'", c.Name, s.Name)
			} else if cell.Verdict == Breaks && cell.Plays < 3 {
				t.Errorf("%s breaks in %s and was played %d times", c.Name, s.Name, cell.Plays)
			}
		}
	}
	if r.Began.IsZero() || r.Began.After(time.Now()) || r.Kubernetes == "" {
		t.Errorf("run on %s with Kubernetes %q", r.Began, r.Kubernetes)
	}
}

// What the results call a known difference is what the consumers' files call one
// now.
func TestResultsAreJudgedByTheFilesAsTheyAre(t *testing.T) {
	r, again := loadResults(t), loadResults(t)
	consumers, err := LoadConsumers("consumers")
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Rejudge(consumers); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(r, again) {
		t.Error("a consumer's file has changed: run 'slicewright-lab conformance --render'")
	}
}

// The control fails the right cells and only those, and of every other consumer
// exactly those break that somebody has looked at.
func TestKnownCellsBreakAndNoOthers(t *testing.T) {
	differences, err := loadResults(t).CompareBreaks("testdata/breaks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range differences {
		t.Error(d)
	}
}

func TestKubeProxyDoesWhatItsRulesSay(t *testing.T) {
	compared, differences := loadResults(t).CompareViews("kube-proxy")
	for _, d := range differences {
		t.Error(d)
	}
	if compared < len(Scenarios()) {
		t.Errorf("only %d times compared", compared)
	}
}

func TestTextOfProgramsIsHarmlessInADocument(t *testing.T) {
	got := plain("a|b`c`\x1b[31m<script>\n[x](y)")
	for _, bad := range []string{"\x1b", "\n", " [x]("} {
		if strings.Contains(got, bad) {
			t.Errorf("%q is left in %q", bad, got)
		}
	}
	for _, r := range "|`<>[]" {
		for i, c := range got {
			if c == r && got[i-1] != '\\' {
				t.Errorf("%q is not escaped in %q", r, got)
			}
		}
	}
}

func TestAnUnknownDifferenceIsSeen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "breaks.yaml")
	if err := os.WriteFile(path, []byte("mine: [ghost, unready, nonsense]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := &Results{Cells: []Cell{
		{Consumer: "mine", Scenario: "ghost", Verdict: Breaks},
		{Consumer: "mine", Scenario: "unready", Verdict: Expected},
		{Consumer: "mine", Scenario: "pods", Verdict: Breaks},
		{Consumer: "other", Scenario: "pods", Verdict: NotRun},
		{Consumer: "other", Scenario: "ghost", Verdict: KnownDifference},
	}}
	got, err := r.CompareBreaks(path)
	if err != nil || len(got) != 4 || !slices.IsSorted(got) {
		t.Errorf("%v: %q", err, got)
	}
	r.Cells = []Cell{{Consumer: "mine", Scenario: "ghost", Observations: []Observation{{Seen: "1", View: "1-2"}, {Seen: "1", View: "1"}, {View: "1"}}}}
	if compared, differences := r.CompareViews("mine"); compared != 2 || len(differences) != 1 {
		t.Errorf("compared %d: %q", compared, differences)
	}
}

func TestADifferenceThatBecomesKnownIsNoBreak(t *testing.T) {
	c := &Consumer{Name: "mine", Title: "mine", Promises: Promises{Policy: PolicyReady}, Differences: []Difference{{Scenario: "ghost", Rule: "S6", Why: "meant"}}}
	bad := []Observation{{Step: 2, Want: "1", Seen: "2", Rule: "S12"}}
	r := &Results{
		Consumers: []ConsumerResult{{Name: "mine", Policy: PolicyReady}},
		Cells: []Cell{
			{Consumer: "mine", Scenario: "ghost", Verdict: Breaks, Rule: "S12", Step: 2, Plays: 3, Broken: 3, RestartHeals: "no", Observations: bad},
			{Consumer: "mine", Scenario: "pods", Verdict: NotRun, Note: "it did not start", Plays: 1},
			{Consumer: "other", Scenario: "ghost", Verdict: Breaks, Plays: 3, Broken: 3, Observations: bad},
		},
	}
	if err := r.Rejudge([]*Consumer{c}); err != nil {
		t.Fatal(err)
	}
	if got := r.Cells[0]; got.Verdict != KnownDifference || got.Rule != "S6" || got.Note != "meant" || got.Broken != 3 || got.Plays != 3 {
		t.Errorf("got %+v", got)
	}
	if r.Cells[1].Verdict != NotRun || r.Cells[2].Verdict != Breaks {
		t.Errorf("others changed: %+v", r.Cells[1:])
	}
	c.Promises.Policy = PolicyPublished
	if err := r.Rejudge([]*Consumer{c}); err == nil {
		t.Error("it promises something else now, and the old observations were judged by it")
	}
}

func TestVersionIsTheProgramsOwn(t *testing.T) {
	for output, want := range map[string]string{
		"HAProxy version 2.6.12-1+deb12u4 2025/12/25 - https://haproxy.org/\n": "2.6.12-1+deb12u4",
		"nginx version: nginx/1.22.1\n":                                        "1.22.1",
		"CoreDNS-1.15.0\nlinux/amd64, go1.26.8, \n":                            "1.15.0",
		"slicewright devel (go1.26.8)\n":                                       "slicewright devel (go1.26.8)",
		"kuberesolver v6.0.1 (gRPC v1.80.0)\n":                                 "v6.0.1",
		"\x1b[31mred\n":                                                        "[31mred",
	} {
		if got := versionIn(output); got != want {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
}
