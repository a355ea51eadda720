package program

import (
	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/lex"
)

// constants collects names that hold strings: x = "a", const X: &str = "a",
// String x = "a", for x in ["a", "b"], and loops over such a list by name.
func constants(tokens []lex.Token) map[string][]string {
	values := map[string][]string{}
	lists := map[string][]string{}
	add := func(m map[string][]string, name string, vs ...string) {
		for _, v := range vs {
			if len(m[name]) < detect.MaxValues && len(v) < 512 {
				m[name] = append(m[name], v)
			}
		}
	}
	var loops [][2]string
	for i := 1; i+1 < len(tokens); i++ {
		t, next := tokens[i], tokens[i+1]
		switch {
		case t.Is("="):
			name := assigned(tokens, i)
			if name == "" {
				continue
			}
			if next.Kind == lex.String && endsExpression(tokens, i+2) {
				add(values, name, next.Value())
			} else if next.Is("[") || next.Is("(") || next.Is("{") || next.Is("&") {
				add(lists, name, stringsIn(tokens, i+1)...)
			}
		case (t.Is("in") || t.Is("of")) && tokens[i-1].Kind == lex.Ident:
			if next.Is("[") || next.Is("(") {
				add(values, tokens[i-1].Text, stringsIn(tokens, i+1)...)
			} else if next.Kind == lex.Ident {
				loops = append(loops, [2]string{tokens[i-1].Text, next.Text})
			}
		}
	}
	for _, l := range loops {
		add(values, l[0], lists[l[1]]...)
	}
	return values
}

// assigned is the name that the = at i gives a value, past a type between.
func assigned(tokens []lex.Token, i int) string {
	for j := i - 1; j >= 0 && j > i-8; j-- {
		switch t := tokens[j]; {
		case t.Kind == lex.Newline || t.Is(";") || t.Is("{") || t.Is("}") || t.Is(","):
			j = -1
		case t.Is(":") && j > 0 && tokens[j-1].Kind == lex.Ident:
			return tokens[j-1].Text
		}
	}
	if tokens[i-1].Kind == lex.Ident {
		return tokens[i-1].Text
	}
	return ""
}

// endsExpression reports whether the expression before token i is complete.
func endsExpression(tokens []lex.Token, i int) bool {
	if i >= len(tokens) || tokens[i].Kind == lex.Newline {
		return true
	}
	t := tokens[i]
	return t.Kind == lex.Ident || t.Is(";") || t.Is(",") || t.Is(")") || t.Is("}") || t.Is("#") || t.Is("@")
}

// stringsIn are the strings of a list that opens at i.
func stringsIn(tokens []lex.Token, i int) []string {
	if tokens[i].Is("&") {
		i++
	}
	if i >= len(tokens) || !tokens[i].Is("[") && !tokens[i].Is("(") && !tokens[i].Is("{") {
		return nil
	}
	var out []string
	for _, t := range tokens[i:closing(tokens, i)] {
		if t.Kind == lex.String && len(out) < detect.MaxValues {
			out = append(out, t.Value())
		}
	}
	return out
}
