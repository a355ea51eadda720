package rbac_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/objects"
	"github.com/slicewright/slicewright/app/internal/find/rbac"
	"github.com/slicewright/slicewright/app/internal/find/workloads"
)

func analyze(t *testing.T, manifests string) *rbac.Analysis {
	t.Helper()
	snapshot, coverage := load(t, fstest.MapFS{"in.yaml": &fstest.MapFile{Data: []byte(manifests)}})
	if len(coverage.Problems) > 0 {
		t.Fatalf("the manifests of the test: %v", coverage.Problems)
	}
	return rbac.Analyze(snapshot)
}

func TestMayWriteIsByScopeAndName(t *testing.T) {
	a := analyze(t, `{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: r, namespace: n}, rules: [{apiGroups: [""], resources: [endpoints], verbs: [update], resourceNames: [one]}, {apiGroups: [""], resources: [endpoints], verbs: [get]}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: r, namespace: n}, roleRef: {kind: Role, name: r}, subjects: [{kind: ServiceAccount, name: a}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: root}, roleRef: {kind: ClusterRole, name: cluster-admin}, subjects: [{kind: ServiceAccount, name: root, namespace: n}]}
`)
	for _, test := range []struct {
		account, namespace, name string
		want                     bool
	}{
		{"a", "n", "one", true},
		{"a", "n", "two", false},
		{"a", "other", "one", false},
		{"root", "other", "any", true},
		{"nobody", "n", "one", false},
	} {
		if got := a.MayWrite(workloads.Account{Namespace: "n", Name: test.account}, test.namespace, test.name); got != test.want {
			t.Errorf("%s on %s/%s: %t, want %t", test.account, test.namespace, test.name, got, test.want)
		}
	}
}

func TestAPatchIsYAMLAndJSONThatSayTheSame(t *testing.T) {
	patch := rbac.Patch{
		Role: objects.Ref{Kind: "Role", Namespace: "n", Name: "r"},
		Add:  []rbacv1.PolicyRule{on("endpointslices", "get,list")},
	}
	var fromYAML struct{ Rules []rbacv1.PolicyRule }
	if err := yaml.UnmarshalStrict([]byte(patch.YAML()), &fromYAML); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(patch.Add, fromYAML.Rules); diff != "" {
		t.Errorf("YAML (-want +got):\n%s", diff)
	}
	data, err := patch.JSONPatch()
	if err != nil {
		t.Fatal(err)
	}
	var operations []struct {
		Op, Path string
		Value    rbacv1.PolicyRule
	}
	if err := json.Unmarshal(data, &operations); err != nil {
		t.Fatal(err)
	}
	if len(operations) != 1 || operations[0].Op != "add" || operations[0].Path != "/rules/-" || !cmp.Equal(operations[0].Value, patch.Add[0]) {
		t.Errorf("JSON patch %s", data)
	}
}

// With its patches applied, nobody lacks anything; and who was found before is
// found after, with the same verbs.
func TestPatchesCloseEveryGap(t *testing.T) {
	verbs := rapid.SliceOfN(rapid.SampledFrom([]string{"get", "list", "watch", "update", "*"}), 1, 2)
	rapid.Check(t, func(t *rapid.T) {
		s := &objects.Snapshot{}
		names := rapid.SampledFrom([]string{"a", "b", "c"})
		for _, name := range []string{"a", "b", "c"} {
			role := objects.Role{Ref: objects.Ref{Kind: "ClusterRole", Name: name}, Labels: map[string]string{"is": name}}
			for range rapid.IntRange(0, 3).Draw(t, "rules") {
				rule := on(rapid.SampledFrom([]string{"endpoints", "endpoints", "endpointslices", "*", "services"}).Draw(t, "resource"), "x")
				rule.Verbs = verbs.Draw(t, "verbs")
				role.Rules = append(role.Rules, rule)
			}
			s.Roles = append(s.Roles, role)
		}
		for i := range rapid.IntRange(0, 5).Draw(t, "bindings") {
			b := objects.Binding{Ref: objects.Ref{Kind: "ClusterRoleBinding", Name: fmt.Sprint(i)}}
			if namespace := rapid.SampledFrom([]string{"", "n", "m"}).Draw(t, "namespace"); namespace != "" {
				b.Kind, b.Namespace = "RoleBinding", namespace
			}
			b.Role = rbacv1.RoleRef{Kind: "ClusterRole", Name: names.Draw(t, "role")}
			b.Subjects = []rbacv1.Subject{rapid.SampledFrom([]rbacv1.Subject{
				{Kind: "ServiceAccount", Namespace: "n", Name: "x"},
				{Kind: "Group", Name: "system:serviceaccounts:n"},
				{Kind: "User", Name: "u"},
			}).Draw(t, "subject")}
			s.Bindings = append(s.Bindings, b)
		}
		before := rbac.Analyze(s)
		for _, patch := range before.Patches {
			for i := range s.Roles {
				if s.Roles[i].Ref == patch.Role {
					s.Roles[i].Rules = append(s.Roles[i].Rules, patch.Add...)
				}
			}
		}
		after := rbac.Analyze(s)
		if len(after.Patches) > 0 {
			t.Fatalf("after %+v there is still %+v", before.Patches, after.Patches)
		}
		who := func(a *rbac.Analysis) []string {
			var out []string
			for _, f := range a.Findings {
				out = append(out, fmt.Sprint(f.Subject.Application, f.Confidence, f.Class, f.Verbs, f.Namespaces))
			}
			return out
		}
		if diff := cmp.Diff(who(before), who(after)); diff != "" {
			t.Fatalf("(-before +after):\n%s", diff)
		}
	})
}

// A finding has what the registry joins by, and evidence for each claim.
func TestEveryFindingCanBeJoinedAndChecked(t *testing.T) {
	a := analyze(t, `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: root}, roleRef: {kind: ClusterRole, name: cluster-admin}, subjects: [{kind: ServiceAccount, name: root, namespace: n}]}
---
{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: n}, spec: {serviceAccountName: root, containers: [{name: c, image: "i:1"}]}, status: {containerStatuses: [{name: c, imageID: "i@sha256:aa"}]}}
`)
	if len(a.Findings) != 1 {
		t.Fatalf("%d findings", len(a.Findings))
	}
	want := evidence.Subject{
		Application: "p", Workload: evidence.Workload{Kind: "Pod", Namespace: "n", Name: "p"},
		Images:         []evidence.Image{{Image: "i:1", Digest: "sha256:aa"}},
		ServiceAccount: "n/root", User: "system:serviceaccount:n:root", Pod: "n/p",
	}
	if diff := cmp.Diff(want, a.Findings[0].Subject); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, e := range a.Findings[0].Evidence {
		if e.Source != evidence.SourceRBAC || e.Detector == "" || e.Locator == "" || e.Count == 0 || e.Excerpt == "" {
			t.Errorf("evidence %+v cannot be checked", e)
		}
	}
}
