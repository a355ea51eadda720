package house

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../../.."

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// A heading's anchor, as the forges make it.
var notInAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

func anchor(heading string) string {
	return strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), ""), " ", "-")
}

// Every link between the documents leads to a file, and to a heading if it
// names one.
func TestLinksLeadSomewhere(t *testing.T) {
	links := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "testdata" || entry.Name() == "node_modules") {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, found := range link.FindAllStringSubmatch(string(text), -1) {
			target, fragment, _ := strings.Cut(found[1], "#")
			if strings.Contains(target, ":") {
				continue // the web
			}
			links++
			file := path
			if target != "" {
				file = filepath.Join(filepath.Dir(path), target)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: there is no %s", path, found[1])
			} else if fragment != "" && !hasHeading(t, file, fragment) {
				t.Errorf("%s: there is no heading for %s", path, found[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if links < 20 {
		t.Fatalf("only %d links were followed", links)
	}
}

func hasHeading(t *testing.T, file, fragment string) bool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if heading, ok := strings.CutPrefix(line, "#"); ok && anchor(strings.TrimLeft(heading, "#")) == fragment {
			return true
		}
	}
	return false
}

// The Go code in the README is the example that the compiler reads.
func TestTheREADMEShowsTheExample(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(readme), "```go\n")
	shown, _, ended := strings.Cut(rest, "```")
	if !found || !ended {
		t.Fatal("the README has no Go code")
	}
	example, err := os.ReadFile(filepath.Join(root, "watch/example_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var indented strings.Builder
	for line := range strings.Lines(shown) {
		if line != "\n" {
			indented.WriteByte('\t')
		}
		indented.WriteString(line)
	}
	if !strings.Contains(string(example), "{\n"+indented.String()+"}\n") {
		t.Errorf("watch/example_test.go does not contain the README's code:\n%s", indented.String())
	}
}

// The rules that code and tests cite are in docs/semantics.md.
func TestCitedRulesAreDescribed(t *testing.T) {
	semantics, err := os.ReadFile(filepath.Join(root, "docs/semantics.md"))
	if err != nil {
		t.Fatal(err)
	}
	cited := map[string]string{}
	rule := regexp.MustCompile(`\bS([1-9][0-9]?)\b`)
	for _, dir := range []string{"endpointset", "watch", "publish", "driver", "app/internal/cli"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" {
				return err
			}
			text, err := os.ReadFile(path)
			for _, found := range rule.FindAllString(string(text), -1) {
				cited[found] = path
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(cited) < 15 {
		t.Fatalf("only %v are cited", cited)
	}
	for name, path := range cited {
		if !strings.Contains(string(semantics), "\n### "+name+" ") {
			t.Errorf("%s cites %s, which docs/semantics.md does not describe", path, name)
		}
	}
}
