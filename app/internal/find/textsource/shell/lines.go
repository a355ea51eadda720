package shell

import (
	"bytes"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
)

// Lines reads texts of which some lines are commands.
type Lines struct{}

func (Lines) HasWord(data []byte) bool { return MentionsCommands(data) }

func (Lines) Read(s *detect.Text, _ string, _ detect.File) { readCommandLines(s) }

// readCommandLines reads a text of which some lines are commands: Makefile,
// Dockerfile, PowerShell, a script that the shell parser refused. It knows
// quotes, comments and continued lines, and no more.
func readCommandLines(s *detect.Text) {
	if !MentionsCommands(s.Data) {
		return
	}
	for start := 0; start < len(s.Data); {
		end := start
		for {
			nl := bytes.IndexByte(s.Data[end:], '\n')
			if nl < 0 {
				end = len(s.Data)
				break
			}
			end += nl + 1
			line := bytes.TrimRight(s.Data[start:end], "\r\n")
			if len(line) == 0 || line[len(line)-1] != '\\' && line[len(line)-1] != '`' || end-start > maxLine {
				break
			}
		}
		for _, words := range looseWords(s.Data, start, end) {
			JudgeWords(s, words, nil)
		}
		start = end
	}
}

// maxLine bounds a line put together from continued ones.
const maxLine = 64 << 10

// looseWords splits a line into commands, and those into words.
func looseWords(data []byte, start, end int) [][]Word {
	var out [][]Word
	var words []Word
	flush := func() {
		if len(words) > 0 {
			out = append(out, withoutLeading(words))
		}
		words = nil
	}
	for p := start; p < end; {
		switch c := data[p]; {
		case c == '#' && (p == start || isBlank(data[p-1])):
			p = end
		case isSpace(c), c == '\\' && (p+1 >= end || isLineEnd(data[p+1])):
			p++
		case c == '`' && p+1 < end && isLineEnd(data[p+1]):
			p++ // PowerShell's continued line
		case isSeparator(c) || c == '(':
			flush()
			p++
		case c == '$' && p+1 < end && data[p+1] == '(':
			flush()
			name, width := makeVariable(data[p:end])
			if width > 0 {
				words = append(words, Word{Values: []string{name}, Offset: p})
				p += width
				continue
			}
			p += 2
		default:
			w, next := looseWord(data, p, end)
			words = append(words, w)
			p = next
		}
	}
	flush()
	return out
}

func isBlank(c byte) bool   { return c == ' ' || c == '\t' }
func isLineEnd(c byte) bool { return c == '\n' || c == '\r' }
func isSpace(c byte) bool   { return isBlank(c) || isLineEnd(c) }

// isSeparator reports whether a byte ends a command.
func isSeparator(c byte) bool { return c == ';' || c == '|' || c == '&' || c == ')' || c == '`' }

// withoutLeading takes off what is before a command: Makefile's @ and -,
// Dockerfile's RUN, PowerShell's &.
func withoutLeading(words []Word) []Word {
	for len(words) > 1 && commands.Leading[words[0].Values[0]] {
		words = words[1:]
	}
	words[0].Values[0] = strings.TrimLeft(words[0].Values[0], "@-(&")
	return words
}

// makeVariable reads $(KUBECTL): make writes its variables as the shell writes
// substitutions.
func makeVariable(data []byte) (string, int) {
	end := bytes.IndexByte(data, ')')
	if end < 0 || end > 40 || bytes.ContainsAny(data[2:end], " \t") {
		return "", 0
	}
	if strings.Contains(strings.ToLower(string(data[2:end])), "kubectl") {
		return "kubectl", end + 1
	}
	return "{}", end + 1
}

// looseWord reads one word, with its quotes taken off.
func looseWord(data []byte, p, end int) (Word, int) {
	w := Word{Offset: p}
	var b []byte
	for p < end {
		c := data[p]
		if c == '"' || c == '\'' {
			quoted, after := quotedText(data, p, end)
			w.quoted = w.quoted || after > p+1
			b = append(b, quoted...)
			p = after
			continue
		}
		if isSpace(c) || isSeparator(c) {
			break
		}
		if endsElement(data, p, end, len(b)) {
			p++
			if len(b) > 0 {
				break
			}
			continue
		}
		b = append(b, c)
		p++
	}
	w.Values = []string{string(b)}
	if bytes.HasPrefix(b, []byte("$")) && strings.Contains(strings.ToLower(string(b)), "kubectl") {
		w.Values[0] = "kubectl"
	}
	return w, p
}

// quotedText is the text between the quote at p and the next one, and where it
// goes on after that. A quote that nothing closes is passed alone.
func quotedText(data []byte, p, end int) ([]byte, int) {
	width := bytes.IndexByte(data[p+1:end], data[p])
	if width < 0 {
		return nil, p + 1
	}
	return data[p+1 : p+1+width], p + width + 2
}

// endsElement reports whether the byte at p is between the elements of a list
// such as Dockerfile's ["kubectl", "get", "ep"]. A list of resources has its
// comma inside the word.
func endsElement(data []byte, p, end, length int) bool {
	c := data[p]
	if c != ',' && c != '[' && c != ']' {
		return false
	}
	return p+1 < end && (data[p+1] == ' ' || data[p+1] == '"') || c != ',' && length == 0
}
