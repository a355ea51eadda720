package writers_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/manifests"
	"github.com/slicewright/slicewright/app/internal/find/rbac"
	"github.com/slicewright/slicewright/app/internal/find/writers"
)

func find(t *testing.T, documents ...string) ([]evidence.Finding, evidence.Coverage) {
	t.Helper()
	fsys := fstest.MapFS{"in.yaml": &fstest.MapFile{Data: []byte(strings.Join(documents, "\n---\n"))}}
	snapshot, coverage, err := manifests.Read(context.Background(), fsys, manifests.Options{})
	if err != nil || len(coverage.Problems) > 0 {
		t.Fatalf("the manifests of the test: %v %v", err, coverage.Problems)
	}
	return writers.Find(snapshot, rbac.Analyze(snapshot))
}

// line says of a finding what the tables compare.
func line(f evidence.Finding) string {
	out := fmt.Sprintf("%s %s %s", f.Confidence, f.Class, f.Subject.Application)
	if f.Subject.ServiceAccount != "" {
		out += " as " + f.Subject.ServiceAccount
	}
	if f.Subject.Workload.Name != "" {
		out += " in " + f.Subject.Workload.Kind + "/" + f.Subject.Workload.Name
	}
	detectors := make([]string, len(f.Evidence))
	for i, e := range f.Evidence {
		detectors[i] = strings.TrimPrefix(e.Detector, "object/")
	}
	return out + " by " + strings.Join(detectors, ",")
}

// endpoints is an object as a cluster has stored it, with the managers given as
// "name:fields", the fields of FieldsV1 in short: s subsets, a annotations, l the
// controller's label.
func endpoints(name string, labels, annotations string, managers ...string) string {
	var entries []string
	for _, m := range managers {
		manager, fields, _ := strings.Cut(m, ":")
		var metadata []string
		if strings.Contains(fields, "a") {
			metadata = append(metadata, `"f:annotations":{"f:x":{}}`)
		}
		if strings.Contains(fields, "l") {
			metadata = append(metadata, `"f:labels":{"f:endpoints.kubernetes.io/managed-by":{}}`)
		}
		v1 := `"f:metadata":{` + strings.Join(metadata, ",") + `}`
		if strings.Contains(fields, "s") {
			v1 += `,"f:subsets":{}`
		}
		entries = append(entries, fmt.Sprintf(`{manager: %q, operation: Update, apiVersion: v1, time: "2026-01-02T03:04:05Z", fieldsType: FieldsV1, fieldsV1: {%s}}`, manager, v1))
	}
	return fmt.Sprintf("{apiVersion: v1, kind: Endpoints, metadata: {name: %s, namespace: n, uid: u, labels: {%s}, annotations: {%s}, managedFields: [%s]}, subsets: [{addresses: [{ip: 10.0.0.1}]}]}",
		name, labels, annotations, strings.Join(entries, ", "))
}

func service(name, selector string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: Service, metadata: {name: %s, namespace: n}, spec: {selector: {%s}}}", name, selector)
}

const (
	byController = "endpoints.kubernetes.io/managed-by: endpoint-controller"
	mayWrite     = `{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: w, namespace: n}, rules: [{apiGroups: [""], resources: [endpoints], verbs: [update]}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: w, namespace: n}, roleRef: {kind: Role, name: w}, subjects: [{kind: ServiceAccount, name: w}]}`
)

func deployment(name, account, image string) string {
	return fmt.Sprintf("{apiVersion: apps/v1, kind: Deployment, metadata: {name: %s, namespace: n}, spec: {template: {spec: {serviceAccountName: %s, containers: [{name: main, image: %q}]}}}}", name, account, image)
}

