package producer

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

const roles = `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: reader
  namespace: shop
  uid: u1
  labels: {app: router}
  annotations: {kubectl.kubernetes.io/last-applied-configuration: "{}", note: kept}
rules: [{apiGroups: [""], resources: [endpoints], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: nothing-to-do}
rules: []
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: put-together}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: b}}]}
rules: [{apiGroups: [""], resources: [endpoints], verbs: [get]}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: router}
---
nothing: here
`

// Roles get what they lack beside their own rules. What lacks nothing, and what
// is no role, is skipped.
func TestRolesAreCarriedOver(t *testing.T) {
	slicesRule := rbacv1.PolicyRule{APIGroups: []string{"discovery.k8s.io"}, Resources: []string{"endpointslices"}, Verbs: []string{"get"}}
	carry := func(rules []rbacv1.PolicyRule) ([]rbacv1.PolicyRule, error) {
		if len(rules) == 0 {
			return nil, nil
		}
		return []rbacv1.PolicyRule{slicesRule}, nil
	}
	got, err := Convert("roles.yaml", []byte(roles), ConvertOptions{Carry: carry})
	if err != nil {
		t.Fatal(err)
	}
	want := &rbacv1.Role{Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"endpoints"}, Verbs: []string{"get"}}, slicesRule}}
	want.APIVersion, want.Kind = "rbac.authorization.k8s.io/v1", "Role"
	want.Name, want.Namespace, want.Labels, want.Annotations = "reader", "shop", map[string]string{"app": "router"}, map[string]string{"note": "kept"}
	if diff := cmp.Diff(Conversion{
		Roles: []runtime.Object{want}, Skipped: 4,
		Warnings: []string{
			"roles.yaml: document 3, line 16: ClusterRole put-together is put together from other roles: convert those",
			"roles.yaml: document 5, line 26: no Kubernetes object (it has no kind): skipped",
		},
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	without, err := Convert("roles.yaml", []byte(roles), ConvertOptions{})
	if err != nil || len(without.Roles) > 0 || without.Skipped != 5 {
		t.Errorf("without rules to carry: %+v, %v", without, err)
	}

	refuse := func([]rbacv1.PolicyRule) ([]rbacv1.PolicyRule, error) { return nil, errors.New("not possible") }
	if _, err := Convert("roles.yaml", []byte(roles), ConvertOptions{Carry: refuse}); err == nil || !strings.Contains(err.Error(), "Role shop/reader: not possible") {
		t.Errorf("a rule that cannot be carried over: %v", err)
	}
}

// Only what is converted is read strictly: a repeated key of another object is
// nothing to fail of.
func TestOtherObjectsAreNotReadStrictly(t *testing.T) {
	const repeated = "metadata: {name: a, name: a}\n"
	got, err := Convert("x", []byte("apiVersion: v1\nkind: ConfigMap\n"+repeated), ConvertOptions{})
	if err != nil || got.Skipped != 1 || len(got.Warnings) > 0 {
		t.Errorf("a ConfigMap: %+v, %v", got, err)
	}
	if _, err := Convert("x", []byte("apiVersion: v1\nkind: Endpoints\n"+repeated), ConvertOptions{}); err == nil {
		t.Error("Endpoints with a repeated key were converted")
	}
	// What has a kind and cannot be read is no other object.
	if got, err := Convert("x", []byte("apiVersion: v1\nkind: List\nitems: text\n"), ConvertOptions{}); err == nil || !strings.Contains(err.Error(), "items") {
		t.Errorf("a List whose items are text: %+v, %v", got, err)
	}
}

// Slices that are alike get names apart, and the same ones each time.
func TestStableNamesOfSlicesThatAreAlike(t *testing.T) {
	const manifest = `{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"a"},"subsets":[{
		"addresses":[{"ip":"10.0.0.1"},{"ip":"10.0.0.2"},{"ip":"10.0.0.3"},{"ip":"10.0.0.4"}],"ports":[{"port":1}]}]}`
	names := func() []string {
		c, err := Convert("x", []byte(manifest), ConvertOptions{StableNames: true, MaxEndpoints: 1})
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, s := range c.Slices {
			all = append(all, s.Name)
		}
		return all
	}
	want := []string{"a-1d3132aa", "a-1e31343d", "a-1b312f84", "a-1c313117"}
	if diff := cmp.Diff(want, names()); diff != "" {
		t.Errorf("names are another release's too (-want +got):\n%s", diff)
	}
}

// What means something on Endpoints alone does not go over to the slices.
func TestWhatIsOfEndpointsAloneStaysThere(t *testing.T) {
	const manifest = `apiVersion: v1
kind: Endpoints
metadata:
  name: a
  labels:
    app: kept
    endpoints.kubernetes.io/managed-by: endpoint-controller
    endpointslice.kubernetes.io/skip-mirror: "true"
    endpointslice.kubernetes.io/managed-by: somebody
    kubernetes.io/service-name: another
  annotations:
    note: kept
    endpoints.kubernetes.io/last-change-trigger-time: "2026-01-01T00:00:00Z"
    endpoints.kubernetes.io/over-capacity: truncated
    kubectl.kubernetes.io/last-applied-configuration: "{}"
subsets: [{addresses: [{ip: 10.0.0.1}], ports: [{port: 1}]}]
`
	c, err := Convert("x", []byte(manifest), ConvertOptions{})
	if err != nil || len(c.Slices) != 1 {
		t.Fatalf("%+v, %v", c, err)
	}
	got := map[string]map[string]string{"labels": c.Slices[0].Labels, "annotations": c.Slices[0].Annotations}
	want := map[string]map[string]string{
		"labels": {
			"app": "kept", "endpointslice.kubernetes.io/managed-by": DefaultConvertManagedBy, "kubernetes.io/service-name": "a",
		},
		"annotations": {"note": "kept"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
