package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const list = "# Contributing\n\n## Words\n\n| avoid | write |\n|---|---|\n" +
	"| `anew` | \"again\" |\n| `whoever`, `those who` | \"a person who\" |\n| `, for it` | \", because it\" |\n\n## Commits\n\n| `commit` | nothing |\n"

// change commits a tree, and then writes another one over it.
func change(t *testing.T, before, after map[string]string) repository {
	t.Helper()
	r := repository(t.TempDir())
	write := func(files map[string]string) {
		for name, content := range files {
			path := filepath.Join(string(r), name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	run := func(arguments ...string) {
		t.Helper()
		if _, err := r.git(append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, arguments...)...); err != nil {
			t.Fatal(err)
		}
	}
	run("init", "--quiet", "--initial-branch=main")
	write(map[string]string{"CONTRIBUTING.md": list})
	write(before)
	run("add", "--all")
	run("commit", "--quiet", "--message=before")
	for name := range before {
		if _, ok := after[name]; !ok {
			run("rm", "--quiet", name)
		}
	}
	write(after)
	return r
}

func checkChange(t *testing.T, r repository, base string) []string {
	t.Helper()
	words, err := parseWords(list)
	if err != nil {
		t.Fatal(err)
	}
	findings, err := check(r, base, words)
	if err != nil {
		t.Fatal(err)
	}
	return findings
}

func TestOnlyAddedTextIsChecked(t *testing.T) {
	long := strings.Repeat("A line that stays as it is.\n", 20)
	tests := []struct {
		name          string
		before, after map[string]string
		want          []string
	}{
		{
			"old text is left alone",
			map[string]string{"a.md": "It is read anew.\n"},
			map[string]string{"a.md": "It is read anew.\nIt is read again.\n"},
			nil,
		},
		{
			"an added line",
			map[string]string{"a.md": "One.\n"},
			map[string]string{"a.md": "One.\nIt is read ANEW, for  it changed.\n"},
			[]string{
				`a.md:2: "ANEW": write "again"`,
				`a.md:2: ", for  it": write ", because it"`,
			},
		},
		{
			"a new file that git does not know yet",
			map[string]string{"a.md": "One.\n"},
			map[string]string{"a.md": "One.\n", "docs/b c.md": "Two.\nThose who read it.\n"},
			[]string{`docs/b c.md:2: "Those who": write "a person who"`},
		},
		{
			"a renamed file is old text",
			map[string]string{"a.md": long + "It is read anew.\n"},
			map[string]string{"b.md": long + "It is read anew.\n"},
			nil,
		},
		{
			"a line that moved",
			map[string]string{"a.md": "It is read anew.\nOne.\n", "b.md": "Two.\n"},
			map[string]string{"a.md": "One.\n", "b.md": "Two.\n  It is read anew.\n"},
			nil,
		},
		{
			"part of a word",
			map[string]string{"a.md": "One.\n"},
			map[string]string{"a.md": "One.\nTaneware and whoevers.\n"},
			nil,
		},
		{
			"code in Markdown",
			map[string]string{"a.md": "One.\n"},
			map[string]string{"a.md": "One.\nAvoid `anew`.\n```\nanew\n```\n"},
			nil,
		},
		{
			"comments and strings of Go",
			map[string]string{"a.go": "package a\n"},
			map[string]string{"a.go": "package a\n\n// It is read anew.\nvar anew = `\nwhoever`\n"},
			[]string{
				`a.go:3: "anew": write "again"`,
				`a.go:5: "whoever": write "a person who"`,
			},
		},
		{
			"strings of a test are input, its comments are not",
			map[string]string{"a.md": "One.\n"},
			map[string]string{"a.md": "One.\n", "a_test.go": "package a\n\nvar a = \"anew\" // anew\n", "b_test.go": "package a\n\nvar b = \"anew\"\n"},
			[]string{`a_test.go:3: "anew": write "again"`},
		},
		{
			"test data and other files",
			map[string]string{"a.md": "One.\n"},
			map[string]string{"a.md": "One.\n", "x/testdata/b.md": "anew\n", "c.txt": "anew\n"},
			nil,
		},
		{
			"a line that looks like a header of a diff",
			map[string]string{"a.md": "One.\n"},
			map[string]string{"a.md": "One.\n++ b.md\nanew\n"},
			[]string{`a.md:3: "anew": write "again"`},
		},
		{
			"a deleted file",
			map[string]string{"a.md": "One.\n", "b.md": "anew\n"},
			map[string]string{"a.md": "One.\n"},
			nil,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := checkChange(t, change(t, test.before, test.after), "HEAD"); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestTheBaseIsWhereTheBranchBegan(t *testing.T) {
	r := change(t, map[string]string{"a.md": "One.\n"}, map[string]string{"a.md": "One.\nanew\n"})
	if got := r.base(); got != "" {
		t.Errorf("the first commit has the base %q", got)
	}
	git := func(arguments ...string) string {
		t.Helper()
		out, err := r.git(append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, arguments...)...)
		if err != nil {
			t.Fatal(err)
		}
		return firstLine(out)
	}
	first := git("rev-parse", "HEAD")
	git("commit", "--quiet", "--all", "--message=two")
	if got := r.base(); got != first {
		t.Errorf("on main the base is %q, not the commit before, %q", got, first)
	}
	git("switch", "--quiet", "--create", "branch")
	second := git("rev-parse", "HEAD")
	git("commit", "--quiet", "--allow-empty", "--message=three")
	git("commit", "--quiet", "--allow-empty", "--message=four")
	if got := r.base(); got != second {
		t.Errorf("on a branch the base is %q, not the commit where it left main, %q", got, second)
	}
	git("switch", "--quiet", "--detach", "HEAD")
	git("branch", "--delete", "--force", "main")
	if got, want := r.base(), git("rev-parse", "HEAD~1"); got != want {
		t.Errorf("without main the base is %q, not the commit before, %q", got, want)
	}
}

func TestTheListOfThisRepositoryIsRead(t *testing.T) {
	contributing, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	words, err := parseWords(string(contributing))
	if err != nil {
		t.Fatal(err)
	}
	if !words[0].in.MatchString("It is read anew.") {
		t.Errorf("the first word is not anew but %s", words[0].in)
	}
}

func TestAListWithoutWordsIsAnError(t *testing.T) {
	if words, err := parseWords("# Contributing\n\n| `anew` | again |\n"); err == nil {
		t.Errorf("got %v and no error", words)
	}
}
