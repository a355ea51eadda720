package manifests

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
)

// Whatever the bytes: no panic, and nothing in a snapshot or in its coverage that
// could not be printed on a terminal.
func FuzzReadStream(f *testing.F) {
	for _, seed := range []string{
		fmt.Sprintf(role, "r"),
		"a: &a [*a]\nkind: Service\napiVersion: v1",
		"apiVersion: v1\nkind: Service\nmetadata: &m {name: a, <<: *m}\n",
		"---\n--- \n...\n%YAML 1.1\n---\nkind: List\nitems: [1, {kind: Pod}]",
		`{"apiVersion":"v1","items":[{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a\u001b"}}],"kind":"List"}`,
		`[[{"kind":"Endpoints","apiVersion":"v1","metadata":{"name":"a","managedFields":[{"fieldsV1":{"f:subsets":{}}}]}}]]`,
		"apiVersion: v1\nkind: Endpoints\nmetadata: {name: e, annotations: {control-plane.alpha.kubernetes.io/leader: '{'}}",
		"? {kind: x}\n: y\n",
		"kind: !!binary x\napiVersion: !!int v1",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			t.Skip()
		}
		snapshot, coverage := ReadStream("in", strings.NewReader(string(data)), Options{MaxDocument: 16 << 10})
		texts := append(contents(snapshot), problems(coverage)...)
		for _, e := range snapshot.Endpoints {
			texts = append(texts, e.ManagedBy)
			texts = append(texts, e.AnnotationKeys...)
			for _, m := range e.Managers {
				texts = append(texts, m.Name)
			}
		}
		for _, p := range snapshot.Pods {
			texts = append(texts, p.Controller.String(), p.Spec.ServiceAccount)
			for _, c := range p.Spec.Containers {
				texts = append(texts, c.Name, c.Image, c.Digest)
			}
		}
		for _, s := range texts {
			if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("not printable: %q", s)
			}
		}
	})
}
