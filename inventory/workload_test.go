package inventory_test

import (
	"strings"
	"testing"

	"github.com/slicewright/slicewright/inventory"
	"github.com/slicewright/slicewright/inventory/evidence"
	"github.com/slicewright/slicewright/inventory/objects"
	"github.com/slicewright/slicewright/inventory/workloads"
)

const running = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: alone, namespace: prod}
spec: {template: {spec: {serviceAccountName: alone, containers: [{name: main, image: alone:1}]}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: front, namespace: prod}
spec: {template: {spec: {serviceAccountName: shared, containers: [{name: main, image: front:1}]}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: back, namespace: prod}
spec: {template: {spec: {serviceAccountName: shared, containers: [{name: main, image: back:1}]}}}
---
apiVersion: v1
kind: Pod
metadata: {name: front-0, namespace: prod, ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: front, uid: a, controller: true}]}
spec: {serviceAccountName: shared, containers: [{name: main, image: front:1}]}
`

func TestFindingsOfALogGetTheWorkloadThatRuns(t *testing.T) {
	snapshot, _ := objects.ReadManifest("running.yaml", strings.NewReader(running), objects.ManifestOptions{})
	index := workloads.New(snapshot)
	for _, test := range []struct {
		why, account, pod, want string
	}{
		{"a Pod decides among several", "prod/shared", "prod/front-0", "front"},
		{"a Pod that is gone, of several, says nothing", "prod/shared", "prod/other-0", ""},
		{"no Pod, of several, says nothing", "prod/shared", "", ""},
		{"one workload alone needs no Pod", "prod/alone", "", "alone"},
		{"a Pod of that name under another account is another Pod", "prod/alone", "prod/front-0", "alone"},
		{"an account under which nothing runs", "prod/ghost", "prod/front-0", ""},
		{"no account at all", "", "prod/front-0", ""},
	} {
		findings := []evidence.Finding{{Subject: evidence.Subject{ServiceAccount: test.account, Pod: test.pod}}}
		inventory.AttributeWorkloads(findings, index)
		got := findings[0].Subject
		if got.Workload.Name != test.want {
			t.Errorf("%s: got %q instead of %q", test.why, got.Workload.Name, test.want)
		}
		if test.want != "" && (len(got.Images) != 1 || got.Images[0].Image != test.want+":1") {
			t.Errorf("%s: images %v", test.why, got.Images)
		}
	}
}

func TestAWorkloadThatIsKnownStays(t *testing.T) {
	snapshot, _ := objects.ReadManifest("running.yaml", strings.NewReader(running), objects.ManifestOptions{})
	known := evidence.Workload{Kind: "CronJob", Namespace: "prod", Name: "nightly"}
	findings := []evidence.Finding{{Subject: evidence.Subject{ServiceAccount: "prod/alone", Workload: known, Owner: "somebody"}}}
	inventory.AttributeWorkloads(findings, workloads.New(snapshot))
	if got := findings[0].Subject; got.Workload != known || got.Owner != "somebody" || got.Images != nil {
		t.Errorf("got %+v", got)
	}
}
