package program

import "github.com/slicewright/slicewright/app/internal/find/textsource/lex"

// language is what a family of languages has of its own.
type language struct {
	// imports reads under which names a program knows the type.
	imports func(l *libraries, tokens []lex.Token)
	// name judges an identifier.
	name func(c *code, tokens []lex.Token, i int)
}

// languages are the families by the lexer's names of their members.
var languages = map[string]language{
	"python":     {(*libraries).pythonImports, (*code).pythonName},
	"java":       {(*libraries).javaImports, (*code).jvmName},
	"kotlin":     {(*libraries).javaImports, (*code).jvmName},
	"groovy":     {(*libraries).javaImports, (*code).jvmName},
	"javascript": {nil, (*code).javascriptName},
	"rust":       {(*libraries).rustImports, (*code).rustName},
	"csharp":     {nil, (*code).csharpName},
}
