package rbac_test

import (
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/component-helpers/auth/rbac/validation"
	"pgregory.net/rapid"

	"github.com/slicewright/slicewright/app/internal/find/rbac"
)

func TestAllows(t *testing.T) {
	rule := func(groups, resources, verbs, names []string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: groups, Resources: resources, Verbs: verbs, ResourceNames: names}
	}
	list := func(s ...string) []string { return s }
	get := rbac.Request{Verb: "get", Resource: "endpoints", Name: "reports"}
	listAll := rbac.Request{Verb: "list", Resource: "endpoints"}
	for _, test := range []struct {
		name    string
		rule    rbacv1.PolicyRule
		request rbac.Request
		want    bool
	}{
		{"by name of the resource", rule(list(""), list("endpoints"), list("get"), nil), get, true},
		{"any verb", rule(list(""), list("endpoints"), list("*"), nil), get, true},
		{"any group", rule(list("*"), list("endpoints"), list("get"), nil), get, true},
		{"any resource", rule(list(""), list("*"), list("get"), nil), get, true},
		{"another group", rule(list("discovery.k8s.io"), list("endpoints"), list("get"), nil), get, false},
		{"no group at all", rule(nil, list("endpoints"), list("get"), nil), get, false},
		{"the version is no group", rule(list("v1"), list("endpoints"), list("get"), nil), get, false},
		{"endpoints/* is no endpoints", rule(list(""), list("endpoints/*"), list("get"), nil), get, false},
		{"a subresource only", rule(list(""), list("endpoints/restricted"), list("get"), nil), get, false},
		{"*/endpoints is a subresource", rule(list(""), list("*/endpoints"), list("get"), nil), get, false},
		{"a pattern is no pattern", rule(list(""), list("endpoint*"), list("get"), nil), get, false},
		{"the plural counts", rule(list(""), list("endpoint"), list("get"), nil), get, false},
		{"case counts", rule(list(""), list("Endpoints"), list("get"), nil), get, false},
		{"the verb's case counts", rule(list(""), list("endpoints"), list("Get"), nil), get, false},
		{"this name", rule(list(""), list("endpoints"), list("get"), list("reports")), get, true},
		{"another name", rule(list(""), list("endpoints"), list("get"), list("other")), get, false},
		{"* is no name", rule(list(""), list("endpoints"), list("get"), list("*")), get, false},
		{"a list names no object", rule(list(""), list("endpoints"), list("list"), list("reports")), listAll, false},
		{
			"*/scale is every scale", rule(list(""), list("*/scale"), list("get"), nil),
			rbac.Request{Verb: "get", Resource: "endpoints", Subresource: "scale"},
			true,
		},
		{
			"* is every subresource too", rule(list(""), list("*"), list("get"), nil),
			rbac.Request{Verb: "get", Resource: "endpoints", Subresource: "scale"},
			true,
		},
		{
			"a resource is not its subresource", rule(list(""), list("endpoints"), list("get"), nil),
			rbac.Request{Verb: "get", Resource: "endpoints", Subresource: "scale"},
			false,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := rbac.Allows(&test.rule, test.request); got != test.want {
				t.Errorf("Allows(%v, %+v) = %t, want %t", test.rule, test.request, got, test.want)
			}
		})
	}
}

// What Kubernetes' own comparison says a rule covers, Allows allows, for any rule
// and any request.
func TestAllowsWhatKubernetesSaysIsCovered(t *testing.T) {
	some := func(of ...string) *rapid.Generator[[]string] {
		return rapid.SliceOfN(rapid.SampledFrom(of), 0, 3)
	}
	rules := rapid.Custom(func(t *rapid.T) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{
			APIGroups: some("", "*", "discovery.k8s.io", "v1").Draw(t, "groups"),
			Resources: some("endpoints", "*", "endpoints/*", "endpoints/scale", "*/scale", "*/*", "endpointslices", "*/restricted").Draw(t, "resources"),
			Verbs:     some("get", "list", "*", "update", "").Draw(t, "verbs"),
			ResourceNames: rapid.SampledFrom([][]string{
				nil, {}, {"reports"}, {"*"}, {"a", "reports"},
			}).Draw(t, "names"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		rule := rules.Draw(t, "rule")
		request := rbac.Request{
			Verb:        rapid.SampledFrom([]string{"get", "list", "update"}).Draw(t, "verb"),
			Group:       rapid.SampledFrom([]string{"", "discovery.k8s.io"}).Draw(t, "group"),
			Resource:    rapid.SampledFrom([]string{"endpoints", "endpointslices"}).Draw(t, "resource"),
			Subresource: rapid.SampledFrom([]string{"", "", "scale", "restricted"}).Draw(t, "subresource"),
			Name:        rapid.SampledFrom([]string{"", "reports", "other"}).Draw(t, "name"),
		}
		asked := rbacv1.PolicyRule{APIGroups: []string{request.Group}, Resources: []string{request.Resource}, Verbs: []string{request.Verb}}
		if request.Subresource != "" {
			asked.Resources[0] += "/" + request.Subresource
		}
		if request.Name != "" {
			asked.ResourceNames = []string{request.Name}
		}
		want, _ := validation.Covers([]rbacv1.PolicyRule{rule}, []rbacv1.PolicyRule{asked})
		if got := rbac.Allows(&rule, request); got != want {
			t.Fatalf("Allows(%+v, %+v) = %t, Kubernetes says %t", rule, request, got, want)
		}
	})
}
