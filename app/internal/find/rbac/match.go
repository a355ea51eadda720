package rbac

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
)

// Request is what the authorizer decides on. Group "" is the core group; Name ""
// is a request that names no object, such as a list or a create.
type Request struct {
	Verb, Group, Resource, Subresource, Name string
}

// Allows says whether rule allows the request, as the RBAC authorizer decides.
// What surprises is exact too: "*" in resources covers subresources, "endpoints/*"
// covers neither endpoints nor any subresource of it, "*/status" covers the
// status of every resource, verbs and resources compare with their case, and
// resourceNames never allow a request without a name.
func Allows(rule *rbacv1.PolicyRule, request Request) bool {
	return has(rule.Verbs, rbacv1.VerbAll, request.Verb) &&
		has(rule.APIGroups, rbacv1.APIGroupAll, request.Group) &&
		allowsResource(rule.Resources, request.Resource, request.Subresource) &&
		(len(rule.ResourceNames) == 0 || slices.Contains(rule.ResourceNames, request.Name))
}

func has(list []string, all, one string) bool {
	return slices.Contains(list, all) || slices.Contains(list, one)
}

func allowsResource(resources []string, resource, subresource string) bool {
	if subresource == "" {
		return has(resources, rbacv1.ResourceAll, resource)
	}
	return has(resources, rbacv1.ResourceAll, resource+"/"+subresource) ||
		slices.Contains(resources, "*/"+subresource)
}

// The resources that this package compares.
var (
	endpoints      = resource{"", "endpoints"}
	endpointSlices = resource{"discovery.k8s.io", "endpointslices"}
)

type resource struct{ group, name string }

// allVerbs are the verbs that a resource of the API has, reads first.
var allVerbs = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}

func isRead(verb string) bool { return verb == "get" || verb == "list" || verb == "watch" }

// access is what one rule allows on one resource.
type access struct {
	verbs []string // of allVerbs, in that order
	names []string // nil: every object
	// named: the rule names the resource. Otherwise it is a wildcard that covers
	// it with everything else.
	named bool
}

// accessTo says what rule allows on r; ok is false for nothing.
func accessTo(rule *rbacv1.PolicyRule, r resource) (a access, ok bool) {
	name := ""
	if len(rule.ResourceNames) > 0 {
		name = rule.ResourceNames[0]
	}
	for _, verb := range allVerbs {
		if Allows(rule, Request{Verb: verb, Group: r.group, Resource: r.name, Name: name}) {
			a.verbs = append(a.verbs, verb)
		}
	}
	if len(a.verbs) == 0 {
		return access{}, false
	}
	if len(rule.ResourceNames) > 0 {
		a.names = slices.Compact(slices.Sorted(slices.Values(rule.ResourceNames)))
	}
	a.named = slices.Contains(rule.Resources, r.name)
	return a, true
}

// describe writes the access as a person would say it.
func (a access) describe(r resource) string {
	out := strings.Join(a.verbs, ",") + " " + r.name
	if a.names != nil {
		out += " named " + someOf(a.names, 3)
	}
	return out
}
