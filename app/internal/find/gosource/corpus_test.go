package gosource

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// label is one // want of the corpus: catch, or low where it says possible.
type label struct {
	detector string
	low      bool
}

var wantComment = regexp.MustCompile("// want `(go/[a-z-]+)([^`]*)`")

// labels reads the corpus's own labels, by file and line. What has none must
// not be flagged.
func labels(t *testing.T, root string) (map[string]label, int) {
	t.Helper()
	out := map[string]label{}
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		files++
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		rel, _ := filepath.Rel(root, path)
		lines := bufio.NewScanner(f)
		for n := 1; lines.Scan(); n++ {
			// A declaration that another package uses is a diagnostic of vet, which
			// sees one package at a time; a scan reports the use alone.
			if strings.Contains(lines.Text(), "holds") {
				continue
			}
			if m := wantComment.FindStringSubmatch(lines.Text()); m != nil {
				out[fmt.Sprintf("%s:%d", filepath.ToSlash(rel), n)] = label{m[1], strings.Contains(m[2], "possible")}
			}
		}
		return lines.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, files
}

// score compares a scan with the labels.
type score struct {
	right, missed, wrong []string
}

func (s score) String() string {
	return fmt.Sprintf("precision %.3f (%d of %d), recall %.3f (%d of %d)",
		ratio(len(s.right), len(s.right)+len(s.wrong)), len(s.right), len(s.right)+len(s.wrong),
		ratio(len(s.right), len(s.right)+len(s.missed)), len(s.right), len(s.right)+len(s.missed))
}

func ratio(a, b int) float64 { return float64(a) / float64(max(b, 1)) }

func judge(findings []evidence.Finding, want map[string]label, detectors bool) score {
	var s score
	seen := map[string]bool{}
	for _, f := range findings {
		if f.Status == evidence.Acknowledged {
			continue
		}
		line := f.Evidence[0].Locator[:strings.LastIndexByte(f.Evidence[0].Locator, ':')]
		l, ok := want[line]
		switch {
		case !ok, detectors && l.detector != f.Evidence[0].Detector, detectors && l.low != (f.Confidence == evidence.Possible):
			s.wrong = append(s.wrong, line+" "+f.Evidence[0].Detector)
		case !seen[line]:
			s.right = append(s.right, line)
		}
		seen[line] = true
	}
	for line := range want {
		if !seen[line] {
			s.missed = append(s.missed, line)
		}
	}
	return s
}

// TestPrecisionAndRecall scans the labelled corpus, with types and without.
func TestPrecisionAndRecall(t *testing.T) {
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(filepath.Join(stubSource, "corpus"))); err != nil {
		t.Fatal(err)
	}
	want, files := labels(t, root)
	low := 0
	for _, l := range want {
		if l.low {
			low++
		}
	}
	t.Logf("%d files, %d places to catch, %d of them low", files, len(want), low)

	t.Run("with types nothing is missed and nothing else is flagged", func(t *testing.T) {
		writeFile(t, filepath.Join(root, "go.mod"), stubbed(t, "corpus"))
		findings, coverage := Scan(context.Background(), root, Options{})
		s := judge(findings, want, true)
		t.Log("typed:", s)
		if len(s.missed)+len(s.wrong)+len(coverage.Problems) > 0 {
			t.Errorf("missed %q\nwrong %q\nproblems %v", s.missed, s.wrong, coverage.Problems)
		}
	})
	t.Run("without dependencies the shapes stand for them", func(t *testing.T) {
		writeFile(t, filepath.Join(root, "go.mod"), "module corpus\n\ngo 1.24\n")
		findings, coverage := Scan(context.Background(), root, Options{})
		s := judge(findings, want, false)
		t.Log("without dependencies:", s)
		t.Logf("missed %q\nwrong %q", s.missed, s.wrong)
		if len(coverage.Problems) == 0 {
			t.Error("packages that do not type-check are not in the coverage")
		}
		// The floors are what is reached; a change that falls below lost something.
		// What is missed goes through a library that has no shape.
		if got := ratio(len(s.right), len(s.right)+len(s.wrong)); got < 0.98 {
			t.Errorf("precision %.3f", got)
		}
		if got := ratio(len(s.right), len(s.right)+len(s.missed)); got < 0.98 {
			t.Errorf("recall %.3f", got)
		}
	})
}
