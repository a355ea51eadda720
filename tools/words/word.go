package main

import (
	"errors"
	"regexp"
	"strings"
)

// word is a turn of phrase to avoid.
type word struct {
	in *regexp.Regexp
	// instead is what CONTRIBUTING.md suggests.
	instead string
}

var (
	row    = regexp.MustCompile("^\\| (`.+`) \\| (.+) \\|$")
	quoted = regexp.MustCompile("`([^`]+)`")
)

// parseWords reads the table of words: its rows begin with words in back quotes,
// below the heading "Words".
func parseWords(contributing string) ([]word, error) {
	_, section, _ := strings.Cut(contributing, "\n## Words\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var words []word
	for line := range strings.Lines(section) {
		cells := row.FindStringSubmatch(strings.TrimSpace(line))
		if cells == nil {
			continue
		}
		for _, phrase := range quoted.FindAllStringSubmatch(cells[1], -1) {
			words = append(words, word{phraseIn(phrase[1]), cells[2]})
		}
	}
	if len(words) == 0 {
		return nil, errors.New("CONTRIBUTING.md has no table of words under the heading Words")
	}
	return words, nil
}

// phraseIn matches a phrase as whole words, in any case and with any spaces.
func phraseIn(phrase string) *regexp.Regexp {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(phrase), " ", `\s+`)
	if !strings.HasPrefix(phrase, ",") {
		pattern = `\b` + pattern
	}
	return regexp.MustCompile(`(?i)` + pattern + `\b`)
}
