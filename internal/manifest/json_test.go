package manifest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/internal/manifest"
)

// A stream is of JSON if its first value is an object or a list of them.
func TestStreamsOfJSON(t *testing.T) {
	for text, want := range map[string]bool{
		`{"a":1}`:         true,
		` {} `:            true,
		`[{"a":1}]`:       true,
		"--- {\"a\":1}":   true,
		"---\n{\"a\":1}":  true,
		`----{"a":1}`:     false,
		`"a": 1`:          false,
		`}`:               false,
		`{a: 1}`:          false,
		`{{ a }}`:         false,
		`{`:               false,
		``:                false,
		"a: 1\n":          false,
		"# c\n{\"a\":1}":  false,
		"[a]\n{\"a\":1}":  false,
		"\xef\xbb\xbf{}":  true,
		"\xef\xbb\xbfa: ": false,
	} {
		lines, is := manifest.NewReader(strings.NewReader(text), 1000).JSON()
		if is != want || (lines != nil) != want {
			t.Errorf("%q is a stream of JSON: %t", text, is)
		}
	}
}

// The reader that takes values apart by itself knows where each token is.
func TestPositionsInAStreamOfJSON(t *testing.T) {
	const text = "{\"a\":\n 1,\n\n  \"b\": 2}\n---\n{\"c\":3}\n"
	lines, ok := manifest.NewReader(strings.NewReader(text), 1000).JSON()
	if !ok {
		t.Fatal("it is JSON")
	}
	var got []string
	for d := json.NewDecoder(lines); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		line, column := lines.Position(d.InputOffset())
		got = append(got, fmt.Sprintf("%v %d:%d", token, line, column))
	}
	want := []string{"{ 1:2", "a 1:5", "1 2:3", "b 4:6", "2 4:9", "} 4:10", "{ 6:2", "c 6:5", "3 6:7", "} 6:8"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("behind each token (-want +got):\n%s", diff)
	}
}

// A line that is too long costs its document, and lines count on behind it: it
// may be the first, or be among others, and be longer than any buffer.
func TestALineThatIsTooLong(t *testing.T) {
	long := strings.Repeat("x", 300<<10)
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"among others": {"a: 1\n" + long + "\nb: 2\n---\nc: 3\n", []string{"1 too long", `1 4 yaml "---\nc: 3\n"`}},
		"the first":    {long + "\nb: 2\n---\nc: 3\n", []string{"1 too long", `1 3 yaml "---\nc: 3\n"`}},
		"the last":     {"a: 1\n---\n" + long, []string{`1 1 yaml "a: 1\n"`, "2 too long"}},
		"JSON below":   {"a: 1\n---\n\n{\"b\":1}\n{\"c\" 2}\n", []string{`1 1 yaml "a: 1\n"`, `2 4 json "{\"b\":1}"`, "line 5: no JSON: invalid character '2' after object key"}},
	} {
		if diff := cmp.Diff(c.want, split(c.text, 50)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// failing gives its text and then an error.
type failing struct{ text io.Reader }

var errBroken = errors.New("the disk is broken")

func (f failing) Read(p []byte) (int, error) {
	n, err := f.text.Read(p)
	if errors.Is(err, io.EOF) {
		err = errBroken
	}
	return n, err
}

// A stream that cannot be read to its end says so, in the middle of a line that
// is too long as elsewhere.
func TestAStreamThatBreaks(t *testing.T) {
	for _, text := range []string{"", "a: 1\n---\n" + strings.Repeat("x", 300<<10)} {
		r := manifest.NewReader(failing{strings.NewReader(text)}, 50)
		var err error
		for range 5 {
			if _, err = r.Next(); err != nil {
				break
			}
		}
		if !errors.Is(err, errBroken) {
			t.Errorf("%.10q…: %v", text, err)
		}
	}
}
