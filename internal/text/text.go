// Package text makes untrusted text fit to be shown: names, labels, what a consumer
// answers, what a program says, a line of a file that somebody else wrote.
//
// A function is a policy for one use:
//
//	Line     in one line of a terminal, a log or a page
//	Cell     in a column of a table
//	Excerpt  a piece of free text in one line: an answer, an error, a line of a program
//	Quote    between quotation marks in a sentence
//	Code     the lines of a command, a diff or a file
//	Markdown within a line of Markdown
//	Clip     bounded and nothing else, for lists of names and for storage
//
// The result of each of them but Clip holds only printable characters, as
// unicode.IsPrint tells them: letters, marks, numbers, punctuation, symbols and the
// space of ASCII. There is no line end in it, no sequence that a terminal acts on, no
// character that changes the direction of writing, and no byte that is not UTF-8.
// Code keeps tabulators, and its result has a line for each line of the text.
//
// All functions are pure and may be called from any goroutine.
package text

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns s with U+FFFD for every character that is not printable and for every
// byte that is not UTF-8.
func Line(s string) string { return strings.Map(printable, s) }

// Printable reports whether s is UTF-8 and has printable characters only: such text
// is its own Line, and has no U+FFFD that hides something else.
func Printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// Cell returns Line(s), and "-" for an empty text: an empty cell of a table reads as
// a mistake of the table.
func Cell(s string) string {
	if s == "" {
		return "-"
	}
	return Line(s)
}

// Excerpt returns s in one line. White space at the ends is left out, and any other run
// of white space becomes one space. Of a line of more than most characters it has the
// first most, and "…" behind.
func Excerpt(s string, most int) string {
	var line strings.Builder
	count := 0
	for word := range strings.FieldsSeq(s) {
		if count > 0 {
			line.WriteByte(' ')
			count++
		}
		for _, r := range word {
			line.WriteRune(printable(r))
			if count++; count > most {
				return cut(line.String(), most)
			}
		}
	}
	return line.String()
}

// cut shortens a printable text to most characters.
func cut(s string, most int) string {
	return strings.TrimRight(string([]rune(s)[:max(most, 0)]), " ") + "…"
}

// Quote returns s as a Go string literal. Of a text of more than 80 bytes the literal
// has the first 80, and "…" behind.
func Quote(s string) string {
	const most = 80
	if len(s) > most {
		return strconv.Quote(whole(s[:most])) + "…"
	}
	return strconv.Quote(s)
}

// Code returns the lines of s without line ends, each of them as Line has it but with
// tabulators. Line ends at the end of s begin no line.
func Code(s string) []string {
	lines := strings.Split(strings.TrimRight(s, "\r\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.Map(func(r rune) rune {
			if r == '\t' {
				return r
			}
			return printable(r)
		}, strings.TrimSuffix(line, "\r"))
	}
	return lines
}

// Markdown returns Line(s) with a backslash before each character that Markdown, or
// HTML in it, acts on: the text is shown as it is, with mentions and bare links as
// text. The characters - and . stay as they are: they count at the beginning of a line
// only, where the caller's own text is.
func Markdown(s string) string {
	var out strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\\`*_{}[]<>#|!~&@:$", r) {
			out.WriteByte('\\')
		}
		out.WriteRune(printable(r))
	}
	return out.String()
}

// Clip returns s, or as many whole characters of its first most bytes as fit and "…"
// behind. It replaces nothing.
func Clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return whole(s[:most]) + "…"
}

// whole leaves out a character that was cut in two at the end of s.
func whole(s string) string {
	for i := 1; i < utf8.UTFMax && i <= len(s); i++ {
		if tail := s[len(s)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRuneInString(tail) {
				return s[:len(s)-i]
			}
			break
		}
	}
	return s
}

func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return unicode.ReplacementChar
}
