package manifest_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/slicewright/slicewright/internal/manifest"
)

// split lists documents as "line kind text", and an error last.
func split(text string, max int) []string {
	out := []string{}
	for r := manifest.NewReader(strings.NewReader(text), max); ; {
		doc, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return out
		case errors.Is(err, manifest.ErrTooLong):
			out = append(out, fmt.Sprintf("%d too long", r.Line()))
			if len(out) > 20 {
				return out
			}
		case err != nil:
			return append(out, err.Error())
		default:
			kind := "yaml"
			if doc.JSON {
				kind = "json"
			}
			out = append(out, fmt.Sprintf("%d %d %s %q", doc.Number, doc.Line, kind, doc.Text))
		}
	}
}

func TestDocuments(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", []string{}},
		{"comments, markers and directives alone", "# a\n---\n--- # b\n...\n%YAML 1.1\n---\n\n", []string{}},
		{"one", "a: 1\n", []string{`1 1 yaml "a: 1\n"`}},
		{"without a last line end", "a: 1\n---\nb: 2", []string{`1 1 yaml "a: 1\n"`, `2 2 yaml "---\nb: 2"`}},
		{"comments before the first marker belong to it", "# c\n---\na: 1\n", []string{`1 1 yaml "# c\n---\na: 1\n"`}},
		{"empty ones are passed over, and lines count on", "---\n---\n# c\n---\na: 1\n", []string{`1 4 yaml "---\na: 1\n"`}},
		{"content on the marker's line", "--- {a: 1}\n--- b\n", []string{`1 1 yaml "--- {a: 1}\n"`, `2 2 yaml "--- b\n"`}},
		{"an end marker ends", "a: 1\n...\nb: 2\n", []string{`1 1 yaml "a: 1\n...\n"`, `2 3 yaml "b: 2\n"`}},
		{"dashes that are no marker", "a: |\n ---\n----\n--\n", []string{`1 1 yaml "a: |\n ---\n----\n--\n"`}},
		{"a byte order mark", "\xef\xbb\xbfa: 1\n", []string{`1 1 yaml "a: 1\n"`}},
		{"CRLF", "a: 1\r\n---\r\nb: 2\r\n", []string{`1 1 yaml "a: 1\r\n"`, `2 2 yaml "---\r\nb: 2\r\n"`}},
		{"JSON values in a row", "{\"a\":1}\n\n{\"b\":\n2} {}", []string{`1 1 json "{\"a\":1}"`, `2 3 json "{\"b\":\n2}"`, `3 4 json "{}"`}},
		{"JSON values between markers", "{\"a\":1}\n---\n{\"b\":2}\n", []string{`1 1 json "{\"a\":1}"`, `2 3 json "{\"b\":2}"`}},
		{"a JSON array", "[{\"a\":1}]", []string{`1 1 json "[{\"a\":1}]"`}},
		{"JSON beside YAML", "a: 1\n---\n{\"b\":2}\n{\"c\":3}\n---\nd: 4\n", []string{`1 1 yaml "a: 1\n"`, `2 3 json "{\"b\":2}"`, `3 4 json "{\"c\":3}"`, `4 5 yaml "---\nd: 4\n"`}},
		{"a flow mapping and a template are no JSON", "{a: 1}\n---\n{{ a }}\n", []string{`1 1 yaml "{a: 1}\n"`, `2 2 yaml "---\n{{ a }}\n"`}},
		{"JSON that is cut", "{\"a\":1}\n{\"b\":\n", []string{`1 1 json "{\"a\":1}"`, "line 3: no JSON: unexpected EOF"}},
		{"JSON that is none", "{\"a\":1}\n{\"b\" 2}\n", []string{`1 1 json "{\"a\":1}"`, "line 2: no JSON: invalid character '2' after object key"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, split(test.text, 1000)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestWhatIsTooLongCostsItself(t *testing.T) {
	long := strings.Repeat("x", 300<<10)
	want := []string{`1 1 yaml "a: 1\n"`, "2 too long"}
	for name, text := range map[string]string{
		"many lines": "a: 1\n---\n" + "#" + long[:100] + "\n---\nb: 2\n",
		"one line":   "a: 1\n---\n" + long + "\n---\nb: 2\n",
	} {
		if name == "many lines" {
			text = "a: 1\n---\n" + strings.Repeat("k: 1\n", 40) + "---\nb: 2\n"
		}
		next := fmt.Sprintf("2 %d yaml %q", 2+strings.Count(text, "\n")-3, "---\nb: 2\n")
		if diff := cmp.Diff(append(want[:2:2], next), split(text, 50)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
	// Of JSON nothing behind it can be found again.
	r := manifest.NewReader(strings.NewReader(`{"a":1}{"b":"`+long+`"}`), 50)
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); !errors.Is(err, manifest.ErrTooLong) {
		t.Errorf("error %v", err)
	}
}

// An endless value takes no more memory than the limit.
func TestAnEndlessValueIsGivenUp(t *testing.T) {
	endless := io.MultiReader(strings.NewReader(`{"a":"`), zeros{})
	if _, err := manifest.NewReader(endless, 1<<20).Next(); !errors.Is(err, manifest.ErrTooLong) {
		t.Errorf("error %v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// Documents are whole lines of the stream, in order, each where its line says.
func TestDocumentsAreLinesOfTheStream(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a: 1", "---", "--- b", "...", "# c", "%YAML 1.1", "", "- x", " ---", "{a: b}"}), 0, 15).Draw(t, "lines")
		text := strings.Join(lines, "\n")
		all := strings.SplitAfter(text, "\n")
		r := manifest.NewReader(strings.NewReader(text), 1000)
		next := 1
		for number := 1; ; number++ {
			doc, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			n := strings.Count(string(doc.Text), "\n")
			if !strings.HasSuffix(string(doc.Text), "\n") {
				n++
			}
			if doc.Line < next || doc.Number != number || strings.Join(all[doc.Line-1:doc.Line-1+n], "") != string(doc.Text) {
				t.Fatalf("document %+v, after line %d of\n%s", doc, next, text)
			}
			next = doc.Line + n
		}
	})
}

func FuzzReader(f *testing.F) {
	f.Add("a: 1\n---\n{\"b\":1}\n...\n", 20)
	f.Fuzz(func(t *testing.T, text string, max int) {
		if max < 1 || max > 1<<16 {
			t.Skip()
		}
		r := manifest.NewReader(strings.NewReader(text), max)
		for n := 0; ; n++ {
			doc, err := r.Next()
			if errors.Is(err, io.EOF) || err != nil && !errors.Is(err, manifest.ErrTooLong) {
				return
			}
			if len(doc.Text) > max {
				t.Fatalf("%d bytes, more than %d", len(doc.Text), max)
			}
			if n > 2*len(text)+10 {
				t.Fatal("it does not end")
			}
		}
	})
}
