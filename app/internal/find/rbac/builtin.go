package rbac

import (
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/slicewright/slicewright/app/internal/find/objects"
)

// builtin are those ClusterRoles that Kubernetes makes in every cluster and that
// allow anything on Endpoints, reduced to that, as of v1.37.2. They replace
// the real ones where manifests bind to them.
func builtin() []*objects.Role {
	const aggregateTo = "rbac.authorization.k8s.io/aggregate-to-"
	role := func(name string, rules ...rbacv1.PolicyRule) *objects.Role {
		return &objects.Role{Ref: objects.Ref{Kind: "ClusterRole", Name: name}, Rules: rules}
	}
	aggregate := func(name, labelled string) *objects.Role {
		r := role(name)
		r.Aggregation = []metav1.LabelSelector{{MatchLabels: map[string]string{aggregateTo + name: "true"}}}
		if labelled != "" {
			r.Labels = map[string]string{aggregateTo + labelled: "true"}
		}
		return r
	}
	allow := func(r resource, verbs ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{r.group}, Resources: []string{r.name}, Verbs: verbs} //nolint:endpointsvet // what Kubernetes' own roles allow
	}
	reads := allVerbs[:3]

	// view is in edit and edit in admin, by their labels. Since v1.22 none of
	// them may write Endpoints.
	viewRules := role("system:aggregate-to-view", allow(endpoints, reads...), allow(endpointSlices, reads...))
	viewRules.Labels = map[string]string{aggregateTo + "view": "true"}
	return []*objects.Role{
		role("cluster-admin", rbacv1.PolicyRule{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}}),
		aggregate("admin", ""),
		aggregate("edit", "admin"),
		aggregate("view", "edit"),
		viewRules,
		role("system:kube-aggregator", allow(endpoints, reads...)),
		role("system:kube-controller-manager", rbacv1.PolicyRule{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"list", "watch"}}),
		role("system:kube-dns", allow(endpoints, "list", "watch")),
		role("system:node", allow(endpoints, "get")),
		role("system:node-proxier", allow(endpoints, "list", "watch"), allow(endpointSlices, "list", "watch")),
	}
}

// isGeneral: a role that Kubernetes (or for cluster-reader, OpenShift) gives to
// people and programs for everything, and that therefore says nothing about
// Endpoints.
func isGeneral(ref objects.Ref) bool {
	if ref.Kind != "ClusterRole" {
		return false
	}
	switch ref.Name {
	case "cluster-admin", "admin", "edit", "view", "cluster-reader":
		return true
	}
	return strings.HasPrefix(ref.Name, "system:aggregate-to-")
}

// isKubernetesOwn: a role that no one should change.
func isKubernetesOwn(ref objects.Ref) bool {
	return isGeneral(ref) || strings.HasPrefix(ref.Name, "system:")
}

// grantsNothing: a ClusterRole with this name in Kubernetes' own namespace of
// names that allows nothing on Endpoints, so that a manifest may bind to it
// without bringing it. (system:controller:… are not among them: some do, and
// nobody but the controller manager is bound to one.)
func grantsNothing(ref rbacv1.RoleRef) bool {
	switch {
	case ref.Kind == "Role":
		// Kubernetes makes these in kube-system and kube-public, for ConfigMaps,
		// Leases and Secrets.
		return ref.Name == "extension-apiserver-authentication-reader" || strings.HasPrefix(ref.Name, "system:")
	case ref.Kind == "ClusterRole":
		return strings.HasPrefix(ref.Name, "system:") && !strings.HasPrefix(ref.Name, "system:controller:")
	}
	return false
}
