// Package lex splits source code of several languages into identifiers,
// strings, numbers and punctuation, and drops comments and documentation
// strings. It knows just enough of each language to tell code from text: which
// names are called, which strings are values, and what is only talked about.
//
// It never fails: what it cannot make sense of becomes punctuation, and every
// byte is looked at a bounded number of times. Functions are safe for
// concurrent use.
package lex

import "strings"

// Kind says what a token is.
type Kind uint8

// The kinds.
const (
	Ident Kind = iota + 1
	String
	Number
	Punct
	// Newline ends a statement; only languages in which it does have it, and
	// only outside brackets.
	Newline
)

// Token is one piece of code. Start and End are byte offsets into the source.
type Token struct {
	Kind       Kind
	Start, End int
	// Text is the name or the punctuation as written. Empty for strings.
	Text string
	// Parts is the content of a string: text and interpolated expressions.
	Parts []Part
	// Body is the offset of the first byte of a string's content.
	Body int
	// Raw says that the source has a string's content byte for byte, so
	// that an offset in it is an offset from Body.
	Raw bool
}

// Part is a stretch of a string: literal text, or an expression when Expr is
// set. An expression whose tokens could not be kept has one Punct token.
type Part struct {
	Text string
	Expr []Token
}

// Is reports whether the token is the punctuation or name s.
func (t Token) Is(s string) bool {
	return (t.Kind == Punct || t.Kind == Ident) && t.Text == s
}

// Value is a string's content with {} in place of each expression.
func (t Token) Value() string {
	if len(t.Parts) == 1 && t.Parts[0].Expr == nil {
		return t.Parts[0].Text
	}
	var b strings.Builder
	for _, p := range t.Parts {
		if p.Expr != nil {
			b.WriteString("{}")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// Tokens splits src. Interpolated expressions are inside their string's token.
func Tokens(src []byte, lang Language) []Token {
	l := lexer{src: src, lang: &lang}
	l.run(len(src))
	if lang.Docstrings {
		return dropDocstrings(l.out)
	}
	return l.out
}

// maxNesting bounds expressions in strings in expressions; real code has two
// or three, a hostile file could have a million.
const maxNesting = 12

type lexer struct {
	src   []byte
	lang  *Language
	pos   int
	depth int // open brackets: a newline inside them ends nothing
	nest  int
	out   []Token
	// openLine is the end of a line on which quote openQuote has no partner:
	// looking for one again from each later quote would take quadratic time.
	openLine  int
	openQuote string
}

// run reads up to end.
func (l *lexer) run(end int) {
	for l.pos < end {
		c := l.src[l.pos]
		switch {
		case c == '\n':
			if l.lang.Newlines && l.depth == 0 {
				l.emit(Newline, l.pos, l.pos+1)
			}
			l.pos++
		case c == ' ' || c == '\t' || c == '\r' || c == '\f':
			l.pos++
		case c == '\\' && l.lang.Newlines && l.continues(end):
		case l.comment(end):
		case l.stringLiteral(end):
		case isNameStart(c):
			l.name(end)
		case c >= '0' && c <= '9':
			l.number(end)
		case c == '/' && l.lang.Regexps && l.regexpAllowed():
			l.regexp(end)
		default:
			l.punct(end)
		}
	}
}

func (l *lexer) number(end int) {
	start := l.pos
	for l.pos < end && (isName(l.src[l.pos]) || l.src[l.pos] == '.') {
		l.pos++
	}
	l.emit(Number, start, l.pos)
}

// continues swallows a backslash at a line's end.
func (l *lexer) continues(end int) bool {
	p := l.pos + 1
	if p < end && l.src[p] == '\r' {
		p++
	}
	if p < end && l.src[p] == '\n' {
		l.pos = p + 1
		return true
	}
	return false
}

func (l *lexer) name(end int) {
	start := l.pos
	for l.pos < end && (isName(l.src[l.pos]) || l.lang.DashNames && l.src[l.pos] == '-') {
		l.pos++
	}
	l.emit(Ident, start, l.pos)
}

func (l *lexer) punct(end int) {
	switch c := l.src[l.pos]; c {
	case '(', '[', '{':
		l.depth++
	case ')', ']', '}':
		if l.depth > 0 {
			l.depth--
		}
	case ':', '=', '-', '?':
		// "::", "->", "=>", "==" and "?." read better as one.
		if l.pos+1 < end {
			switch two := string(l.src[l.pos : l.pos+2]); two {
			case "::", "->", "=>", "==", "?.":
				l.emit(Punct, l.pos, l.pos+2)
				l.pos += 2
				return
			}
		}
	}
	l.emit(Punct, l.pos, l.pos+1)
	l.pos++
}

func (l *lexer) emit(k Kind, start, end int) {
	l.out = append(l.out, Token{Kind: k, Start: start, End: end, Text: string(l.src[start:end])})
}

// comment skips a comment that starts here.
func (l *lexer) comment(end int) bool {
	rest := l.src[l.pos:end]
	for _, mark := range l.lang.LineComments {
		if hasPrefix(rest, mark) {
			for l.pos < end && l.src[l.pos] != '\n' {
				l.pos++
			}
			return true
		}
	}
	for _, pair := range l.lang.BlockComments {
		if !hasPrefix(rest, pair[0]) {
			continue
		}
		l.pos += len(pair[0])
		for open := 1; l.pos < end && open > 0; {
			switch rest := l.src[l.pos:end]; {
			case hasPrefix(rest, pair[1]):
				open--
				l.pos += len(pair[1])
			case l.lang.NestedComments && hasPrefix(rest, pair[0]):
				open++
				l.pos += len(pair[0])
			default:
				l.pos++
			}
		}
		return true
	}
	return false
}

// regexpAllowed tells a regular expression from a division by what is
// before it.
func (l *lexer) regexpAllowed() bool {
	if len(l.out) == 0 {
		return true
	}
	last := l.out[len(l.out)-1]
	switch last.Kind {
	case String, Number:
		return false
	case Ident:
		switch last.Text {
		case "return", "typeof", "case", "in", "of", "do", "else", "await", "yield":
			return true
		}
		return false
	case Punct:
		return last.Text != ")" && last.Text != "]" && last.Text != "}"
	}
	return true
}

// maxRegexp bounds how far a regular expression's end is looked for.
const maxRegexp = 1024

// regexp skips a regular expression; on a line without its end it is a slash.
func (l *lexer) regexp(end int) {
	class := false
	for p := l.pos + 1; p < min(end, l.pos+maxRegexp) && l.src[p] != '\n'; p++ {
		switch c := l.src[p]; {
		case c == '\\':
			p++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			l.pos = p + 1
			return
		}
	}
	l.punct(end)
}

// dropDocstrings removes strings that are statements of their own: they
// document, nothing reads them.
func dropDocstrings(in []Token) []Token {
	out := in[:0]
	for i := 0; i < len(in); {
		j := i
		for j < len(in) && in[j].Kind != Newline {
			j++
		}
		only := j > i
		for _, t := range in[i:j] {
			only = only && t.Kind == String
		}
		if !only {
			out = append(out, in[i:j]...)
		}
		if j < len(in) {
			out = append(out, in[j])
		}
		i = j + 1
	}
	return out
}

func hasPrefix(b []byte, s string) bool {
	return len(b) >= len(s) && string(b[:len(s)]) == s
}

func isNameStart(c byte) bool {
	return c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func isName(c byte) bool { return isNameStart(c) || c >= '0' && c <= '9' }
