package lex

import (
	"bytes"
	"strings"
)

// literal is how one string literal is written.
type literal struct {
	open, close string
	escapes     bool // a backslash hides the next byte
	doubled     bool // the closing quote twice is one quote
	multiline   bool
	// hole opens an interpolation: "{", "${" or "$". Empty for none.
	hole string
}

// stringLiteral reads a string that starts here.
func (l *lexer) stringLiteral(end int) bool {
	lit, ok := l.lang.literal(l.src[l.pos:end])
	if !ok {
		return l.heredoc(end)
	}
	if lit.close == "" { // a character or a lifetime: nothing to keep
		l.pos += len(lit.open)
		return true
	}
	start := l.pos
	if start < l.openLine && lit.open == l.openQuote {
		l.pos++
		return true
	}
	body := start + len(lit.open)
	t := Token{Kind: String, Start: start, Body: body, Raw: true}
	var text []byte
	flush := func() {
		if len(text) > 0 {
			t.Parts = append(t.Parts, Part{Text: string(text)})
			text = text[:0]
		}
	}
	p := body
	for p < end {
		rest := l.src[p:end]
		switch c := l.src[p]; {
		case hasPrefix(rest, lit.close):
			if lit.doubled && hasPrefix(rest[len(lit.close):], lit.close) {
				text = append(text, lit.close...)
				t.Raw = false
				p += 2 * len(lit.close)
				continue
			}
			flush()
			t.End = p + len(lit.close)
			l.pos = t.End
			l.out = append(l.out, t)
			return true
		case c == '\n' && !lit.multiline:
			// Not closed on its line: no string after all. An apostrophe in
			// text between tags looks like this.
			l.openLine, l.openQuote = p, lit.open
			l.pos = start + 1
			l.out = append(l.out, Token{Kind: Punct, Start: start, End: start + 1, Text: string(l.src[start : start+1])})
			return true
		case c == '\\' && lit.escapes:
			t.Raw = false
			if p+1 < end {
				text = append(text, unescape(l.src[p+1])...)
			}
			p += 2
		case lit.hole != "" && c == lit.hole[0]:
			n, expr := l.hole(p, end, lit.hole)
			if n == 0 {
				text = append(text, c)
				p++
				continue
			}
			t.Raw = false
			if expr == nil { // an escaped brace
				text = append(text, c)
			} else {
				flush()
				t.Parts = append(t.Parts, Part{Expr: expr})
			}
			p += n
		case c == '}' && lit.hole == "{" && hasPrefix(rest, "}}"):
			t.Raw = false
			text = append(text, c)
			p += 2
		default:
			text = append(text, c)
			p++
		}
	}
	// Not closed at all: what was read is kept, so that nothing hides behind a
	// missing quote, and reading ends.
	flush()
	t.End = end
	l.pos = end
	l.out = append(l.out, t)
	return true
}

// hole reads an interpolation at p and returns its length and tokens. Length
// 0: it is none; nil tokens with a length: an escape for the brace itself.
func (l *lexer) hole(p, end int, open string) (int, []Token) {
	rest := l.src[p:end]
	if open == "{" && hasPrefix(rest, "{{") {
		return 2, nil
	}
	if open == "$" && len(rest) > 1 && isNameStart(rest[1]) && rest[1] != '$' {
		n := 1
		for n < len(rest) && isName(rest[n]) {
			n++
		}
		return n, []Token{{Kind: Ident, Start: p + 1, End: p + n, Text: string(rest[1:n])}}
	}
	brace := open
	if open == "$" {
		brace = "${"
	}
	if !hasPrefix(rest, brace) {
		return 0, nil
	}
	from := p + len(brace)
	to := closingBrace(l.src, from, end)
	if to < 0 {
		return 0, nil
	}
	expr := []Token{{Kind: Punct, Start: from, End: to}}
	if l.nest < maxNesting {
		sub := lexer{src: l.src, lang: l.lang, pos: from, depth: 1, nest: l.nest + 1}
		sub.run(to)
		if len(sub.out) > 0 {
			expr = sub.out
		}
	}
	return to + 1 - p, expr
}

// maxHole bounds how far an interpolation's end is looked for.
const maxHole = 1024

// closingBrace finds the brace that ends an interpolation, minding braces and
// quotes inside.
func closingBrace(src []byte, from, end int) int {
	depth := 0
	var quote byte
	for p := from; p < end && p < from+maxHole; p++ {
		switch c := src[p]; {
		case quote != 0:
			if c == '\\' {
				p++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '{':
			depth++
		case c == '}':
			if depth == 0 {
				return p
			}
			depth--
		}
	}
	// A quote without its partner, as in C#'s format {x:d'}: take the first.
	if i := bytes.IndexByte(src[from:min(end, from+maxHole)], '}'); i >= 0 {
		return from + i
	}
	return -1
}

// heredoc reads HCL's <<EOF and jsonnet's ||| blocks.
func (l *lexer) heredoc(end int) bool {
	rest := l.src[l.pos:end]
	var word string
	switch {
	case l.lang.Heredocs && hasPrefix(rest, "<<"):
		tag := bytes.TrimPrefix(rest[2:min(len(rest), 80)], []byte("-"))
		line, _, ok := bytes.Cut(tag, []byte("\n"))
		word = strings.TrimSpace(string(line))
		if !ok || word == "" || strings.ContainsFunc(word, func(r rune) bool { return r < 0x80 && !isName(byte(r)) }) {
			return false
		}
	case l.lang.TextBlocks && hasPrefix(rest, "|||"):
		word = "|||"
	default:
		return false
	}
	nl := bytes.IndexByte(rest, '\n')
	if nl < 0 {
		return false
	}
	body := l.pos + nl + 1
	for p := body; p < end; {
		stop := end
		if i := bytes.IndexByte(l.src[p:end], '\n'); i >= 0 {
			stop = p + i + 1
		}
		line := strings.TrimSpace(string(l.src[p:stop]))
		if line == word || word == "|||" && strings.HasPrefix(line, word) {
			l.addHeredoc(body, p, p+strings.Index(string(l.src[p:stop]), word)+len(word))
			return true
		}
		p = stop
	}
	l.addHeredoc(body, end, end)
	return true
}

func (l *lexer) addHeredoc(body, stop, next int) {
	l.out = append(l.out, Token{
		Kind: String, Start: l.pos, End: next, Body: body, Raw: true,
		Parts: []Part{{Text: string(l.src[body:stop])}},
	})
	l.pos = next
}

func unescape(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 'r':
		return "\r"
	case '\n':
		return ""
	}
	return string([]byte{c})
}
