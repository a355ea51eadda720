package document

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type pair struct {
	A int    `json:"a"`
	B string `json:"b"`
}

func TestOneDocumentIsRead(t *testing.T) {
	for name, text := range map[string]string{
		"YAML":              "a: 1\nb: x\n",
		"JSON":              `{"a": 1, "b": "x"}`,
		"separators around": "# first\n---\na: 1\nb: x\n---\n# last\n",
		"UTF-16":            "\xff\xfea\x00:\x00 \x001\x00\n\x00b\x00:\x00 \x00x\x00\n\x00",
	} {
		var got pair
		if err := Unmarshal([]byte(text), &got); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(pair{1, "x"}, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

func TestWhatIsNotOneDocumentIsAnError(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"two in YAML", "a: 1\n---\na: 2\n", "line 2: a second document"},
		{"two in JSON", "{\"a\": 1}\n{\"a\": 2}\n", "did not find expected"},
		{"two in UTF-16", "\xff\xfea\x00:\x00 \x001\x00\n\x00-\x00-\x00-\x00\n\x00a\x00:\x00 \x002\x00\n\x00", "line 2: a second document"},
		{"a field that nobody knows", "c: 1\n", "unknown field"},
		{"a field twice", "a: 1\na: 2\n", "already"},
	} {
		var got pair
		if err := Unmarshal([]byte(c.text), &got); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestNothingIsNoDocument(t *testing.T) {
	for _, text := range []string{"", "# words\n", "---\n---\n"} {
		if node, err := Node([]byte(text)); node != nil || err != nil {
			t.Errorf("%q: %v, %v", text, node, err)
		}
	}
}
