package textsource

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// wantMark is what a fixture says about one of its lines.
var wantMark = regexp.MustCompile(`want: (catch|low|none)`)

// fixtureLabels reads the labels, catch, low or none, by path:line: comments on the line, and labels.yaml for
// formats without comments.
func fixtureLabels(t *testing.T, root string) map[string]string {
	t.Helper()
	labels := map[string]string{}
	err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		for i, line := range strings.Split(string(data), "\n") {
			if m := wantMark.FindStringSubmatch(line); m != nil {
				labels[fmt.Sprintf("%s:%d", filepath.ToSlash(rel), i+1)] = m[1]
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join("testdata", "labels.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var more map[string]string
	if err := yaml.Unmarshal(data, &more); err != nil {
		t.Fatal(err)
	}
	for k, v := range more {
		labels[k] = v
	}
	return labels
}

// score counts what was found against what is labelled.
type score struct{ hits, missed, wrong, clean int }

func (s score) precision() float64 { return ratio(s.hits, s.hits+s.wrong) }
func (s score) recall() float64    { return ratio(s.hits, s.hits+s.missed) }

func ratio(a, b int) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}

// TestFixtures holds the scan to every label: what is to be caught is, with
// the confidence that it has; what only looks like it is not; and no line
// without a label has a finding.
func TestFixtures(t *testing.T) {
	root := filepath.Join("testdata", "fixtures")
	labels := fixtureLabels(t, root)
	findings, _ := Scan(context.Background(), root, Options{})
	got := map[string]evidence.Finding{}
	places := map[string]bool{}
	for _, f := range findings {
		locator := f.Evidence[0].Locator
		if places[locator] {
			t.Errorf("%s is reported twice", locator)
		}
		places[locator] = true
		got[locator[:strings.LastIndexByte(locator, ':')]] = f
	}
	var total score
	byKind := map[string]*score{}
	of := func(line string) []*score {
		kind, _, _ := strings.Cut(line, "/")
		if byKind[kind] == nil {
			byKind[kind] = &score{}
		}
		return []*score{&total, byKind[kind]}
	}
	for line, want := range labels {
		f, found := got[line]
		ok := false
		switch {
		case want == "none" && found:
			t.Errorf("%s must not be flagged, but %s did: %s", line, f.Evidence[0].Detector, f.Evidence[0].Excerpt)
		case want != "none" && !found:
			t.Errorf("%s is not found (%s)", line, want)
		case want == "catch" && f.Confidence != evidence.Likely, want == "low" && f.Confidence != evidence.Possible:
			t.Errorf("%s is %s, want %s (%s)", line, f.Confidence, want, f.Evidence[0].Detector)
			ok = true
		default:
			ok = true
		}
		for _, s := range of(line) {
			switch {
			case want == "none" && ok:
				s.clean++
			case want == "none":
				s.wrong++
			case ok:
				s.hits++
			default:
				s.missed++
			}
		}
	}
	for line, f := range got {
		if _, labelled := labels[line]; !labelled {
			t.Errorf("%s has no label, but %s flags it: %s", line, f.Evidence[0].Detector, f.Evidence[0].Excerpt)
			for _, s := range of(line) {
				s.wrong++
			}
		}
	}
	if len(labels) < 60 {
		t.Errorf("only %d labels", len(labels))
	}
	var table strings.Builder
	for _, k := range slices.Sorted(maps.Keys(byKind)) {
		table.WriteString(byKind[k].row(k))
	}
	table.WriteString(total.row("**all**"))
	t.Logf("\n%s", &table)
	doc, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "find-text.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), table.String()) {
		t.Error("docs/find-text.md does not hold the table above; put it there")
	}
}

// row is a line of the table in docs/find-text.md.
func (s score) row(name string) string {
	return fmt.Sprintf("| %s | %d | %d | %.2f | %.2f |\n", name, s.hits+s.missed, s.clean+s.wrong, s.precision(), s.recall())
}

// TestEveryDetectorIsDocumentedAndTried: a rule that no fixture sets off, or
// that no page explains, is a rule that nobody can rely on.
func TestEveryDetectorIsDocumentedAndTried(t *testing.T) {
	tried := map[string]bool{}
	findings, _ := Scan(context.Background(), filepath.Join("testdata", "fixtures"), Options{})
	for _, f := range findings {
		tried[f.Evidence[0].Detector] = true
	}
	doc, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "find-text.md"))
	if err != nil {
		t.Fatal(err)
	}
	detector := regexp.MustCompile(`"(text/[a-z-]+)"`)
	named := 0
	err = filepath.WalkDir(".", func(name string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		code, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, m := range detector.FindAllSubmatch(code, -1) {
			d := string(m[1])
			named++
			if !tried[d] {
				t.Errorf("no fixture sets off %s (%s)", d, name)
			}
			if !strings.Contains(string(doc), "`"+d+"`") {
				t.Errorf("docs/find-text.md does not explain %s", d)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if named < 20 {
		t.Errorf("only %d detectors are named in the sources", named)
	}
}
