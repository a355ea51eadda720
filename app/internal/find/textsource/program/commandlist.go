package program

import (
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/textsource/kubectl"
	"github.com/slicewright/slicewright/app/internal/find/textsource/lex"
	"github.com/slicewright/slicewright/app/internal/find/textsource/shell"
)

// commandHelper judges a call of a function that is named for kubectl:
// run_kubectl(["get", "ep"]), kubectl("get endpoints"), sh.kubectl("get", "ep").
func (c *code) commandHelper(tokens []lex.Token, i int) {
	name := strings.ToLower(tokens[i].Text)
	if !strings.Contains(name, "kubectl") && name != "oc" || i+1 >= len(tokens) || !tokens[i+1].Is("(") || declares(tokens, i) {
		return
	}
	args := c.arguments(tokens, i+2, closing(tokens, i+1))
	if len(args) > 0 && kubectl.IsProgram(args[0].Values[0]) {
		return // the words name it themselves, and are judged there
	}
	r, ok, guessed := shell.ParseWords(args)
	if !ok {
		return
	}
	r.Guessed = guessed
	c.command(tokens[i].Start, r, evidence.Likely)
}

// commandList judges a name in the place of a program: [KUBECTL,
// "get", "endpoints"].
func (c *code) commandList(tokens []lex.Token, i int) {
	if i == 0 || i+1 >= len(tokens) || !tokens[i+1].Is(",") || !tokens[i-1].Is("[") && !tokens[i-1].Is("(") && !tokens[i-1].Is(",") {
		return
	}
	for _, v := range c.valuesOf(tokens[i].Text) {
		if v != "k" && v != "{}" && kubectl.IsProgram(v) {
			c.commandWords(tokens, i)
			return
		}
	}
}

// programText reports whether the string at i is a program's name alone, and
// judges the words that follow: ["kubectl", "get", "ep"],
// Command::new("kubectl").args(["get", "ep"]), Process.Start("kubectl", "get ep").
func (c *code) programText(tokens []lex.Token, i int) bool {
	v := tokens[i].Value()
	if len(v) < 2 || len(v) > 200 || strings.ContainsAny(v, " \n") || !kubectl.IsProgram(v) || v == "kc" {
		return false
	}
	if i > 0 && (tokens[i-1].Is("==") || tokens[i-1].Is("=")) && (i < 2 || !strings.EqualFold(tokens[i-2].Text, "filename")) {
		return false
	}
	c.commandWords(tokens, i)
	return true
}

// commandWords reads the words after the program at i.
func (c *code) commandWords(tokens []lex.Token, i int) {
	end := commandEnd(tokens, i)
	args := c.arguments(tokens, i+1, end)
	if r, ok, guessed := shell.ParseWords(args); ok {
		r.Guessed = guessed
		c.command(tokens[i].Start, r, evidence.Likely)
	}
}

// commandEnd is where the statement around a program's name ends.
func commandEnd(tokens []lex.Token, i int) int {
	depth := 0
	for n := i; n < len(tokens) && n < i+maxLookback; n++ {
		t := tokens[n]
		switch {
		case t.Kind == lex.Newline && depth <= 0, t.Is(";"):
			return n
		case t.Is("(") || t.Is("[") || t.Is("{"):
			depth++
		case t.Is(")") || t.Is("]") || t.Is("}"):
			depth--
			// Leaving the call or list: go on only for .args(…), + [...] and
			// the argument list after it.
			if depth < 0 && n+1 < len(tokens) {
				next := tokens[n+1]
				if !isDot(next) && !next.Is(",") && !next.Is("+") && !next.Is(")") && !next.Is("{") && !next.Is("!") {
					return n
				}
			}
			if depth < -3 {
				return n
			}
		}
	}
	return min(len(tokens), i+maxLookback)
}

// arguments are the words between two tokens: strings split at blanks, names
// with their values.
func (c *code) arguments(tokens []lex.Token, from, to int) []shell.Word {
	var out []shell.Word
	for n := from; n < to && n < len(tokens) && len(out) < 64; n++ {
		t := tokens[n]
		switch {
		case t.Kind == lex.String:
			f := c.fold(tokens, n)
			for _, w := range strings.Fields(f.All[0]) {
				values := []string{w}
				if len(f.All) > 1 && !strings.Contains(f.All[0], " ") {
					values = f.All
				}
				out = append(out, shell.Word{Values: values, Offset: t.Start})
			}
			if f.end > n && f.end < to {
				n = f.end
			}
		case t.Kind == lex.Ident && isArgument(tokens, n):
			out = append(out, shell.Word{Values: c.valuesOf(t.Text), Offset: t.Start})
		case t.Kind == lex.Ident && n+1 < len(tokens) && tokens[n+1].Is("=") && c.lang.Name == "python":
			return out // keyword arguments end the words
		}
	}
	return out
}

// isArgument reports whether the name at n is an argument or an element by
// itself.
func isArgument(tokens []lex.Token, n int) bool {
	if n == 0 || n+1 >= len(tokens) {
		return false
	}
	before, after := tokens[n-1], tokens[n+1]
	return (before.Is(",") || before.Is("[") || before.Is("(") || before.Is("&")) && (after.Is(",") || after.Is("]") || after.Is(")"))
}
