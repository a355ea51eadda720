package experiment

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// applied applies a diff with git, as a person would.
func applied(t *testing.T, name, before, diff string) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "apply", "--whitespace=nowarn", "-p0", "-")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(diff)
	// A repository around the folder must not make git look for its own files.
	cmd.Env = append(os.Environ(), "GIT_DIR=/dev/null", "GIT_CEILING_DIRECTORIES="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git does not take it: %v %s\n%s", err, out, diff)
	}
	after, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(after)
}

func TestADiffIsOneThatGitApplies(t *testing.T) {
	long := strings.Repeat("line\n", 10)
	for name, pair := range map[string][2]string{
		"in the middle":          {long + "old\n" + long, long + "new\n" + long},
		"the first line":         {"old\n" + long, "new\n" + long},
		"the last line":          {long + "old\n", long + "new\n"},
		"added":                  {long + long, long + "new\n" + long},
		"added at the end":       {long, long + "new\n"},
		"removed":                {long + "old\n" + long, long + long},
		"several lines":          {long + "a\nb\nc\n" + long, long + "d\n" + long},
		"the end has no newline": {long + "old", long + "new"},
		"a newline at the end":   {long + "same", long + "same\n"},
		"carriage returns":       {"a\r\nb\r\nc\r\n", "a\r\nx\r\nc\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := applied(t, "f.yaml", pair[0], unified("f.yaml", pair[0], pair[1])); got != pair[1] {
				t.Errorf("it gives %q, want %q", got, pair[1])
			}
		})
	}
	if diff := unified("f", "a\n", "a\n"); diff != "" {
		t.Errorf("equal texts: %q", diff)
	}
}

// Whatever the texts are, the lines of the one and of the other are those of the
// hunk, and its header counts them.
func TestADiffHoldsBothTexts(t *testing.T) {
	line := rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "\n"})
	text := func(t *rapid.T, name string) string {
		return strings.Join(rapid.SliceOfN(line, 0, 12).Draw(t, name), "")
	}
	rapid.Check(t, func(t *rapid.T) {
		before, after := text(t, "before"), text(t, "after")
		diff := unified("f", before, after)
		if before == after {
			return
		}
		var old, young []string
		for _, l := range lines(diff)[3:] {
			switch l[0] {
			case ' ':
				old, young = append(old, l[1:]), append(young, l[1:])
			case '-':
				old = append(old, l[1:])
			case '+':
				young = append(young, l[1:])
			}
		}
		if !strings.Contains(before, strings.Join(old, "")) || !strings.Contains(after, strings.Join(young, "")) {
			t.Fatalf("%q and %q:\n%s", before, after, diff)
		}
		if strings.Replace(before, strings.Join(old, ""), strings.Join(young, ""), 1) != after && len(old) > 0 && strings.Count(before, strings.Join(old, "")) == 1 {
			t.Fatalf("%q and %q:\n%s", before, after, diff)
		}
	})
}
