package textsource

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slicewright/slicewright/app/internal/find/textsource/lex"
)

// FuzzRead gives any text to any reader. Nothing may panic, and every place
// that is reported must be in the text.
func FuzzRead(f *testing.F) {
	kinds := []fileKind{
		{kind: kindCode, lang: &lex.Python},
		{kind: kindCode, lang: &lex.Java},
		{kind: kindCode, lang: &lex.Kotlin},
		{kind: kindCode, lang: &lex.Groovy},
		{kind: kindCode, lang: &lex.JavaScript},
		{kind: kindCode, lang: &lex.Rust},
		{kind: kindCode, lang: &lex.CSharp},
		{kind: kindCode, lang: &lex.Jsonnet},
		{kind: kindShell},
		{kind: kindLines},
		{kind: kindYAML},
		{kind: kindTemplate},
		{kind: kindHCL, lang: &lex.HCL},
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
		s := &source{data: data, out: &hits, detectors: rooms}
		check := func(offset int) {
			if offset < 0 || offset > len(data) {
				t.Fatalf("offset %d of %d", offset, len(data))
			}
		}
		s.problem = func(offset int, _ string) { check(offset) }
		s.read("chart/templates/x.yaml", kinds[int(n)%len(kinds)])
		for _, h := range hits {
			check(h.offset)
			if h.detector == "" || h.verb == "" || h.access == "" || h.class == "" || h.confidence == "" || h.advice == "" {
				t.Fatalf("a hit without all it must say: %+v", h)
			}
		}
	})
}
