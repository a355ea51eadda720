package experiment

import (
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

var errEOF = io.EOF

// Edit is a change of one file, for a person to make.
type Edit struct {
	File string `json:"file"`
	// From and To are values of --controllers. From is "" where it was not given.
	From string `json:"from"`
	To   string `json:"to"`
	// Line is where, from 1.
	Line int `json:"line,omitempty"`
	// Diff is the change as diff -u writes it, "" if nothing has to change or if
	// Fragment says it.
	Diff string `json:"diff,omitempty"`
	// Fragment is what the file has to hold, where a diff would show more than the
	// change.
	Fragment string `json:"fragment,omitempty"`
	// After is the file as it is to be, "" where there is a fragment.
	After string `json:"-"`
}

// Needed reports that there is something to change.
func (e *Edit) Needed() bool { return e.Diff != "" || e.Fragment != "" }

var errLayout = errors.New("is written in a way that cannot be changed line by line")

// replaceWord replaces the value of a scalar on one line. It keeps the
// scalar's quotes, or adds quotes if asked to.
func replaceWord(list []string, n *yaml.Node, value string, quote bool) (string, error) {
	start, end, err := extent(list, n)
	if err != nil {
		return "", err
	}
	line := list[n.Line-1]
	out := append([]string{}, list...)
	out[n.Line-1] = line[:start] + styled(value, quotes(n.Style, quote)) + line[end:]
	return strings.Join(out, ""), nil
}

// addWord puts a word behind the last one of a list: on a line of its own where
// that one has such a line, else behind a comma.
func addWord(list []string, last *yaml.Node, value string, quote bool) (string, error) {
	start, end, err := extent(list, last)
	if err != nil {
		return "", err
	}
	line, value := list[last.Line-1], styled(value, quotes(last.Style, quote))
	out := append([]string{}, list...)
	if indent, dash := strings.CutSuffix(strings.TrimRight(line[:start], " "), "-"); dash && strings.TrimLeft(indent, " ") == "" {
		newline := "\n"
		if strings.HasSuffix(line, "\r\n") {
			newline = "\r\n"
		}
		if !strings.HasSuffix(line, "\n") {
			out[last.Line-1] += newline
			newline = ""
		}
		out[last.Line-1] += line[:start] + value + newline
		return strings.Join(out, ""), nil
	}
	out[last.Line-1] = line[:end] + ", " + value + line[end:]
	return strings.Join(out, ""), nil
}

// extent is where a scalar with its quotes begins and ends in its line, in bytes.
func extent(list []string, n *yaml.Node) (start, end int, err error) {
	if n.Line < 1 || n.Line > len(list) || n.Anchor != "" || n.Tag != "!!str" && n.Style&yaml.TaggedStyle != 0 {
		return 0, 0, errLayout
	}
	line := list[n.Line-1]
	// The parser counts characters.
	for range n.Column - 1 {
		_, size := utf8.DecodeRuneInString(line[start:])
		if size == 0 {
			return 0, 0, errLayout
		}
		start += size
	}
	raw := styled(n.Value, n.Style)
	if !strings.HasPrefix(line[start:], raw) {
		return 0, 0, errLayout
	}
	return start, start + len(raw), nil
}

// quotes are those of a style, or double ones for a style without, if asked.
func quotes(style yaml.Style, quote bool) yaml.Style {
	if quote && style&yaml.SingleQuotedStyle == 0 {
		return style | yaml.DoubleQuotedStyle
	}
	return style
}

// styled writes a word with a scalar's quotes. Words here need no escapes; one
// that did would not be found in its line, or not be read back.
func styled(value string, style yaml.Style) string {
	switch {
	case style&yaml.DoubleQuotedStyle != 0:
		return `"` + value + `"`
	case style&yaml.SingleQuotedStyle != 0:
		return `'` + value + `'`
	}
	return value
}
