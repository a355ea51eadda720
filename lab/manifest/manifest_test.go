package manifest

import (
	"strings"
	"testing"
)

func TestListsAreTakenApartAndEmptyDocumentsLeftOut(t *testing.T) {
	objects, err := Parse([]byte(`# only a comment
---
apiVersion: v1
kind: Service
metadata: {name: one}
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Pod, metadata: {name: two}}
- {apiVersion: v1, kind: Pod, metadata: {name: three}}
---
`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, object := range objects {
		got = append(got, describe(object))
	}
	if want := "Service one, Pod two, Pod three"; strings.Join(got, ", ") != want {
		t.Errorf("got %v", got)
	}
}

func TestBrokenDocumentIsCounted(t *testing.T) {
	for _, broken := range []string{"kind: Pod", "apiVersion: v1", "a: b: c", "- 1"} {
		_, err := Parse([]byte("apiVersion: v1\nkind: Pod\n---\n" + broken + "\n"))
		if err == nil || !strings.Contains(err.Error(), "document 2") {
			t.Errorf("%q: %v", broken, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("apiVersion: v1\nkind: List\nitems: [1, {}]\n"))
	f.Add([]byte(`{"apiVersion":"v1","kind":"Pod"}`))
	f.Add([]byte("---\n---\n&a [*a]"))
	f.Fuzz(func(t *testing.T, content []byte) { _, _ = Parse(content) })
}
