package manifest_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/internal/manifest"
)

// objects lists what Objects finds: "v1 Pod at PLACE" with the JSON, or an error.
func objects(stream io.Reader, limit int) []string {
	found := []string{}
	for o, err := range manifest.Objects(stream, limit) {
		switch {
		case err != nil:
			found = append(found, "error: "+err.Error())
		case o.List:
			found = append(found, fmt.Sprintf("%s %s", o.APIVersion, o.Kind))
		default:
			found = append(found, fmt.Sprintf("%s %s, %s: %s", o.APIVersion, o.Kind, o.Place, o.JSON))
		}
	}
	return found
}

func TestObjects(t *testing.T) {
	const noKind = ": it is no Kubernetes object, as it has no kind, and there are objects beside it: take it out, or give it its kind"
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", []string{}},
		{"comments and null", "# a\n---\nnull\n---\n~\n", []string{}},
		{"YAML documents", "kind: A\n---\napiVersion: v1\nkind: B\nsize: 0x10\n", []string{
			` A, document 1, which begins in line 1: {"kind":"A"}`,
			`v1 B, document 2, which begins in line 2: {"apiVersion":"v1","kind":"B","size":16}`,
		}},
		{"JSON lines", `{"kind":"A"}` + "\n" + `{"kind":"B"}` + "\n", []string{
			` A, document 1, which begins in line 1: {"kind":"A"}`,
			` B, document 2, which begins in line 2: {"kind":"B"}`,
		}},
		{"a List", "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A}\n- {apiVersion: v2, kind: B}\n", []string{
			"v1 List",
			`v1 A, document 1, which begins in line 1: items[0]: {"apiVersion":"v1","kind":"A"}`,
			`v2 B, document 1, which begins in line 1: items[1]: {"apiVersion":"v2","kind":"B"}`,
		}},
		{"a List in a List", `{"kind":"List","items":[{"kind":"List","items":[{"kind":"A"},null,{"kind":"B"}]},{"kind":"C"}]}`, []string{
			" List",
			" List",
			` A, document 1, which begins in line 1: items[0].items[0]: {"kind":"A"}`,
			` B, document 1, which begins in line 1: items[0].items[2]: {"kind":"B"}`,
			` C, document 1, which begins in line 1: items[1]: {"kind":"C"}`,
		}},
		{"the API's own list, whose items say nothing", `{"apiVersion":"apps/v1","kind":"DeploymentList","items":[{"metadata":{"name":"a"}}]}`, []string{
			"apps/v1 DeploymentList",
			`apps/v1 Deployment, document 1, which begins in line 1: items[0]: {"metadata":{"name":"a"}}`,
		}},
		{"a list without items", `{"apiVersion":"v1","kind":"PodList"}{"apiVersion":"v1","kind":"PodList","items":null}`, []string{"v1 PodList", "v1 PodList"}},
		{"an object whose kind ends as a list's does", `{"apiVersion":"x/v1","kind":"AllowList","metadata":{"name":"a"},"items":[1]}`, []string{
			`x/v1 AllowList, document 1, which begins in line 1: {"apiVersion":"x/v1","kind":"AllowList","metadata":{"name":"a"},"items":[1]}`,
		}},
		{"a JSON array", `[{"kind":"A"},{"kind":"B"}]`, []string{
			` A, document 1, which begins in line 1: items[0]: {"kind":"A"}`,
			` B, document 1, which begins in line 1: items[1]: {"kind":"B"}`,
		}},
		{"no object at all", "replicas: 3\n---\njust text\n", []string{}},
		{"no kind before an object", "a: 1\n---\nkind: A\n", []string{
			"error: document 1, which begins in line 1" + noKind,
			` A, document 2, which begins in line 2: {"kind":"A"}`,
		}},
		{"no kind behind an object", "kind: A\n---\na: 1\n---\n[1]\n", []string{
			` A, document 1, which begins in line 1: {"kind":"A"}`,
			"error: document 2, which begins in line 2" + noKind,
			"error: document 3, which begins in line 4: items[0]" + noKind,
		}},
		{"no kind in a List", `{"kind":"List","items":[{"metadata":{"name":"a"}},{"kind":"A"}]}`, []string{
			" List",
			"error: document 1, which begins in line 1: items[0]" + noKind,
			` A, document 1, which begins in line 1: items[1]: {"kind":"A"}`,
		}},
		{"an incomplete list", "kind: A\n---\nkind: PodList\nmetadata: {continue: abc}\nitems: [{metadata: {name: a}}]\n", []string{
			` A, document 1, which begins in line 1: {"kind":"A"}`,
			" PodList",
			"error: document 2, which begins in line 2: the PodList is an incomplete list (metadata.continue is set): list again without a limit, or with all pages",
			` Pod, document 2, which begins in line 2: items[0]: {"metadata":{"name":"a"}}`,
		}},
		{"items that are no list", `{"kind":"List","items":7}`, []string{
			" List",
			"error: document 1, which begins in line 1: items: json: cannot unmarshal number into Go value of type []json.RawMessage",
		}},
		{"a wrong type is left to those who decode", `{"kind":"A","metadata":7}`, []string{
			` A, document 1, which begins in line 1: {"kind":"A","metadata":7}`,
		}},
		{"a broken document costs itself", "kind: A\n---\na: b: c\n---\nkind: B\n", []string{
			` A, document 1, which begins in line 1: {"kind":"A"}`,
			"error: document 2, which begins in line 2: yaml: line 2: mapping values are not allowed in this context",
			` B, document 3, which begins in line 4: {"kind":"B"}`,
		}},
		{"broken JSON ends its run", `{"kind":"A"}{"kind" "B"}{"kind":"C"}`, []string{
			` A, document 1, which begins in line 1: {"kind":"A"}`,
			"error: document 2, which begins in line 1: line 1: no JSON: invalid character '\"' after object key",
		}},
		{"a document that is too long", "kind: A\n---\nkind: " + strings.Repeat("B", 300) + "\n---\nkind: C\n", []string{
			` A, document 1, which begins in line 1: {"kind":"A"}`,
			"error: document 1, which begins in line 2: " + manifest.ErrTooLong.Error(),
			` C, document 2, which begins in line 4: {"kind":"C"}`,
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, objects(strings.NewReader(test.text), 200)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestListsHaveADepth(t *testing.T) {
	nested := func(lists int) string {
		return strings.Repeat(`{"kind":"List","items":[`, lists) + `{"kind":"A"}` + strings.Repeat("]}", lists)
	}
	const at = "document 1, which begins in line 1: items[0].items[0].items[0].items[0].items[0].items[0].items[0].items[0]: "
	for lists, want := range map[int]string{8: " A, " + at + `{"kind":"A"}`, 9: "error: " + at + "kind List is nested more than 8 deep"} {
		got := objects(strings.NewReader(nested(lists)), 1000)
		if diff := cmp.Diff(want, got[len(got)-1]); diff != "" {
			t.Errorf("%d Lists (-want +got)\n%s", lists, diff)
		}
	}
}

// An alias to an alias to an alias multiplies: ten lines can be a billion nodes.
func TestAliasesThatMultiplyAreAnError(t *testing.T) {
	var text strings.Builder
	text.WriteString("kind: A\na0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 9; i++ {
		fmt.Fprintf(&text, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), ", "))
	}
	want := []string{"error: document 1, which begins in line 1: yaml: document contains excessive aliasing"}
	if diff := cmp.Diff(want, objects(strings.NewReader(text.String()), 1<<20)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestTheProblemsOfAStreamCanBeTold(t *testing.T) {
	for text, want := range map[string]error{
		"kind: A\n---\na: 1\n":                             manifest.ErrNoKind,
		`{"kind":"PodList","metadata":{"continue":"abc"}}`: manifest.ErrIncomplete,
		"# " + strings.Repeat("a", 300):                    manifest.ErrTooLong,
	} {
		var last error
		for _, err := range manifest.Objects(strings.NewReader(text), 200) {
			last = err
		}
		if !errors.Is(last, want) {
			t.Errorf("%q: error %v, want %v", text, last, want)
		}
	}
}

func TestAStreamThatBreaksOffEndsTheIteration(t *testing.T) {
	broken := errors.New("the disk is gone")
	got := objects(io.MultiReader(strings.NewReader("kind: A\n---\nkind: B\n"), iotest.ErrReader(broken)), 200)
	if last := got[len(got)-1]; len(got) > 3 || !strings.Contains(last, broken.Error()) {
		t.Errorf("%q", got)
	}
}

func TestObjectsOf(t *testing.T) {
	var got []string
	for o, err := range manifest.ObjectsOf([]byte(`{"kind":"List","items":[{"kind":"A"},{}]}`)) {
		got = append(got, fmt.Sprint(o.Kind, " ", err))
	}
	want := []string{"List <nil>", "A <nil>", " items[1]: it " + manifest.ErrNoKind.Error()}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// encoded are the ways in which programs write a text.
func encoded(text string) map[string][]byte {
	all := map[string][]byte{"UTF-8": []byte(text), "UTF-8 with a mark": []byte("\ufeff" + text)}
	for name, order := range map[string]binary.ByteOrder{"UTF-16 LE": binary.LittleEndian, "UTF-16 BE": binary.BigEndian} {
		var b bytes.Buffer
		_ = binary.Write(&b, order, utf16.Encode([]rune("\ufeff"+text)))
		all[name] = b.Bytes()
	}
	return all
}

func TestEncodings(t *testing.T) {
	const text = "kind: A\r\nname: Käse 東京 🙂\r\n---\r\n{\"kind\":\"B\"}\r\n---\r\nkind: C\r\n"
	want := []string{
		` A, document 1, which begins in line 1: {"kind":"A","name":"Käse 東京 🙂"}`,
		` B, document 2, which begins in line 4: {"kind":"B"}`,
		` C, document 3, which begins in line 5: {"kind":"C"}`,
	}
	for name, data := range encoded(text) {
		for how, stream := range map[string]io.Reader{"whole": bytes.NewReader(data), "byte by byte": iotest.OneByteReader(bytes.NewReader(data))} {
			if diff := cmp.Diff(want, objects(stream, 200)); diff != "" {
				t.Errorf("%s, %s (-want +got)\n%s", name, how, diff)
			}
		}
	}
	for name, data := range encoded(`{"kind":"A"}` + "\n" + `{"kind":"B"}`) {
		if got := objects(bytes.NewReader(data), 200); len(got) != 2 {
			t.Errorf("JSON lines in %s: %q", name, got)
		}
	}
	// Halves of pairs, and half a unit at the end.
	cut := []byte("\xff\xfe")
	for _, unit := range []uint16{'k', ':', ' ', '"', 0xd83d, 'a', 0xde00, 0xd83d, 0xd83d, 0xde42, '"'} {
		cut = binary.LittleEndian.AppendUint16(cut, unit)
	}
	r := manifest.NewReader(bytes.NewReader(cut), 200)
	doc, err := r.Next()
	if diff := cmp.Diff("k: \"\uFFFDa\uFFFD\uFFFD🙂\"", string(doc.Text)); diff != "" || err != nil {
		t.Errorf("error %v (-want +got)\n%s", err, diff)
	}
	if got := objects(bytes.NewReader(append(cut, 0)), 200); len(got) != 1 || !strings.Contains(got[0], "unexpected EOF") {
		t.Errorf("half a unit: %q", got)
	}
}

func FuzzObjects(f *testing.F) {
	f.Add([]byte("kind: A\n---\n{\"kind\":\"List\",\"items\":[{}]}\n---\na: 1\n"))
	for _, data := range encoded("kind: A\n---\nkind: List\nitems: [{kind: B}]\n") {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n := 0
		for o, err := range manifest.Objects(bytes.NewReader(data), 1<<16) {
			if err == nil && o.Kind == "" {
				t.Fatalf("an object without kind at %s", o.Place)
			}
			if n++; n > 2*len(data)+10 {
				t.Fatal("it does not end")
			}
		}
	})
}
