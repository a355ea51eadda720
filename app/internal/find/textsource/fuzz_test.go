package textsource

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/lex"
)

// FuzzRead gives any text to any reader. Nothing may panic, and every place
// that is reported must be in the text.
func FuzzRead(f *testing.F) {
	kinds := []detect.File{
		{Kind: detect.Code, Lang: &lex.Python},
		{Kind: detect.Code, Lang: &lex.Java},
		{Kind: detect.Code, Lang: &lex.Kotlin},
		{Kind: detect.Code, Lang: &lex.Groovy},
		{Kind: detect.Code, Lang: &lex.JavaScript},
		{Kind: detect.Code, Lang: &lex.Rust},
		{Kind: detect.Code, Lang: &lex.CSharp},
		{Kind: detect.Code, Lang: &lex.Jsonnet},
		{Kind: detect.Script},
		{Kind: detect.Lines},
		{Kind: detect.YAML},
		{Kind: detect.Template},
		{Kind: detect.HCL, Lang: &lex.HCL},
		{Kind: detect.Settings},
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
		k, _ := detect.FileOf(name)
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
		var hits []detect.Hit
		s := &detect.Text{Data: data, Hits: &hits, Detectors: rooms}
		check := func(offset int) {
			if offset < 0 || offset > len(data) {
				t.Fatalf("offset %d of %d", offset, len(data))
			}
		}
		s.Problem = func(offset int, _ string) { check(offset) }
		s.Read("chart/templates/x.yaml", kinds[int(n)%len(kinds)])
		for _, h := range hits {
			check(h.Offset)
			if h.Detector == "" || h.Verb == "" || h.Access == "" || h.Class == "" || h.Confidence == "" || h.Advice == "" {
				t.Fatalf("a hit without all it must say: %+v", h)
			}
		}
	})
}
