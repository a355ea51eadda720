package clean

import rbacv1 "k8s.io/api/rbac/v1"

type groupResource struct{ group, name string }

var (
	oldResource = groupResource{"", "endpoints"}
	newResource = groupResource{"discovery.k8s.io", "endpointslices"}
)

// grant is about slices, although another value of the type names Endpoints.
func grant() rbacv1.PolicyRule {
	_ = oldResource
	return rbacv1.PolicyRule{APIGroups: []string{newResource.group}, Resources: []string{newResource.name}, Verbs: []string{"get"}}
}
