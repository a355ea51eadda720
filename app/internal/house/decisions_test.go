package house

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const decisions = root + "/docs/adr"

var (
	decisionFile  = regexp.MustCompile(`^(\d{4})(-[a-z0-9]+)+\.md$`)
	decisionTitle = regexp.MustCompile(`^# (\d{4}): (\S.*)$`)
	// What changed, and what replaced it, is a link to the other decision.
	decisionStatus = regexp.MustCompile(`^Status: (accepted|accepted; amend(s|ed by) \[(\d{4})\]\([^)]+\)[:,] .+|superseded by \[\d{4}\]\([^)]+\))$`)
)

// decision is a file of docs/adr.
type decision struct {
	file, number, title, status string
	// sections are the headings of the second level, in their order.
	sections []string
}

func readDecisions(t *testing.T) []decision {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(decisions, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	var all []decision
	for _, path := range files {
		file := filepath.Base(path)
		if file == "README.md" || file == "template.md" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := decisionFile.FindStringSubmatch(file)
		lines := strings.Split(string(text), "\n")
		if name == nil || len(lines) < 3 {
			t.Errorf("%s: a decision is a file NNNN-subject.md, see template.md", file)
			continue
		}
		d := decision{file: file, number: name[1], status: lines[2]}
		if title := decisionTitle.FindStringSubmatch(lines[0]); title != nil && title[1] == d.number {
			d.title = title[2]
		}
		for _, line := range lines {
			if heading, ok := strings.CutPrefix(line, "## "); ok {
				d.sections = append(d.sections, heading)
			}
		}
		all = append(all, d)
	}
	if len(all) < 80 {
		t.Fatalf("only %d decisions were found", len(all))
	}
	return all
}

func TestDecisionsFollowTheTemplate(t *testing.T) {
	sections := []string{"Context", "Decision", "Consequences"}
	numbers := map[string]string{}
	for _, d := range readDecisions(t) {
		if d.title == "" {
			t.Errorf("%s: the first line is not \"# %s: Subject: what was decided\"", d.file, d.number)
		}
		if !decisionStatus.MatchString(d.status) {
			t.Errorf("%s: the third line %q is not a status as template.md has it", d.file, d.status)
		}
		if diff := cmp.Diff(sections, d.sections); diff != "" {
			t.Errorf("%s: other sections than the template's (-template +file):\n%s", d.file, diff)
		}
		if other := numbers[d.number]; other != "" {
			t.Errorf("%s and %s have the same number", other, d.file)
		}
		numbers[d.number] = d.file
	}
}

// The order of the index is not compared: two branches that each add a decision
// are merged without a conflict (.gitattributes).
func TestTheIndexListsEveryDecision(t *testing.T) {
	var index strings.Builder
	index.WriteString("# Decisions\n\nA decision has a record here if somebody could have decided otherwise ([template](template.md)). `HOUSE_UPDATE=1 go test -count=1 ./app/internal/house` writes this list.\n\n")
	for _, d := range readDecisions(t) {
		fmt.Fprintf(&index, "- [%s](%s) %s", d.number, d.file, d.title)
		if by := regexp.MustCompile(`(?:amended|superseded) by \[\d{4}\]\([^)]+\)`).FindString(d.status); by != "" {
			fmt.Fprintf(&index, " (%s)", by)
		}
		index.WriteByte('\n')
	}
	file := filepath.Join(decisions, "README.md")
	if os.Getenv("HOUSE_UPDATE") != "" {
		if err := os.WriteFile(file, []byte(index.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sorted(index.String()), sorted(string(text))); diff != "" {
		t.Errorf("%s is not the list of decisions (HOUSE_UPDATE=1 go test -count=1 ./app/internal/house writes it; -wanted +file):\n%s", file, diff)
	}
}

func sorted(text string) []string { return slices.Sorted(strings.Lines(text)) }
