package obstacles_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/slicewright/slicewright/app/internal/find/cluster"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/internal/apitest"
	"github.com/slicewright/slicewright/app/internal/find/manifests"
	"github.com/slicewright/slicewright/app/internal/find/objects"
	"github.com/slicewright/slicewright/app/internal/find/obstacles"
	"github.com/slicewright/slicewright/app/internal/find/rbac"
)

// dump is what kubectl get -o yaml --show-managed-fields writes, with one obstacle
// of each kind.
const dump = `apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Service, metadata: {name: db, namespace: shop, uid: a}, spec: {ports: [{port: 5432}]}}
- apiVersion: v1
  kind: Endpoints
  metadata:
    name: db
    namespace: shop
    uid: b
    managedFields:
    - {manager: db-publisher, operation: Update, apiVersion: v1, time: "2026-01-02T03:04:05Z", fieldsType: FieldsV1, fieldsV1: {"f:subsets": {}}}
  subsets: [{addresses: [{ip: 10.0.0.1}], ports: [{port: 5432}]}]
- apiVersion: discovery.k8s.io/v1
  kind: EndpointSlice
  metadata: {name: db-x, namespace: shop, uid: c, labels: {kubernetes.io/service-name: db, endpointslice.kubernetes.io/managed-by: endpointslicemirroring-controller.k8s.io}}
  addressType: IPv4
  endpoints: [{addresses: [10.0.0.1]}]
- {apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop, uid: d}, spec: {selector: {app: web}}}
- {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: web-x, namespace: shop, uid: e, labels: {kubernetes.io/service-name: web, endpointslice.kubernetes.io/managed-by: endpointslicemirroring-controller.k8s.io}}, addressType: IPv4, endpoints: []}
- {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: web-y, namespace: shop, uid: f, labels: {kubernetes.io/service-name: web, endpointslice.kubernetes.io/managed-by: endpointslice-controller.k8s.io}}, addressType: IPv4, endpoints: []}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: kube-dns, namespace: kube-system, uid: g}
  spec: {selector: {matchLabels: {a: b}}, template: {spec: {serviceAccountName: kube-dns, containers: [{name: kubedns, image: "registry.k8s.io/dns/k8s-dns-kube-dns:1.26.4"}]}}}
`

// A cluster and its dump lead to the same, but for where it can be looked up.
func TestADumpHasTheObstaclesOfItsCluster(t *testing.T) {
	var list struct{ Items []map[string]any }
	if err := yaml.Unmarshal([]byte(dump), &list); err != nil {
		t.Fatal(err)
	}
	client, err := cluster.NewClient(&rest.Config{Host: apitest.New(t, list.Items).URL}, "")
	if err != nil {
		t.Fatal(err)
	}
	live, coverage, err := cluster.Read(t.Context(), client, cluster.Options{PageSize: 1})
	if err != nil || len(coverage.Problems) > 0 {
		t.Fatalf("%v %v", err, coverage.Problems)
	}
	offline, coverage := manifests.ReadStream("dump", bytes.NewReader([]byte(dump)), manifests.Options{})
	if len(coverage.Problems) > 0 {
		t.Fatal(coverage.Problems)
	}
	found := func(s *objects.Snapshot) []evidence.Obstacle {
		list, _ := obstacles.Find(s, rbac.Analyze(s))
		return list
	}
	a, b := found(live), found(offline)
	if a[0].Locator != "Service/shop/db" || b[0].Locator != "dump:4:20" {
		t.Errorf("locators %s and %s", a[0].Locator, b[0].Locator)
	}
	for i := range a {
		a[i].Locator = ""
	}
	for i := range b {
		b[i].Locator = ""
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("(-cluster +dump):\n%s", diff)
	}
	want := []string{
		"fed-by-mirroring Service/shop/db <- db-publisher (managedFields)",
		"mirrored-beside-managed Service/shop/web",
		"dns-reads-endpoints Deployment/kube-system/kube-dns",
	}
	if diff := cmp.Diff(want, lines(a)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
