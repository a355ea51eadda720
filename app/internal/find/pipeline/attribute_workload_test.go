package pipeline

import (
	"strings"
	"testing"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/manifests"
	"github.com/slicewright/slicewright/app/internal/find/registry"
	"github.com/slicewright/slicewright/app/internal/find/workloads"
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
	snapshot, _ := manifests.ReadStream("running.yaml", strings.NewReader(running), manifests.Options{})
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
		attributeWorkloads(findings, index)
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
	snapshot, _ := manifests.ReadStream("running.yaml", strings.NewReader(running), manifests.Options{})
	known := evidence.Workload{Kind: "CronJob", Namespace: "prod", Name: "nightly"}
	findings := []evidence.Finding{{Subject: evidence.Subject{ServiceAccount: "prod/alone", Workload: known, Owner: "somebody"}}}
	attributeWorkloads(findings, workloads.New(snapshot))
	if got := findings[0].Subject; got.Workload != known || got.Owner != "somebody" || got.Images != nil {
		t.Errorf("got %+v", got)
	}
}

const static = `
apiVersion: v1
kind: Pod
metadata: {name: edge-node-1, namespace: kube-system, labels: {team: net}, annotations: {kubernetes.io/config.mirror: x}, ownerReferences: [{apiVersion: v1, kind: Node, name: node-1, uid: a, controller: true}]}
spec: {nodeName: node-1, containers: [{name: main, image: registry.example/edge-proxy:1}]}
---
apiVersion: v1
kind: Pod
metadata: {name: edge-node-2, namespace: kube-system, annotations: {kubernetes.io/config.mirror: x}}
spec: {nodeName: node-2, containers: [{name: main, image: registry.example/edge-proxy:1}]}
---
apiVersion: v1
kind: Pod
metadata: {name: twin-node-1, namespace: a, annotations: {kubernetes.io/config.mirror: x}}
spec: {nodeName: node-1, containers: [{name: twin, image: twin:1}]}
---
apiVersion: v1
kind: Pod
metadata: {name: twin-node-1, namespace: b, annotations: {kubernetes.io/config.mirror: x}}
spec: {nodeName: node-1, containers: [{name: twin, image: twin:1}]}
`

// A static Pod is the workload of source and of a user that have its name, and of
// nobody who only could be it.
func TestStaticPodsAreWorkloadsByName(t *testing.T) {
	snapshot, _ := manifests.ReadStream("static.yaml", strings.NewReader(static), manifests.Options{})
	index := workloads.New(snapshot)
	if all := index.Static(); len(all) != 3 || all[2].Name != "edge" || all[2].PodCount != 2 {
		t.Fatalf("static Pods %+v, want edge once for both of its nodes", all)
	}
	for _, test := range []struct {
		why     string
		subject evidence.Subject
		class   evidence.Class
		want    string
	}{
		{"source of its image's name", evidence.Subject{Application: "edge-proxy"}, evidence.Reader, "edge"},
		{"a user with a certificate of its name", evidence.Subject{User: "system:edge", Application: "x"}, evidence.Reader, "edge"},
		{"a person who runs a program of that name", evidence.Subject{User: "jane", Application: "edge-proxy"}, evidence.Reader, ""},
		{"two of one name", evidence.Subject{Application: "twin"}, evidence.Reader, ""},
		{"an account is somebody else", evidence.Subject{Application: "edge-proxy", ServiceAccount: "a/b"}, evidence.Reader, ""},
		{"the control plane is known otherwise", evidence.Subject{User: "edge"}, evidence.Expected, ""},
	} {
		findings := []evidence.Finding{{Subject: test.subject, Class: test.class}}
		attributeStaticPods(findings, index)
		got := findings[0]
		if got.Subject.Workload.Name != test.want || (len(got.Notes) > 0) != (test.want != "") {
			t.Errorf("%s: got %+v, notes %v", test.why, got.Subject, got.Notes)
		}
	}
	findings := []evidence.Finding{{Subject: evidence.Subject{Application: "edge-proxy"}, Class: evidence.Reader, Confidence: evidence.Likely, Evidence: []evidence.Evidence{{Source: evidence.SourceText, Locator: "a:1:1"}}}}
	attributeStaticPods(findings, index)
	if e := registry.Build(findings, nil).Entries[0]; e.Workload != (evidence.Workload{Kind: "Pod", Namespace: "kube-system", Name: "edge"}) || e.Owner != "net" || len(e.Images) != 1 {
		t.Errorf("the entry is %+v", e)
	}
}
