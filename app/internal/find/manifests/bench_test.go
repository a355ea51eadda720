package manifests

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkReadStream reads a list of Pods as a cluster dumps them, some 3 KB
// each.
func BenchmarkReadStream(b *testing.B) {
	const pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p%d","namespace":"n","labels":{"app":"web"},"managedFields":[%s]},"spec":{"serviceAccountName":"a","containers":[{"name":"c","image":"c:1","env":[%s]}]},"status":{"phase":"Running","containerStatuses":[{"name":"c","imageID":"c@sha256:aa"}]}}`
	fields := `{"manager":"kube-controller-manager","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:image":{},"f:name":{}}}}}}`
	env := strings.TrimSuffix(strings.Repeat(`{"name":"SOME_VARIABLE","value":"some value"},`, 40), ",")
	var list bytes.Buffer
	list.WriteString(`{"apiVersion":"v1","items":[`)
	for i := range 1000 {
		if i > 0 {
			list.WriteString(",\n")
		}
		fmt.Fprintf(&list, pod, i, fields, env)
	}
	list.WriteString(`],"kind":"List"}`)
	b.SetBytes(int64(list.Len()))
	b.ReportAllocs()
	for b.Loop() {
		snapshot, _ := ReadStream("pods.json", bytes.NewReader(list.Bytes()), Options{})
		if len(snapshot.Pods) != 1000 {
			b.Fatal(len(snapshot.Pods))
		}
	}
}
