package program

import (
	"bytes"
	"slices"

	"github.com/slicewright/slicewright/app/internal/find/textsource/lex"
)

// libraries are the client libraries that a program imports, as far as its
// own text says.
type libraries struct {
	kube bool // any client at all
	// used are the libraries by the names that the table gives them.
	used map[string]bool
	// fluent says that it may use JavaScript's fluent client.
	fluent bool
	// endpoints are the names under which the API's Endpoints type is known
	// here.
	endpoints map[string]bool
	// modules are names under which a module that holds it is known.
	modules map[string]bool
}

// importedLibraries reads the imports. Strings of bytes are enough for whose
// library it is; the names need the tokens.
func importedLibraries(data []byte, tokens []lex.Token, lang *lex.Language) libraries {
	has := func(word string) bool { return bytes.Contains(data, []byte(word)) }
	l := libraries{used: map[string]bool{}, endpoints: map[string]bool{}, modules: map[string]bool{}}
	family := languages[lang.Name]
	for library, words := range clients.Clients[family.name] {
		if slices.ContainsFunc(words, has) {
			l.used[library], l.kube = true, true
		}
	}
	l.fluent = family.name == "javascript" && clients.FluentWords.InAny(string(data))
	if family.imports != nil {
		family.imports(&l, tokens)
	}
	return l
}
