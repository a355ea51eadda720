package program

import (
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/lex"
)

// folded is a string expression.
type folded struct {
	detect.Possible
	end int // index of its last token
}

// fold reads the string expression that begins at or before token i: literals
// joined by + or set side by side, with names and calls between, and filled
// in by % or format.
func (c *code) fold(tokens []lex.Token, i int) folded {
	f := folded{Possible: detect.Possible{All: []string{""}}, end: i}
	// The part before it: PREFIX + "…".
	if i >= 2 && tokens[i-1].Is("+") && (tokens[i-2].Kind == lex.Ident || tokens[i-2].Is(")")) {
		before := []string{"{}"}
		if tokens[i-2].Kind == lex.Ident && (i < 3 || !isDot(tokens[i-3])) {
			before = c.valuesOf(tokens[i-2].Text)
		}
		f.Append(before)
	}
	f.Append(c.literal(tokens[i]))
	if end := c.join(&f, tokens, i); end > i {
		f.end = end
		return f
	}
	for n := i + 1; n < len(tokens); {
		switch {
		case tokens[n].Kind == lex.String && c.lang.Name == "python":
			f.Append(c.literal(tokens[n]))
			f.end = n
			n++
		case tokens[n].Is("+") && n+1 < len(tokens):
			if tokens[n+1].Kind == lex.String {
				f.Append(c.literal(tokens[n+1]))
				f.end = n + 1
				n += 2
				continue
			}
			end := operandEnd(tokens, n+1)
			if end == n+1 {
				return f
			}
			values := []string{"{}"}
			if end == n+2 && tokens[n+1].Kind == lex.Ident {
				values = c.valuesOf(tokens[n+1].Text)
			}
			f.Append(values)
			f.end = end - 1
			n = end
		default:
			c.fill(&f, tokens, n)
			return f
		}
	}
	return f
}

// join reads "_".join(["a", b]) from its separator on, and ["a", b].join("_")
// from its first element on. It returns the last token's index, or i.
func (c *code) join(f *folded, tokens []lex.Token, i int) int {
	var list []lex.Token
	separator, end := "", i
	switch {
	case i+4 < len(tokens) && tokens[i+1].Is(".") && tokens[i+2].Is("join") && tokens[i+3].Is("(") && (tokens[i+4].Is("[") || tokens[i+4].Is("(")):
		end = closing(tokens, i+3)
		separator = tokens[i].Value()
		list = tokens[i+5 : max(i+5, closing(tokens, i+4))]
	case i > 0 && tokens[i-1].Is("["):
		last := closing(tokens, i-1)
		if last+4 >= len(tokens) || !tokens[last+1].Is(".") || !tokens[last+2].Is("join") || tokens[last+4].Kind != lex.String {
			return i
		}
		separator, end = tokens[last+4].Value(), last+4
		list = tokens[i:last]
	default:
		return i
	}
	out := detect.Possible{All: []string{""}}
	for k, element := range splitArguments(list) {
		if k > 0 {
			out.Append([]string{separator})
		}
		values := []string{"{}"}
		if len(element) == 1 && element[0].Kind == lex.String {
			values = c.literal(element[0])
		} else if len(element) == 1 && element[0].Kind == lex.Ident {
			values = c.valuesOf(element[0].Text)
		}
		out.Append(values)
	}
	f.Possible = out
	return end
}

// literal is a string token's values: interpolated names are looked up.
func (c *code) literal(t lex.Token) []string {
	f := detect.Possible{All: []string{""}}
	for _, p := range t.Parts {
		switch {
		case p.Expr == nil:
			f.Append([]string{p.Text})
		case len(p.Expr) == 1 && p.Expr[0].Kind == lex.Ident:
			f.Append(c.valuesOf(p.Expr[0].Text))
		default:
			f.Append([]string{"{}"})
		}
	}
	return f.All
}

// valuesOf looks a name up. A name that says kubectl holds kubectl.
func (c *code) valuesOf(name string) []string {
	if vs := c.consts[name]; len(vs) > 0 {
		return vs
	}
	if strings.Contains(strings.ToLower(name), "kubectl") {
		return []string{"kubectl"}
	}
	return []string{"{}"}
}

