package lex

import "strings"

// Language is what the lexer needs to know of a language.
type Language struct {
	Name           string
	LineComments   []string
	BlockComments  [][2]string
	NestedComments bool
	Newlines       bool // a newline ends a statement
	Docstrings     bool // a string alone in a statement is documentation
	Regexps        bool // /x/ is a regular expression
	DashNames      bool // a-b is one name
	Heredocs       bool // <<EOF
	TextBlocks     bool // |||
	literal        func([]byte) (literal, bool)
}

var slashStar = [][2]string{{"/*", "*/"}}

// The languages.
var (
	Python = Language{
		Name: "python", LineComments: []string{"#"}, Newlines: true, Docstrings: true,
		literal: pythonLiteral,
	}
	Java = Language{
		Name: "java", LineComments: []string{"//"}, BlockComments: slashStar,
		literal: quotes(literal{open: `"""`, close: `"""`, escapes: true, multiline: true}, doubleQuoted, singleQuoted),
	}
	Kotlin = Language{
		Name: "kotlin", LineComments: []string{"//"}, BlockComments: slashStar, NestedComments: true,
		literal: quotes(literal{open: `"""`, close: `"""`, multiline: true, hole: "$"},
			literal{open: `"`, close: `"`, escapes: true, hole: "$"}, singleQuoted),
	}
	// Groovy is what Gradle and Jenkinsfiles are written in.
	Groovy = Language{
		Name: "groovy", LineComments: []string{"//"}, BlockComments: slashStar, Newlines: true,
		literal: quotes(literal{open: `"""`, close: `"""`, escapes: true, multiline: true, hole: "$"},
			literal{open: `'''`, close: `'''`, escapes: true, multiline: true},
			literal{open: `"`, close: `"`, escapes: true, hole: "$"}, singleQuoted),
	}
	JavaScript = Language{
		Name: "javascript", LineComments: []string{"//"}, BlockComments: slashStar, Regexps: true,
		literal: quotes(doubleQuoted, singleQuoted, literal{open: "`", close: "`", escapes: true, multiline: true, hole: "${"}),
	}
	Jsonnet = Language{
		Name: "jsonnet", LineComments: []string{"//", "#"}, BlockComments: slashStar, TextBlocks: true,
		literal: quotes(literal{open: `@"`, close: `"`, doubled: true, multiline: true}, literal{open: `@'`, close: `'`, doubled: true, multiline: true},
			literal{open: `"`, close: `"`, escapes: true, multiline: true}, literal{open: `'`, close: `'`, escapes: true, multiline: true}),
	}
	Rust = Language{
		Name: "rust", LineComments: []string{"//"}, BlockComments: slashStar, NestedComments: true,
		literal: rustLiteral,
	}
	CSharp = Language{
		Name: "csharp", LineComments: []string{"//"}, BlockComments: slashStar,
		literal: csharpLiteral,
	}
	HCL = Language{
		Name: "hcl", LineComments: []string{"#", "//"}, BlockComments: slashStar, Newlines: true, DashNames: true, Heredocs: true,
		literal: quotes(literal{open: `"`, close: `"`, escapes: true, hole: "${"}, literal{open: "`", close: "`", multiline: true}),
	}
)

var (
	doubleQuoted = literal{open: `"`, close: `"`, escapes: true}
	singleQuoted = literal{open: `'`, close: `'`, escapes: true}
)

// quotes tries literals in order: longer openings first.
func quotes(list ...literal) func([]byte) (literal, bool) {
	return func(src []byte) (literal, bool) {
		for _, q := range list {
			if hasPrefix(src, q.open) {
				return q, true
			}
		}
		return literal{}, false
	}
}

// pythonLiteral knows the prefixes r, b, u, f and t in any order and case.
func pythonLiteral(src []byte) (literal, bool) {
	n := 0
	raw, format := false, false
	for n < len(src) && n < 3 && src[n] != '"' && src[n] != '\'' {
		switch src[n] {
		case 'r', 'R':
			raw = true
		case 'f', 'F', 't', 'T':
			format = true
		case 'b', 'B', 'u', 'U':
		default:
			return literal{}, false
		}
		n++
	}
	if n >= len(src) || src[n] != '"' && src[n] != '\'' {
		return literal{}, false
	}
	q := string(src[n])
	lit := literal{open: string(src[:n]) + q, close: q, escapes: !raw}
	if hasPrefix(src[n:], q+q+q) {
		lit.open, lit.close, lit.multiline = string(src[:n])+q+q+q, q+q+q, true
	}
	if format {
		lit.hole = "{"
	}
	return lit, true
}

// rustLiteral tells characters from lifetimes and counts the # of raw strings.
func rustLiteral(src []byte) (literal, bool) {
	if src[0] == '\'' {
		switch {
		case len(src) > 3 && src[1] == '\\':
			n := 3
			for n < len(src) && n < 12 && src[n] != '\'' {
				n++
			}
			return literal{open: string(src[:min(n+1, len(src))])}, true
		case len(src) > 2 && src[2] == '\'':
			return literal{open: string(src[:3])}, true
		}
		return literal{open: "'"}, true
	}
	n := 0
	if src[0] == 'b' || src[0] == 'c' {
		n = 1
	}
	if n < len(src) && src[n] == 'r' {
		hashes := n + 1
		for hashes < len(src) && src[hashes] == '#' {
			hashes++
		}
		if hashes < len(src) && src[hashes] == '"' {
			return literal{open: string(src[:hashes+1]), close: `"` + strings.Repeat("#", hashes-n-1), multiline: true}, true
		}
		return literal{}, false
	}
	if n < len(src) && src[n] == '"' {
		return literal{open: string(src[:n+1]), close: `"`, escapes: true, multiline: true}, true
	}
	return literal{}, false
}

// csharpLiteral knows verbatim, interpolated and raw strings.
func csharpLiteral(src []byte) (literal, bool) {
	n := 0
	dollar, verbatim := false, false
	for n < len(src) && n < 4 && (src[n] == '$' || src[n] == '@') {
		dollar = dollar || src[n] == '$'
		verbatim = verbatim || src[n] == '@'
		n++
	}
	if n < len(src) && src[n] == '\'' && n == 0 {
		return singleQuoted, true
	}
	if n >= len(src) || src[n] != '"' {
		return literal{}, false
	}
	lit := literal{open: string(src[:n+1]), close: `"`, escapes: !verbatim, doubled: verbatim, multiline: verbatim}
	q := n
	for q < len(src) && src[q] == '"' {
		q++
	}
	if q-n >= 3 && !verbatim {
		lit = literal{open: string(src[:q]), close: string(src[n:q]), multiline: true}
	}
	if dollar {
		lit.hole = "{"
	}
	return lit, true
}
