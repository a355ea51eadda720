package replay_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/slicewright/slicewright/watch/replay"
)

// What is not there is said with what is there in its place.
func TestInputWithoutSlices(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nothing":   {"", "stdin: no EndpointSlice in it: it holds no object"},
		"a comment": {"# nothing\n---\n", "stdin: no EndpointSlice in it: it holds no object"},
		"others":    {"apiVersion: v1\nkind: Pod\n---\napiVersion: v1\nkind: Pod\n---\napiVersion: v1\nkind: Service\n", `stdin: no EndpointSlice in it, but 2 × "v1 Pod", 1 × "v1 Service"`},
		"an item without a kind": {
			`{"apiVersion":"v1","kind":"List","items":[{"metadata":{"name":"a"}}]}`,
			"stdin: document 1, which begins in line 1: items[0]: it is no Kubernetes object, as it has no kind, and there are objects beside it: take it out, or give it its kind",
		},
		"a typed list of others": {
			`{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSliceList","items":[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}]}`,
			`stdin: no EndpointSlice in it, but 1 × "v1 Pod"`,
		},
		"no YAML": {"a: [\n", "stdin: document 1, which begins in line 1: yaml: line 1: did not find expected node content"},
	} {
		_, err := replay.Files([]string{"-"}, strings.NewReader(c.text))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\n%v, want\n%s", name, err, c.want)
		}
	}
}

// A folder's other files are passed over, and counted if nothing is left.
func TestAFolderOfOtherObjects(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{"a.yaml": "apiVersion: v1\nkind: Pod\n", "b.json": `{"kind":"Pod"}`, "c.txt": "text"}
	if err := os.Mkdir(filepath.Join(dir, "sub.yaml"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := replay.Files([]string{dir}, nil)
	if want := dir + ": no EndpointSlice in its 2 .yaml, .yml and .json files"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	// A file that sorts behind what is passed over is read all the same.
	if err := os.WriteFile(filepath.Join(dir, "z.yaml"), []byte(named("z")), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "d.txt"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if all, err := replay.Files([]string{dir}, nil); err != nil || len(all) != 1 || all[0].Name != "z" {
		t.Errorf("%v, %v", all, err)
	}
}

// An event names the slices that it is about; an error names the event.
func TestEventsOfAStream(t *testing.T) {
	object := func(name string) string {
		return `{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"name":"` + name + `"},"addressType":"IPv4"}`
	}
	recording := `{"type":"ADDED","object":` + object("a") + `}
{"apiVersion":"v1","kind":"List","items":[` + object("b") + `,` + object("c") + `]}
{"type":"DELETED","object":` + object("b") + `}
`
	names := func(all []*discoveryv1.EndpointSlice) string {
		var list []string
		for _, es := range all {
			list = append(list, es.Name)
		}
		return strings.Join(list, " ")
	}
	var got []string
	collect := func(e replay.Event) error {
		got = append(got, names(e.Slices()))
		return nil
	}
	if err := replay.Stream("recording", strings.NewReader(recording), collect); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b c", "b"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for text, want := range map[string]string{
		object("a"):                        `recording: event 4: a "EndpointSlice" without a type: record with kubectl's --output-watch-events, or a deletion cannot be told`,
		`{"type":"ADDED","object":{"apiVe`: "recording: event 4: the stream ends in the middle of it: the recording is cut",
	} {
		err := replay.Stream("recording", strings.NewReader(recording+text), func(replay.Event) error { return nil })
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
