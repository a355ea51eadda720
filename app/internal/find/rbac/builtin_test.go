package rbac

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/manifests"
	"github.com/slicewright/slicewright/app/internal/find/objects"
)

// recorded are the roles and bindings that a v1.37.2 API server makes by itself.
func recorded(t *testing.T) *objects.Snapshot {
	t.Helper()
	text, err := os.ReadFile("testdata/bootstrap-v1.37.2.json")
	if err != nil {
		t.Fatal(err)
	}
	snapshot, coverage := manifests.ReadStream("recorded", bytes.NewReader(text), manifests.Options{})
	if len(coverage.Problems) > 0 {
		t.Fatal(coverage.Problems)
	}
	return snapshot
}

// What is assumed of the roles that manifests do not bring is what they allow in
// a cluster: the same verbs where one is known, nothing where a name is said to
// grant nothing.
func TestBuiltInRolesAreWhatAClusterHas(t *testing.T) {
	cluster, assumed := newRoles(recorded(t)), newRoles(&objects.Snapshot{})
	if !cluster.complete["ClusterRole"] || !cluster.complete["Role"] {
		t.Error("the recorded roles do not count as those of a cluster")
	}
	verbs := func(rules []rule) (onEndpoints, onSlices []string) {
		for _, r := range rules {
			if r.endpoints != nil {
				onEndpoints = append(onEndpoints, r.endpoints.verbs...)
			}
			if r.slices != nil {
				onSlices = append(onSlices, r.slices.verbs...)
			}
		}
		return inOrder(onEndpoints), inOrder(onSlices)
	}
	known := 0
	for ref := range cluster.byRef {
		roleRef := rbacv1.RoleRef{Kind: ref.Kind, Name: ref.Name}
		rules, _ := cluster.of(roleRef, ref.Namespace)
		onEndpoints, onSlices := verbs(rules)
		if have, found := assumed.of(roleRef, ref.Namespace); found {
			known++
			haveEndpoints, haveSlices := verbs(have)
			if diff := cmp.Diff([][]string{onEndpoints, onSlices}, [][]string{haveEndpoints, haveSlices}); diff != "" {
				t.Errorf("%s (-cluster +assumed):\n%s", ref, diff)
			}
			continue
		}
		if grantsNothing(roleRef) && len(onEndpoints) > 0 {
			t.Errorf("%s is said to grant nothing and allows %v", ref, onEndpoints)
		}
		if !grantsNothing(roleRef) && len(onEndpoints) == 0 && !strings.HasPrefix(ref.Name, "system:controller:") {
			t.Errorf("%s is not known to grant nothing", ref)
		}
	}
	if known != len(builtin()) {
		t.Errorf("%d built-in roles are in the recording, want all %d", known, len(builtin()))
	}
}

// A cluster with nothing in it but itself has nobody who is not expected.
func TestAnEmptyClusterHasExpectedIdentitiesOnly(t *testing.T) {
	a := Analyze(recorded(t))
	var names []string
	for _, f := range a.Findings {
		if f.Class != evidence.Expected {
			t.Errorf("%s %s %s is not expected", f.Confidence, f.Class, f.Subject.Application)
		}
		names = append(names, f.Subject.Application)
	}
	for _, name := range []string{"endpoint-controller", "endpointslicemirroring-controller", "generic-garbage-collector", "namespace-controller", "system:kube-controller-manager", "group system:masters"} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is missing in %v", name, names)
		}
	}
	if len(a.Patches)+len(a.Coverage.Problems) > 0 {
		t.Errorf("patches %v, problems %v; want none", a.Patches, a.Coverage.Problems)
	}
}
