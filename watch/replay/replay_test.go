package replay_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/internal/manifest"
	"github.com/slicewright/slicewright/watch/replay"
)

const slice = `apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {namespace: shop, name: NAME, labels: {kubernetes.io/service-name: cart}}
addressType: IPv4
ports: [{name: http, port: 8080}]
endpoints: [{addresses: [10.0.0.1]}]
`

func named(name string) string { return strings.Replace(slice, "NAME", name, 1) }

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"a.yaml":      "# only a comment\n---\n" + named("a") + "---\n" + named("b"),
		"b.yml":       "apiVersion: v1\nkind: Service\nmetadata: {name: cart}\n",
		"c.json":      `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Pod"},{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"name":"c"}}]}`,
		"d.json":      `{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSliceList","items":[{"metadata":{"name":"d"}}]}`,
		"ignored.txt": "a: b: c",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, err := replay.Files([]string{dir, "-"}, strings.NewReader(named("stdin")))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, es := range all {
		names = append(names, es.Name)
	}
	if got, want := strings.Join(names, " "), "a b c d stdin"; got != want {
		t.Errorf("read %s, want %s", got, want)
	}
}

// Slices are found in Lists of any depth and in each encoding that programs write.
func TestFilesInLists(t *testing.T) {
	const list = `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"List","items":[
		{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"name":"a"}}]},
		{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"name":"b"}}]}`
	utf16LE := []byte("\xff\xfe")
	for _, unit := range utf16.Encode([]rune(list)) {
		utf16LE = binary.LittleEndian.AppendUint16(utf16LE, unit)
	}
	for name, text := range map[string]string{"UTF-8": list, "UTF-16": string(utf16LE)} {
		all, err := replay.Files([]string{"-"}, strings.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var names []string
		for _, es := range all {
			names = append(names, es.Name)
		}
		if diff := cmp.Diff([]string{"a", "b"}, names); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

// What does not say everything is an error with its place, and no slice is returned.
func TestFilesThatDoNotSayEverything(t *testing.T) {
	for text, want := range map[string]error{
		named("a") + "---\nmetadata: {name: b}\n": manifest.ErrNoKind,
		`{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSliceList","metadata":{"continue":"x"},"items":[{"metadata":{"name":"d"}}]}`: manifest.ErrIncomplete,
	} {
		all, err := replay.Files([]string{"-"}, strings.NewReader(text))
		if !errors.Is(err, want) || !strings.HasPrefix(err.Error(), "stdin: document ") || all != nil {
			t.Errorf("%d slices, error %v", len(all), err)
		}
	}
}

// A list in the stream is a relist; bookmarks and errors change nothing.
func TestStream(t *testing.T) {
	recording := `
{"type":"ADDED","object":{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"name":"a","labels":{"kubernetes.io/service-name":"s"}},"addressType":"IPv4","ports":[{"port":1}],"endpoints":[{"addresses":["10.0.0.1"]}]}}
{"type":"BOOKMARK","object":{"kind":"EndpointSlice","apiVersion":"discovery.k8s.io/v1","metadata":{"resourceVersion":"7"}}}
{"type":"ERROR","object":{"kind":"Status","code":410}}
{"kind":"List","apiVersion":"v1","items":[]}
{"type":"DELETED","object":{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"name":"a"}}}`
	ix := endpointset.NewIndex(endpointset.Options{})
	var left []int
	err := replay.Stream("recording", strings.NewReader(recording), func(e replay.Event) error {
		e.Apply(ix)
		left = append(left, len(ix.Services()))
		return nil
	})
	if err != nil || len(left) != 3 || left[0] != 1 || left[1] != 0 || left[2] != 0 {
		t.Errorf("error %v, Services after each event: %v", err, left)
	}
}

// Recordings and manifests are untrusted.
func FuzzStream(f *testing.F) {
	f.Add([]byte(`{"type":"ADDED","object":{"kind":"EndpointSlice","metadata":{"name":"a"}}}{"kind":"List","items":[{}]}`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		ix := endpointset.NewIndex(endpointset.Options{})
		_ = replay.Stream("fuzz", strings.NewReader(string(data)), func(e replay.Event) error {
			e.Slices()
			e.Apply(ix)
			return nil
		})
	})
}

func FuzzFiles(f *testing.F) {
	f.Add([]byte(named("a") + "---\n- 1\n---\nnull\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := replay.Files([]string{"-"}, strings.NewReader(string(data)))
		if (len(all) > 0) == (err != nil) {
			t.Errorf("%d slices and error %v", len(all), err)
		}
	})
}
