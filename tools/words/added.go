package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// repository is the top folder of a working tree.
type repository string

func (r repository) git(arguments ...string) (string, error) {
	cmd := exec.Command("git", arguments...)
	cmd.Dir = string(r)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w\n%s", arguments[0], err, stderr.String())
	}
	return string(out), nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// base returns the commit to compare with, "" if there is no earlier one.
func (r repository) base() string {
	head, err := r.git("rev-parse", "HEAD")
	if err != nil {
		return ""
	}
	for _, of := range []string{"origin/main", "main"} {
		if base, err := r.git("merge-base", "HEAD", of); err == nil && base != head {
			return firstLine(base)
		}
	}
	// On main itself, or without one: what the last commit or merge brought.
	before, err := r.git("rev-parse", "--verify", "--quiet", "HEAD~1")
	if err != nil {
		return ""
	}
	return firstLine(before)
}

// addition has the numbers of the lines that a change added to a file.
type addition struct {
	name  string
	lines []int
}

var hunk = regexp.MustCompile(`^@@ -\S+ \+(\d+)`)

// added returns what is in the working tree and was not in the base.
func (r repository) added(base string) ([]addition, error) {
	// Quoting off: names come as they are. No prefix: neither do they get one.
	diff, err := r.git("-c", "core.quotePath=off", "diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-prefix", "-w", "-M", base, "--", "*.md", "*.go", ":!*/testdata/*")
	if err != nil {
		return nil, err
	}
	all, removed := parseDiff(diff)
	untracked, err := r.git("ls-files", "-z", "--others", "--exclude-standard", "--", "*.md", "*.go", ":!*/testdata/*")
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(untracked, "\x00"), "\x00") {
		if name == "" {
			continue
		}
		content, err := os.ReadFile(filepath.Join(string(r), name))
		if err != nil {
			return nil, err
		}
		file := addition{name: name}
		number := 0
		for line := range strings.Lines(string(content)) {
			number++
			if !removed[strings.TrimSpace(line)] {
				file.lines = append(file.lines, number)
			}
		}
		all = append(all, file)
	}
	return all, nil
}

// parseDiff takes the added lines out of a diff without context, and the text of
// the removed ones. An added line that was removed elsewhere has only moved.
func parseDiff(diff string) (all []addition, removed map[string]bool) {
	removed = map[string]bool{}
	inHunk := false
	for line := range strings.Lines(diff) {
		inHunk = !strings.HasPrefix(line, "diff --git ") && (inHunk || strings.HasPrefix(line, "@@ "))
		if inHunk && strings.HasPrefix(line, "-") {
			removed[strings.TrimSpace(line[1:])] = true
		}
	}
	next := 0
	inHunk = false
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "diff --git "):
			inHunk = false
		case !inHunk && strings.HasPrefix(line, "+++ "):
			all = append(all, addition{name: strings.TrimRight(strings.TrimPrefix(line, "+++ "), "\t\n")})
		case strings.HasPrefix(line, "@@ "):
			inHunk = true
			if found := hunk.FindStringSubmatch(line); found != nil {
				next, _ = strconv.Atoi(found[1])
			}
		case inHunk && strings.HasPrefix(line, "+"):
			if file := &all[len(all)-1]; !removed[strings.TrimSpace(line[1:])] {
				file.lines = append(file.lines, next)
			}
			next++
		}
	}
	return all, removed
}
