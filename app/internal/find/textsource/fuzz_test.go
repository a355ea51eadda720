package textsource

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/slicewright/slicewright/app/internal/find/textsource/lex"
)

// FuzzRead gives any text to any reader. Nothing may panic, and every place
// that is reported must be in the text.
func FuzzRead(f *testing.F) {
	kinds := []fileKind{
		{kindCode, &lex.Python},
		{kindCode, &lex.Java},
		{kindCode, &lex.Kotlin},
		{kindCode, &lex.Groovy},
		{kindCode, &lex.JavaScript},
		{kindCode, &lex.Rust},
		{kindCode, &lex.CSharp},
		{kindCode, &lex.Jsonnet},
		{kind: kindShell},
		{kind: kindLines},
		{kind: kindYAML},
		{kind: kindTemplate},
		{kindHCL, &lex.HCL},
		{kind: kindSettings},
	}
	fixtures, err := filepath.Glob(filepath.Join("testdata", "fixtures", "*", "*"))
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range fixtures {
		data, err := os.ReadFile(name)
		if err != nil {
			continue // a directory
		}
		k, _ := kindOf(name)
		for i, have := range kinds {
			if have == k {
				f.Add(string(data), uint8(i))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		if len(text) > 64<<10 {
			return
		}
		data := []byte(strings.ToValidUTF8(text, "?"))
		var hits []hit
		s := &source{data: data, out: &hits}
		check := func(offset int) {
			if offset < 0 || offset > len(data) {
				t.Fatalf("offset %d of %d", offset, len(data))
			}
		}
		s.problem = func(offset int, _ string) { check(offset) }
		dispatch(s, "chart/templates/x.yaml", kinds[int(n)%len(kinds)])
		for _, h := range hits {
			check(h.offset)
			if h.detector == "" || h.verb == "" || h.access == "" || h.class == "" || h.confidence == "" || h.advice == "" {
				t.Fatalf("a hit without all it must say: %+v", h)
			}
		}
	})
}

// FuzzBlankActions: taking template actions out moves nothing.
func FuzzBlankActions(f *testing.F) {
	f.Add("a: {{ .x | default \"endpoints\" }}\n{{- if y }}\nb: 1 {{/* c\nd */}}\n{{ end }}")
	f.Add("{{ `}}` }}{% raw %}{# x #}")
	f.Fuzz(func(t *testing.T, text string) {
		out := blankActions([]byte(text))
		if len(out) != len(text) {
			t.Fatalf("%d bytes became %d", len(text), len(out))
		}
		for i := range out {
			if (text[i] == '\n') != (out[i] == '\n') {
				t.Fatalf("line end at %d moved", i)
			}
		}
	})
}

// FuzzLooseYAML: any text gives a tree, with places inside it.
func FuzzLooseYAML(f *testing.F) {
	f.Add("a:\n- b: |\n    c\n  d: [1, {e: f}]\n-\n  - g")
	f.Fuzz(func(t *testing.T, text string) {
		root := looseYAML([]byte(text))
		lines := strings.Count(text, "\n") + 1
		var walk func(n *yaml.Node, depth int)
		walk = func(n *yaml.Node, depth int) {
			if n.Line > lines+1 {
				t.Fatalf("a node on line %d of %d", n.Line, lines)
			}
			if depth > 3*maxLoose+600 {
				t.Fatalf("nested %d deep", depth)
			}
			for _, c := range n.Content {
				walk(c, depth+1)
			}
		}
		walk(root, 0)
	})
}