func TestFind(t *testing.T) {
	for _, test := range []struct {
		name    string
		objects []string
		want    []string
	}{
		{
			"the controller's, labelled",
			[]string{endpoints("a", byController, "", "kube-controller-manager:sl"), service("a", "x: y")},
			[]string{"proven expected endpoint-controller by endpoints-controller"},
		},
		{
			"the controller's, before the label",
			[]string{endpoints("a", "", "", "kube-controller-manager:s"), service("a", "x: y")},
			[]string{"proven expected endpoint-controller by endpoints-controller"},
		},
		{
			"the controller's, built into another binary",
			[]string{endpoints("a", byController, "", "k3s:sl"), service("a", "x: y")},
			[]string{"proven expected endpoint-controller by endpoints-controller"},
		},
		{"the controller's, left over", []string{endpoints("a", "", "", "kube-controller-manager:s")}, nil},
		{
			"the API server's own",
			[]string{strings.ReplaceAll(endpoints("kubernetes", "", "", "kube-apiserver:s"), "namespace: n", "namespace: default")},
			[]string{"proven expected kube-apiserver by api-server"},
		},
		{
			"a program's",
			[]string{endpoints("a", "", "", "db-publisher:s"), service("a", "")},
			[]string{"proven producer db-publisher by managed-fields"},
		},
		{
			"a program's, many objects",
			[]string{endpoints("a", "", "", "db-publisher:s"), endpoints("b", "", "", "db-publisher:s")},
			[]string{"proven producer db-publisher by managed-fields,managed-fields"},
		},
		{
			"two programs'",
			[]string{endpoints("a", "", "", "one:s", "two:s", "three:a")},
			[]string{"proven producer one by managed-fields", "proven producer two by managed-fields"},
		},
		{
			"beside the controller",
			[]string{endpoints("a", byController, "", "kube-controller-manager:sl", "patcher:s"), service("a", "x: y")},
			[]string{"proven producer patcher by managed-fields"},
		},
		{
			"an annotation beside the controller is nothing",
			[]string{endpoints("a", byController, "", "kube-controller-manager:sl", "annotator:a"), service("a", "x: y")},
			[]string{"proven expected endpoint-controller by endpoints-controller"},
		},
		{
			"applied by hand, one for each object",
			[]string{endpoints("a", "", "", "kubectl-client-side-apply:s"), endpoints("b", "", "", "kubectl-client-side-apply:s")},
			[]string{"proven producer a by managed-fields", "proven producer b by managed-fields"},
		},
		{
			"a dump applied with kubectl is kubectl's, label and all",
			[]string{endpoints("a", byController, "", "kubectl-create:sl")},
			[]string{"proven producer a by managed-fields"},
		},
		{
			"joined by name and permission",
			[]string{endpoints("a", "", "", "db-publisher:s"), mayWrite, deployment("x", "w", "registry:5000/team/db-publisher:1"), deployment("db-publisher", "other", "i")},
			[]string{"proven producer x as n/w in Deployment/x by managed-fields"},
		},
		{
			"not joined where two are called so",
			[]string{endpoints("a", "", "", "db-publisher:s"), mayWrite, deployment("x", "w", "db-publisher:1"), deployment("db-publisher", "w", "i")},
			[]string{"proven producer db-publisher by managed-fields"},
		},
		{
			"not joined where it may not write",
			[]string{endpoints("a", "", "", "db-publisher:s"), deployment("db-publisher", "w", "i")},
			[]string{"proven producer db-publisher by managed-fields"},
		},
		{
			"an empty object that a program made",
			[]string{endpoints("a", "", "", "db-publisher:")},
			[]string{"proven producer db-publisher by managed-fields"},
		},
		{
			"a manifest",
			[]string{"{apiVersion: v1, kind: Endpoints, metadata: {name: db, namespace: n}, subsets: []}"},
			[]string{"likely producer db by manifest"},
		},
		{"a dump without managedFields, labelled", []string{endpoints("a", byController, "")}, []string{"proven expected endpoint-controller by endpoints-controller"}},
		{
			"a dump without managedFields, not labelled, where others are",
			[]string{endpoints("a", byController, ""), endpoints("b", "", ""), service("b", "x: y")},
			[]string{"likely producer b by no-managed-by", "proven expected endpoint-controller by endpoints-controller"},
		},
		{"a dump without managedFields of an old cluster", []string{endpoints("b", "", ""), service("b", "x: y")}, nil},
		{
			"a dump without managedFields, no selector",
			[]string{endpoints("b", "", ""), service("b", "")},
			[]string{"likely producer b by no-managed-by"},
		},
		{
			"a lock",
			[]string{endpoints("lock", "", `control-plane.alpha.kubernetes.io/leader: '{"holderIdentity":"web-0_1234","renewTime":"2026-01-02T03:04:05Z"}'`)},
			[]string{"likely lock lock by leader-lock"},
		},
		{
			"a lock held by a Pod",
			[]string{
				endpoints("lock", "", `control-plane.alpha.kubernetes.io/leader: '{"holderIdentity":"web-0_1234"}'`),
				"{apiVersion: v1, kind: Pod, metadata: {name: web-0, namespace: n, labels: {app: elector}}, spec: {serviceAccountName: sa, containers: []}}",
			},
			[]string{"proven lock elector as n/sa in Pod/web-0 by leader-lock"},
		},
		{
			"a lock by its manager",
			[]string{endpoints("lock", "", `control-plane.alpha.kubernetes.io/leader: 'no record'`, "elector:a"), mayWrite, deployment("elector", "w", "i")},
			[]string{"proven lock elector as n/w in Deployment/elector by leader-lock"},
		},
		{
			"a lock that the control plane left",
			[]string{strings.ReplaceAll(endpoints("kube-scheduler", "", `control-plane.alpha.kubernetes.io/leader: '{}'`), "namespace: n", "namespace: kube-system")},
			[]string{"likely expected kube-scheduler by leader-lock"},
		},
		{
			"Patroni's",
			[]string{
				endpoints("pg", "", `leader: pg-0, ttl: "30", renewTime: x, optime: "1"`, "Patroni:as"),
				endpoints("pg-config", "", `config: "{}", initialize: "7"`), endpoints("pg-sync", "", `leader: pg-0, sync_standby: pg-1`),
				mayWrite, "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: pg, namespace: n}, spec: {template: {spec: {serviceAccountName: w, containers: []}}}}",
			},
			[]string{"proven state-store pg as n/w in StatefulSet/pg by patroni", "likely state-store pg as n/w in StatefulSet/pg by patroni", "likely state-store pg as n/w in StatefulSet/pg by patroni"},
		},
		{
			"state in annotations",
			[]string{endpoints("state", "", `mine: "1"`, "keeper:a")},
			[]string{"proven state-store state by annotations-only"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			findings, _ := find(t, test.objects...)
			var got []string
			for _, f := range findings {
				got = append(got, line(f))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAWriterSaysWhatHangsOnIt(t *testing.T) {
	slice := func(name, by string) string {
		return fmt.Sprintf("{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, addressType: IPv4, metadata: {name: %s, namespace: n, labels: {kubernetes.io/service-name: a, endpointslice.kubernetes.io/managed-by: %s}}, endpoints: []}", name, by)
	}
	findings, _ := find(t, endpoints("a", "", "", "publisher:s"), service("a", ""),
		slice("a-1", "endpointslicemirroring-controller.k8s.io"), slice("a-2", "mine"))
	if len(findings) != 1 {
		t.Fatalf("%d findings", len(findings))
	}
	if diff := cmp.Diff([]string{
		"The EndpointSlices of Service n/a are mirrored from it (1): readers of slices depend on it as long as nobody publishes slices.",
		"Beside them stand slices of mine: the same backend may be there twice.",
	}, findings[0].Notes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	e := findings[0].Evidence[0]
	if e.Locator != "in.yaml:1:18" || e.LastSeen == nil || e.LastSeen.Format("15:04:05") != "03:04:05" {
		t.Errorf("evidence %+v, want its place and the time of the write", e)
	}
}

func TestWhatCouldNotBeSeenIsSaid(t *testing.T) {
	_, coverage := find(t, endpoints("a", "", ""), endpoints("b", "", "", "kube-controller-manager:s"))
	if len(coverage.Problems) != 1 || !strings.Contains(coverage.Problems[0].Message, "--show-managed-fields") {
		t.Errorf("problems %v, want the missing managedFields", coverage.Problems)
	}
	if len(coverage.Notes) != 1 || !strings.Contains(coverage.Notes[0], "n/b") {
		t.Errorf("notes %v, want the left-over n/b", coverage.Notes)
	}
	if coverage.Read != 2 || coverage.Source != evidence.SourceObject {
		t.Errorf("coverage %+v", coverage)
	}
}
