package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	base := flag.String("base", "", "compare with this `commit`")
	flag.Parse()
	findings, err := run(*base)
	if err != nil {
		fmt.Fprintln(os.Stderr, "words:", err)
		os.Exit(2)
	}
	for _, f := range findings {
		fmt.Println(f)
	}
	if len(findings) > 0 {
		os.Exit(1)
	}
}

func run(base string) ([]string, error) {
	top, err := repository(".").git("rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	r := repository(firstLine(top))
	contributing, err := os.ReadFile(filepath.Join(string(r), "CONTRIBUTING.md"))
	if err != nil {
		return nil, err
	}
	words, err := parseWords(string(contributing))
	if err != nil {
		return nil, err
	}
	if base == "" {
		base = r.base()
	}
	if base == "" {
		fmt.Fprintln(os.Stderr, "words: there is no earlier commit to compare with")
		return nil, nil
	}
	return check(r, base, words)
}

// check returns a line for each avoided word in what was added since the base.
func check(r repository, base string, words []word) ([]string, error) {
	added, err := r.added(base)
	if err != nil {
		return nil, err
	}
	var findings []string
	for _, file := range added {
		if len(file.lines) == 0 {
			continue // the file may be deleted
		}
		content, err := os.ReadFile(filepath.Join(string(r), file.name))
		if err != nil {
			return nil, err
		}
		prose := proseOf(file.name, string(content))
		for _, line := range file.lines {
			for _, w := range words {
				if found := w.in.FindString(prose[line]); found != "" {
					findings = append(findings, fmt.Sprintf("%s:%d: %q: write %s", file.name, line, found, w.instead))
				}
			}
		}
	}
	return findings, nil
}
