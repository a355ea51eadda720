package nginx

import (
	"errors"
	"fmt"
	"strings"
)

// A place in a configuration.
type place struct {
	file string
	line int
}

func (p place) String() string { return fmt.Sprintf("%s:%d", p.file, p.line) }

// A statement is a row of words and what ends it: ';' for a simple directive, '{'
// where a block begins, '}' (without words) where it ends, 0 at the end of the
// text.
type statement struct {
	place // of the first word
	words []string
	end   byte
}

// maxWord is where nginx gives up: its buffer for a configuration.
const maxWord = 4096

// A lexer cuts a text into statements by nginx's rules (ngx_conf_read_token):
//
//   - a word ends at a blank, ';' or '{'. A '}', '#' or quote inside it is part of it;
//   - a word in quotes ends at the same quote, after which a blank, ';', '{' or ')'
//     must come;
//   - a '#' where a word could begin is a comment to the end of the line;
//   - '{' behind '$' belongs to the name of a variable;
//   - a backslash takes the meaning of what follows away; before a quote or another
//     backslash it goes, "\t", "\r" and "\n" stand for themselves, else it stays.
type lexer struct {
	text string
	at   int
	place
}

func (l *lexer) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %w", l.place, fmt.Errorf(format, args...))
}

// next returns the next statement.
func (l *lexer) next() (statement, error) {
	var s statement
	for {
		l.skipBlanks()
		if l.at == len(l.text) {
			if len(s.words) > 0 {
				return s, l.errorf("the file ends inside a directive")
			}
			return s, nil
		}
		switch c := l.text[l.at]; c {
		case ';', '{', '}':
			l.at++
			if (len(s.words) == 0) != (c == '}') {
				return s, l.errorf("unexpected %q", c)
			}
			if c == '}' {
				s.place = l.place
			}
			s.end = c
			return s, nil
		}
		if len(s.words) == 0 {
			s.place = l.place
		}
		word, err := l.word()
		if err != nil {
			return s, err
		}
		s.words = append(s.words, word)
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// skipBlanks passes over blanks and comments.
func (l *lexer) skipBlanks() {
	for l.at < len(l.text) {
		switch c := l.text[l.at]; {
		case c == '#':
			if end := strings.IndexByte(l.text[l.at:], '\n'); end >= 0 {
				l.at += end
			} else {
				l.at = len(l.text)
			}
		case isBlank(c):
			if c == '\n' {
				l.line++
			}
			l.at++
		default:
			return
		}
	}
}

// word reads one word, which begins here.
func (l *lexer) word() (string, error) {
	var quote byte
	if c := l.text[l.at]; c == '"' || c == '\'' {
		quote = c
		l.at++
	}
	start, line := l.at, l.line
	variable := false
	for ; l.at < len(l.text); l.at++ {
		c := l.text[l.at]
		if l.at-start >= maxWord {
			return "", l.errorf("a word is longer than %d bytes: is a quote missing?", maxWord)
		}
		switch {
		case c == '\n' && quote != 0:
			l.line++
		case c == '{' && variable:
			continue
		case c == '\\':
			if l.at++; l.at < len(l.text) && l.text[l.at] == '\n' {
				l.line++
			}
			variable = false
			continue
		case quote != 0 && c == quote:
			word := unescape(l.text[start:l.at])
			l.at++
			if l.at < len(l.text) && !isBlank(l.text[l.at]) && !strings.ContainsRune(";{)", rune(l.text[l.at])) {
				return "", l.errorf("unexpected %q behind a quote", l.text[l.at])
			}
			return word, nil
		case quote == 0 && (isBlank(c) || c == ';' || c == '{'):
			return unescape(l.text[start:l.at]), nil
		}
		variable = c == '$'
	}
	if quote != 0 {
		l.line = line
		return "", l.errorf("the quote that begins here does not end")
	}
	l.at = len(l.text)
	return "", l.errorf("the file ends inside a word")
}

func unescape(word string) string {
	if !strings.Contains(word, `\`) {
		return word
	}
	var b strings.Builder
	for i := 0; i < len(word); i++ {
		if word[i] == '\\' && i+1 < len(word) {
			switch c := word[i+1]; c {
			case '"', '\'', '\\':
				b.WriteByte(c)
				i++
				continue
			case 't', 'r', 'n':
				b.WriteByte(map[byte]byte{'t': '\t', 'r': '\r', 'n': '\n'}[c])
				i++
				continue
			}
		}
		b.WriteByte(word[i])
	}
	return b.String()
}

var errLua = errors.New("a block of Lua, which is not read; name the file that holds the upstream alone")
