package find

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/slicewright/slicewright/app/internal/cli/clitest"
	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/registry"
)

// Obstacles, as kubectl get -o yaml --show-managed-fields dumps them.
const obstacleDump = `apiVersion: v1
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
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: coredns, namespace: kube-system, uid: d}
  spec: {selector: {matchLabels: {a: b}}, template: {spec: {serviceAccountName: coredns, containers: [{name: coredns, image: "k8s.gcr.io/coredns:1.7.0"}]}}}
`

func TestFindSaysWhatIsInTheWay(t *testing.T) {
	got := runFind(t, obstacleDump, "--manifests", "-", "-o", "json")
	if got.code != command.ExitHolds {
		t.Fatalf("exit %d: %s", got.code, got.errors)
	}
	clitest.CheckSchema(t, "consumerregistry", got.out)
	var r registry.Registry
	if err := json.Unmarshal([]byte(got.out), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Obstacles) != 2 {
		t.Fatalf("%+v", r.Obstacles)
	}
	if o := r.Obstacles[0]; o.Code != "fed-by-mirroring" || o.Object != "Service/shop/db" || len(o.Writers) != 1 || o.Writers[0].Name != "db-publisher" || o.Writers[0].By != "managedFields" {
		t.Errorf("%+v", o)
	}
	if o := r.Obstacles[1]; o.Code != "dns-reads-endpoints" || o.Object != "Deployment/kube-system/coredns" || !strings.Contains(o.Source, "coredns-1.8.1") {
		t.Errorf("%+v", o)
	}
	// A DNS server is a consumer too, which must move.
	if !slices.ContainsFunc(r.Entries, func(e registry.Entry) bool {
		return e.Workload.Name == "coredns" && e.Class == evidence.Reader && e.Confidence == evidence.Likely
	}) {
		t.Errorf("CoreDNS is no consumer: %+v", r.Entries)
	}
	table := runFind(t, obstacleDump, "--manifests", "-")
	if !strings.Contains(table.out, "In the way on the cluster\n  fed-by-mirroring: Service shop/db, without a selector,") {
		t.Errorf("%s", table.out)
	}
}
