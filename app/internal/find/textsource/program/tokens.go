package program

import (
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/textsource/lex"
)

// maxLookback bounds how far a token's surroundings are looked at, so that a
// file that is one expression costs no more than its length.
const maxLookback = 256

// call is the innermost call around a token.
type call struct {
	name string // the last name before the bracket; "" for none
	root string // the first name of the chain: requests in requests.get
	open int    // index of the bracket; -1 for none
	at   int    // index of name
}

// enclosingCall finds the call whose arguments hold token i. Lists and objects
// on the way out are passed.
func enclosingCall(tokens []lex.Token, i int) call {
	depth := 0
	for j := i - 1; j >= 0 && j > i-maxLookback; j-- {
		t := tokens[j]
		if t.Kind == lex.Newline && depth == 0 || t.Is(";") && depth == 0 {
			break
		}
		if t.Kind != lex.Punct {
			continue
		}
		switch t.Text {
		case ")", "]", "}":
			depth++
		case "[", "{":
			if depth > 0 {
				depth--
			}
		case "(":
			if depth > 0 {
				depth--
				continue
			}
			return describeCall(tokens, j)
		}
	}
	return call{open: -1, at: -1}
}

// describeCall names the call that opens at a bracket.
func describeCall(tokens []lex.Token, open int) call {
	c := call{open: open, at: -1}
	k := open - 1
	if k >= 0 && tokens[k].Is("!") { // a Rust macro
		k--
	}
	if k >= 0 && tokens[k].Is(">") { // generic arguments
		for depth := 0; k >= 0 && open-k < 40; k-- {
			if tokens[k].Is(">") {
				depth++
			} else if tokens[k].Is("<") {
				if depth--; depth == 0 {
					k--
					break
				}
			}
		}
		if k >= 0 && tokens[k].Is("::") {
			k--
		}
	}
	if k < 0 || tokens[k].Kind != lex.Ident {
		return c
	}
	c.name, c.at, c.root = tokens[k].Text, k, tokens[k].Text
	for k >= 2 && isDot(tokens[k-1]) && tokens[k-2].Kind == lex.Ident {
		k -= 2
		c.root = tokens[k].Text
	}
	return c
}

func isDot(t lex.Token) bool { return t.Is(".") || t.Is("?.") || t.Is("::") }

// closing is the index of the bracket that closes the one at open, or the last
// token.
func closing(tokens []lex.Token, open int) int {
	depth := 0
	for j := open; j < len(tokens) && j < open+4*maxLookback; j++ {
		if tokens[j].Kind != lex.Punct {
			continue
		}
		switch tokens[j].Text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return j
			}
		}
	}
	return min(len(tokens)-1, open+4*maxLookback)
}

// chainAfter lists the names of a call chain from token i on: for
// .inNamespace(ns).list() it is inNamespace, list.
func chainAfter(tokens []lex.Token, i int) []string {
	var names []string
	for i < len(tokens) && len(names) < 20 {
		switch t := tokens[i]; {
		case isDot(t) && i+1 < len(tokens) && tokens[i+1].Kind == lex.Ident:
			names = append(names, tokens[i+1].Text)
			i += 2
		case t.Is("(") || t.Is("["):
			i = closing(tokens, i) + 1
		case t.Is("!") || t.Is("?"):
			i++
		default:
			return names
		}
	}
	return names
}

// chainBefore lists the names of a call chain that ends at token i, the
// nearest first: for api.v1.namespaces(ns).endpoints it is namespaces, v1, api.
func chainBefore(tokens []lex.Token, i int) []string {
	var names []string
	for j := i - 1; j > 0 && len(names) < 20 && isDot(tokens[j]); {
		j--
		for j > 0 && (tokens[j].Is(")") || tokens[j].Is("]")) {
			depth, low := 0, max(0, j-maxLookback)
			for ; j > low; j-- {
				if tokens[j].Is(")") || tokens[j].Is("]") {
					depth++
				} else if tokens[j].Is("(") || tokens[j].Is("[") {
					if depth--; depth == 0 {
						break
					}
				}
			}
			j--
		}
		if j < 0 || tokens[j].Kind != lex.Ident {
			break
		}
		names = append(names, tokens[j].Text)
		j--
	}
	return names
}

// inProse reports whether the string at i is there to be read by people: it is
// logged, raised, or says what an option does.
func inProse(tokens []lex.Token, i int) bool {
	at := enclosingCall(tokens, i)
	for level := 0; at.open >= 0 && level < 2; level++ {
		if isProseCall(at.name) {
			return true
		}
		if runsCommands(at.name) {
			break
		}
		at = enclosingCall(tokens, at.open)
	}
	if isCompared(tokens, i) {
		return true
	}
	// echo 'x' in Groovy, print "x" in old Python: a call without brackets.
	if i >= 1 && tokens[i-1].Kind == lex.Ident && isProseCall(tokens[i-1].Text) {
		return true
	}
	if i < 2 || !tokens[i-1].Is("=") && !tokens[i-1].Is(":") {
		return false
	}
	name := tokens[i-2].Text
	if tokens[i-2].Kind == lex.String {
		name = tokens[i-2].Value()
	}
	return calls.ProseFields[strings.ToLower(name)]
}

// isCompared reports whether the string at i is compared with something: it is
// not run then. The lexer writes != and === as two tokens.
func isCompared(tokens []lex.Token, i int) bool {
	if i >= 1 && (tokens[i-1].Is("==") || i >= 2 && tokens[i-1].Is("=") && (tokens[i-2].Is("!") || tokens[i-2].Is("=="))) {
		return true
	}
	return i+1 < len(tokens) && (tokens[i+1].Is("==") || tokens[i+1].Is("in"))
}

func isProseCall(name string) bool {
	name = strings.ToLower(name)
	return calls.Prose[name] || calls.ProseSuffixes.EndsAny(name) || calls.ProsePrefixes.BeginsAny(name)
}

// runsCommands reports whether a call of this name starts a program.
func runsCommands(name string) bool {
	name = strings.ToLower(strings.Trim(name, "_$"))
	return calls.Runners[name] || calls.RunnerParts.InAny(name) || calls.RunnerSuffixes.EndsAny(name)
}
