// Package rbac has permissions in code.
package rbac

import (
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
)

// +kubebuilder:rbac:groups="",resources=endpoints,verbs=get;list;watch // want `go/rbac-marker`
// +kubebuilder:rbac:groups=core,resources=services;endpoints,verbs=get;update // want `go/rbac-marker get,update`
// +kubebuilder:rbac:groups=submariner.io,resources=endpoints,verbs=get
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get
type reconciler struct{}

var rules = []rbacv1.PolicyRule{
	{
		APIGroups: []string{""},
		Resources: []string{"services", "endpoints"}, // want `go/rbac-rule get,list,watch \(reader`
		Verbs:     []string{"get", "list", "watch"},
	},
	{APIGroups: []string{""}, Resources: []string{"endpoints"}, Verbs: []string{"create", "update"}}, // want `go/rbac-rule create,update \(producer`
	{APIGroups: []string{"submariner.io"}, Resources: []string{"endpoints"}, Verbs: []string{"get"}},
	{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}},
}

func review() *authorizationv1.SelfSubjectAccessReview {
	return &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb:     "list",
			Resource: "endpoints", // want `go/access-review list`
		},
	}}
}

func mayI(verb, group, resource string) *authorizationv1.ResourceAttributes {
	return &authorizationv1.ResourceAttributes{Verb: verb, Group: group, Resource: resource}
}

func ask() {
	mayI("watch", "", "endpoints") // want `go/access-review`
	mayI("watch", "", "pods")
}

var otherGroup = authorizationv1.ResourceAttributes{Verb: "get", Group: "submariner.io", Resource: "endpoints"}
