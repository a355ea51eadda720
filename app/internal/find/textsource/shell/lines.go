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
			JudgeWords(s, words, nil, 0)
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
			// Makefile's @ and -, Dockerfile's RUN, PowerShell's & are no
			// part of the command.
			for len(words) > 1 {
				switch words[0].Values[0] {
				case "RUN", "CMD", "ENTRYPOINT", "&", "-", "@", "then", "do", "else", "if", "!", "while", "until", "&&", "time":
					words = words[1:]
					continue
				}
				break
			}
			words[0].Values[0] = strings.TrimLeft(words[0].Values[0], "@-(&")
			out = append(out, words)
		}
		words = nil
	}
	for p := start; p < end; {
		switch c := data[p]; {
		case c == '#' && (p == start || data[p-1] == ' ' || data[p-1] == '\t'):
			p = end
		case c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\\' && (p+1 >= end || data[p+1] == '\n' || data[p+1] == '\r'):
			p++
		case c == ';' || c == '|' || c == '&' || c == '(' || c == ')' || c == '`':
			if c == '`' && p+1 < end && (data[p+1] == '\n' || data[p+1] == '\r') {
				p++ // PowerShell's continued line
				continue
			}
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
			close := bytes.IndexByte(data[p+1:end], c)
			if close < 0 {
				p++
				continue
			}
			w.quoted = true
			b = append(b, data[p+1:p+1+close]...)
			p += close + 2
			continue
		}
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ';' || c == '|' || c == '&' || c == ')' || c == '`' {
			break
		}
		if c == ',' || c == '[' || c == ']' {
			// Dockerfile's ["kubectl", "get", "ep"]; a list of resources has
			// its comma inside the word.
			if p+1 < end && (data[p+1] == ' ' || data[p+1] == '"') || c != ',' && len(b) == 0 {
				p++
				if len(b) > 0 {
					break
				}
				continue
			}
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
