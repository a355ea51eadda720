package program

import "github.com/slicewright/slicewright/app/internal/find/textsource/lex"

// language is what a family of languages has of its own.
type language struct {
	name string // in the table of clients
	// imports reads under which names a program knows the type.
	imports func(l *libraries, tokens []lex.Token)
	// judge looks at an identifier.
	judge func(c *code, tokens []lex.Token, i int)
}

// languages are the families by the lexer's names of their members.
var languages = map[string]language{
	"python":     {"python", (*libraries).pythonImports, (*code).pythonName},
	"java":       {"java", (*libraries).javaImports, (*code).jvmName},
	"kotlin":     {"java", (*libraries).javaImports, (*code).jvmName},
	"groovy":     {"java", (*libraries).javaImports, (*code).jvmName},
	"javascript": {"javascript", nil, (*code).javascriptName},
	"rust":       {"rust", (*libraries).rustImports, (*code).rustName},
	"csharp":     {"csharp", nil, (*code).csharpName},
}
