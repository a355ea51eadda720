package live_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slicewright/slicewright/app/internal/shadow"
	"github.com/slicewright/slicewright/app/internal/shadow/live"
	"github.com/slicewright/slicewright/endpointset"
)

// manifests has a stale address, of which a Pod that ended once had the address.
const manifests = `# what is in a cluster
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Endpoints
  metadata: {name: prices, namespace: shop}
  subsets: [{addresses: [{ip: 10.0.0.1}, {ip: 10.0.0.9}], ports: [{name: http, port: 8080}]}]
- apiVersion: v1
  kind: Pod
  metadata: {name: old, namespace: shop}
  status: {phase: Succeeded, podIPs: [{ip: 10.0.0.9}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSliceList
items:
- metadata: {name: a, namespace: shop, labels: {kubernetes.io/service-name: prices, endpointslice.kubernetes.io/managed-by: endpointslice-controller.k8s.io}}
  addressType: IPv4
  ports: [{name: http, port: 8080}]
  endpoints: [{addresses: [10.0.0.1]}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: beside}
---
{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"empty"}}
`

func compareText(t *testing.T, text string, named ...endpointset.ServiceKey) *shadow.Report {
	t.Helper()
	var f live.Files
	if err := f.Read("-", strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	r, err := f.Compare(time.Unix(0, 0), named, func(endpointset.ServiceKey) bool { return len(named) == 0 }, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestManifestsAreCompared(t *testing.T) {
	r := compareText(t, manifests)
	if len(r.Services) != 2 || r.Services[0].Service != "default/empty" || r.Services[1].Service != "shop/prices" {
		t.Fatalf("Services: %+v", r.Services)
	}
	s := r.Services[1]
	if want := map[shadow.Class]int{shadow.EndpointsStale: 1}; !maps.Equal(s.Classes, want) || s.Differences[0].Because != "no slice and no Pod has it" {
		t.Errorf("%+v", s)
	}
	if len(r.Unread) != 2 || r.Unread[0].Resource != "nodes" || r.Unread[1].Resource != "services" {
		t.Errorf("the files have neither Nodes nor Services, and the report says: %+v", r.Unread)
	}
}

func TestOneServiceOfManifests(t *testing.T) {
	absent := endpointset.ServiceKey{Namespace: "shop", Name: "absent"}
	r := compareText(t, manifests, prices, absent, prices)
	if len(r.Services) != 2 || r.Services[0].Outcome != shadow.Unknown || r.Services[1].Service != "shop/prices" {
		t.Errorf("%+v", r.Services)
	}
}

func TestManifestsThatCannotBeCompared(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"no YAML", "a: [", "document 1, which begins in line 1: "},
		{"a wrong type", "apiVersion: v1\nkind: Endpoints\nmetadata: {name: x}\nsubsets: 7\n", "document 1, which begins in line 1: v1 Endpoints: "},
		{"a wrong item", "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Endpoints}]\n", "document 1, which begins in line 1: items[0]: v1 Endpoints: metadata.name is missing"},
		{"Lists in Lists", strings.Repeat(`{"apiVersion":"v1","kind":"List","items":[`, 9) + strings.Repeat("]}", 9), "kind List is nested more than 8 deep"},
		{"neither", "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n", "neither Endpoints nor EndpointSlices"},
		{"nothing", "", "neither Endpoints nor EndpointSlices"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var f live.Files
			err := f.Read("-", strings.NewReader(tt.text))
			if err == nil {
				_, err = f.Compare(time.Unix(0, 0), nil, nil, nil)
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("the error is %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestAFolderOfManifests(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.yaml": manifests, "notes.txt": "no: [YAML"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var f live.Files
	if err := f.Read(dir, nil); err != nil {
		t.Fatal(err)
	}
	if r, err := f.Compare(time.Unix(0, 0), nil, nil, nil); err != nil || len(r.Services) != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	if err := f.Read(filepath.Join(dir, "absent"), nil); err == nil {
		t.Error("a file that is not there is no error")
	}
}

func FuzzFiles(f *testing.F) {
	f.Add([]byte(manifests))
	f.Fuzz(func(_ *testing.T, data []byte) {
		var files live.Files
		if files.Read("-", strings.NewReader(string(data))) == nil {
			_, _ = files.Compare(time.Unix(0, 0), nil, nil, nil)
		}
	})
}
