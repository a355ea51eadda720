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
	if l.pos < l.openLine && lit.open == l.openQuote {
		l.pos++
		return true
	}
	body := l.pos + len(lit.open)
	r := stringReader{lexer: l, lit: lit, end: end, p: body, token: Token{Kind: String, Start: l.pos, Body: body, Raw: true}}
	for r.p < end {
		if r.step() {
			return true
		}
	}
	// Not closed at all: what was read is kept, so that nothing hides behind a
	// missing quote, and reading ends.
	r.close(end)
	return true
}

// stringReader reads the body of one string.
type stringReader struct {
	*lexer
	lit    literal
	p, end int
	token  Token
	text   []byte // since the last interpolation
}

// step reads one piece at p, and reports whether the string ends there.
func (r *stringReader) step() bool {
	rest := r.src[r.p:r.end]
	switch c := rest[0]; {
	case hasPrefix(rest, r.lit.close):
		if r.lit.doubled && hasPrefix(rest[len(r.lit.close):], r.lit.close) {
			r.changed([]byte(r.lit.close), 2*len(r.lit.close))
			return false
		}
		r.close(r.p + len(r.lit.close))
		return true
	case c == '\n' && !r.lit.multiline:
		// Not closed on its line: no string after all. An apostrophe in text
		// between tags looks like this.
		start := r.token.Start
		r.openLine, r.openQuote = r.p, r.lit.open
		r.pos = start + 1
		r.out = append(r.out, Token{Kind: Punct, Start: start, End: start + 1, Text: string(r.src[start : start+1])})
		return true
	case c == '\\' && r.lit.escapes:
		var escaped []byte
		if len(rest) > 1 {
			escaped = append(escaped, unescape(rest[1])...)
		}
		r.changed(escaped, 2)
	case r.lit.hole != "" && c == r.lit.hole[0]:
		r.interpolation(c)
	case c == '}' && r.lit.hole == "{" && hasPrefix(rest, "}}"):
		r.changed([]byte{c}, 2)
	default:
		r.text = append(r.text, c)
		r.p++
	}
	return false
}

// changed keeps text that is written in another way, in width bytes.
func (r *stringReader) changed(text []byte, width int) {
	r.token.Raw = false
	r.text = append(r.text, text...)
	r.p += width
}

// interpolation reads what begins with the byte that opens one.
func (r *stringReader) interpolation(c byte) {
	n, expr := r.hole(r.p, r.end, r.lit.hole)
	switch {
	case n == 0:
		r.text = append(r.text, c)
		r.p++
	case expr == nil: // an escaped brace
		r.changed([]byte{c}, n)
	default:
		r.flush()
		r.token.Parts = append(r.token.Parts, Part{Expr: expr})
		r.changed(nil, n)
	}
}

// flush makes a part of the text so far.
func (r *stringReader) flush() {
	if len(r.text) > 0 {
		r.token.Parts = append(r.token.Parts, Part{Text: string(r.text)})
		r.text = r.text[:0]
	}
}

// close ends the string, and the reading of it, at an offset.
func (r *stringReader) close(end int) {
	r.flush()
	r.token.End = end
	r.pos = end
	r.out = append(r.out, r.token)
}

// hole reads an interpolation at p and returns its length and tokens. Length
// 0: there is no interpolation; nil tokens with a length: an escape for the brace itself.
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