// operandEnd is the index after an operand: a name or a bracket with what is
// called and taken from it.
func operandEnd(tokens []lex.Token, i int) int {
	n := i
	switch {
	case n >= len(tokens):
		return n
	case tokens[n].Kind == lex.Ident || tokens[n].Kind == lex.Number:
		n++
	case tokens[n].Is("("):
		n = closing(tokens, n) + 1
	default:
		return i
	}
	for n < len(tokens) {
		switch {
		case isDot(tokens[n]) && n+1 < len(tokens) && tokens[n+1].Kind == lex.Ident:
			n += 2
		case tokens[n].Is("(") || tokens[n].Is("["):
			n = closing(tokens, n) + 1
		default:
			return n
		}
	}
	return n
}

// fill puts the arguments of %, .format and format calls into the gaps of a
// pattern, and marks gaps that stay.
func (c *code) fill(f *folded, tokens []lex.Token, n int) {
	var args []lex.Token
	switch {
	case n < len(tokens) && tokens[n].Is("%") && n+1 < len(tokens):
		args = tokens[n+1 : n+2]
		if tokens[n+1].Is("(") {
			args = tokens[n+2 : closing(tokens, n+1)]
		}
	case n+2 < len(tokens) && tokens[n].Is(".") && (tokens[n+1].Is("format") || tokens[n+1].Is("formatted")) && tokens[n+2].Is("("):
		args = tokens[n+3 : max(n+3, closing(tokens, n+2))]
	case n < len(tokens) && tokens[n].Is(","):
		at := enclosingCall(tokens, n)
		name := strings.ToLower(at.name)
		if at.open >= 0 && (strings.Contains(name, "format") || name == "sprintf") {
			args = tokens[n+1 : max(n+1, closing(tokens, at.open))]
		}
	}
	values := splitArguments(args)
	for k, v := range f.All {
		f.All[k] = c.fillPattern(v, values, &f.Pieces)
	}
}

// splitArguments cuts at commas outside brackets.
func splitArguments(tokens []lex.Token) [][]lex.Token {
	var out [][]lex.Token
	depth, from := 0, 0
	for i, t := range tokens {
		switch {
		case t.Is("(") || t.Is("[") || t.Is("{"):
			depth++
		case t.Is(")") || t.Is("]") || t.Is("}"):
			depth--
		case t.Is(",") && depth == 0:
			out = append(out, tokens[from:i])
			from = i + 1
		}
	}
	if from < len(tokens) {
		out = append(out, tokens[from:])
	}
	return out
}

// fillPattern replaces %s and {…} by arguments in order, by named arguments,
// by names in scope, or by {}.
func (c *code) fillPattern(pattern string, args [][]lex.Token, pieces *int) string {
	if !strings.ContainsAny(pattern, "%{") {
		return pattern
	}
	var b strings.Builder
	next := 0
	for i := 0; i < len(pattern); {
		width, name := gap(pattern[i:])
		if width == 0 {
			b.WriteByte(pattern[i])
			i++
			continue
		}
		i += width
		*pieces++
		value := "{}"
		if name != "" {
			for _, a := range args {
				if len(a) >= 3 && a[0].Is(name) && a[1].Is("=") {
					value = c.one(a[2:])
				}
			}
			if value == "{}" {
				value = c.valuesOf(name)[0]
			}
		} else if next < len(args) {
			value = c.one(args[next])
			next++
		}
		b.WriteString(value)
	}
	return b.String()
}

// gap recognises a placeholder at the start of s.
func gap(s string) (width int, name string) {
	switch {
	case len(s) >= 2 && s[0] == '%' && (s[1] == 's' || s[1] == 'd' || s[1] == 'v' || s[1] == 'q' || s[1] == 'r'):
		return 2, ""
	case s[0] == '{':
		end := strings.IndexByte(s, '}')
		if end < 0 || end > 40 {
			return 0, ""
		}
		name = s[1:end]
		if name == "" || name[0] >= '0' && name[0] <= '9' {
			return end + 1, ""
		}
		name, _, _ = strings.Cut(name, ":")
		if strings.ContainsAny(name, " \"'{$,/=") {
			return 0, ""
		}
		return end + 1, name
	}
	return 0, ""
}

// one is the value of an argument: a literal, a constant, or {}.
func (c *code) one(arg []lex.Token) string {
	if len(arg) == 1 {
		switch arg[0].Kind {
		case lex.String:
			return arg[0].Value()
		case lex.Ident:
			return c.valuesOf(arg[0].Text)[0]
		}
	}
	return "{}"
}
