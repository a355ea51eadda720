package rbac_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/component-helpers/auth/rbac/validation"
	"pgregory.net/rapid"

	"github.com/slicewright/slicewright/app/internal/find/rbac"
)

func on(resource, verbs string, names ...string) rbacv1.PolicyRule {
	group := ""
	if resource == "endpointslices" {
		group = "discovery.k8s.io"
	}
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: strings.Split(verbs, ","), ResourceNames: names}
}

func TestCarry(t *testing.T) {
	everything := rbacv1.PolicyRule{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}}
	for _, test := range []struct {
		name    string
		rules   []rbacv1.PolicyRule
		want    string // verbs on slices to add
		refused string // names
	}{
		{"verbs as they are", []rbacv1.PolicyRule{on("endpoints", "list,watch")}, "list,watch", ""},
		{"get brings list", []rbacv1.PolicyRule{on("endpoints", "get")}, "get,list", ""},
		{"writes come too", []rbacv1.PolicyRule{on("endpoints", "update,create,delete")}, "create,update,delete", ""},
		{"any verb is every verb", []rbacv1.PolicyRule{on("endpoints", "*")}, "get,list,watch,create,update,patch,delete,deletecollection", ""},
		{"over several rules", []rbacv1.PolicyRule{on("endpoints", "watch"), on("endpoints", "list,watch")}, "list,watch", ""},
		{"less what is there", []rbacv1.PolicyRule{on("endpoints", "get,list,watch"), on("endpointslices", "list,get")}, "watch", ""},
		{"nothing where all is there", []rbacv1.PolicyRule{on("endpoints", "get"), on("endpointslices", "*")}, "", ""},
		{"what is there by name does not count", []rbacv1.PolicyRule{on("endpoints", "list"), on("endpointslices", "list", "reports-x")}, "list", ""},
		{"nothing for everything", []rbacv1.PolicyRule{everything}, "", ""},
		{"a core wildcard carries reads", []rbacv1.PolicyRule{on("*", "*")}, "get,list,watch", ""},
		{"nothing for other resources", []rbacv1.PolicyRule{on("services", "*"), on("endpoints/*", "*")}, "", ""},
		{"no rule by name", []rbacv1.PolicyRule{on("endpoints", "get", "reports")}, "", "reports"},
		{"the others still", []rbacv1.PolicyRule{on("endpoints", "update", "lock"), on("endpoints", "list")}, "list", "lock"},
		{"a name that a wider rule covers", []rbacv1.PolicyRule{on("endpoints", "get", "reports"), on("endpoints", "get")}, "get,list", ""},
		{"a name that slices cover", []rbacv1.PolicyRule{on("endpoints", "get", "reports"), on("endpointslices", "get,list")}, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			added, err := rbac.Carry(test.rules)
			var want []rbacv1.PolicyRule
			if test.want != "" {
				want = []rbacv1.PolicyRule{on("endpointslices", test.want)}
			}
			if diff := cmp.Diff(want, added); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var named *rbac.NamedError
			switch {
			case test.refused == "":
				if err != nil {
					t.Errorf("error %v", err)
				}
			case !errors.As(err, &named):
				t.Errorf("error %v, want one about %s", err, test.refused)
			case !strings.Contains(err.Error(), test.refused) || !strings.Contains(err.Error(), "generated"):
				t.Errorf("error %q does not name %s and the reason", err, test.refused)
			}
		})
	}
}

// After what Carry adds, there is nothing more to add; and each verb that was
// allowed on all Endpoints by name of the resource is allowed on all slices, by
// Kubernetes' own comparison.
func TestCarryLeavesNothingToCarry(t *testing.T) {
	verbs := []string{"get", "list", "watch", "create", "update", "patch", "delete", "*"}
	rules := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) rbacv1.PolicyRule {
		r := on(rapid.SampledFrom([]string{"endpoints", "endpointslices", "*", "services"}).Draw(t, "resource"), "x")
		r.Verbs = rapid.SliceOfN(rapid.SampledFrom(verbs), 1, 3).Draw(t, "verbs")
		if rapid.Bool().Draw(t, "named") {
			r.ResourceNames = []string{"reports"}
		}
		return r
	}), 0, 4)
	rapid.Check(t, func(t *rapid.T) {
		before := rules.Draw(t, "rules")
		added, _ := rbac.Carry(before)
		after := append(append([]rbacv1.PolicyRule{}, before...), added...)
		if again, _ := rbac.Carry(after); again != nil {
			t.Fatalf("carried %v, and then still %v", added, again)
		}
		for _, verb := range verbs[:7] {
			allowed := false
			for _, rule := range before {
				if rule.Resources[0] == "endpoints" && len(rule.ResourceNames) == 0 {
					covers, _ := validation.Covers([]rbacv1.PolicyRule{rule}, []rbacv1.PolicyRule{on("endpoints", verb)})
					allowed = allowed || covers
				}
			}
			if covered, _ := validation.Covers(after, []rbacv1.PolicyRule{on("endpointslices", verb)}); allowed && !covered {
				t.Fatalf("%s on endpoints was allowed and is not on endpointslices after %v", verb, added)
			}
		}
	})
}
