package producer

import (
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/slicewright/slicewright/internal/manifest"
)

// CarryRules returns the rules that a role lacks to do with EndpointSlices what
// its rules let it do with Endpoints, none when it lacks nothing. An error says
// what cannot be carried over, and why.
//
// It is a parameter because this package writes slices and knows nothing of who
// may: inventory/rbac has the function that `slicewright convert` uses.
type CarryRules func([]rbacv1.PolicyRule) ([]rbacv1.PolicyRule, error)

func isRole(o manifest.Object) bool {
	return o.APIVersion == rbacv1.SchemeGroupVersion.String() && (o.Kind == "Role" || o.Kind == "ClusterRole")
}

// role adds to a Role or ClusterRole what it lacks. Its own rules stay: they are
// needed until the last reader of Endpoints has gone.
func (c *converter) role(doc *document, value []byte, at path, kind string) error {
	var (
		object runtime.Object
		meta   *metav1.ObjectMeta
		rules  *[]rbacv1.PolicyRule
	)
	switch kind {
	case "Role":
		var role rbacv1.Role
		object, meta, rules = &role, &role.ObjectMeta, &role.Rules
	default:
		var role rbacv1.ClusterRole
		object, meta, rules = &role, &role.ObjectMeta, &role.Rules
	}
	if err := doc.decode(value, object, at); err != nil {
		return err
	}
	name := kind + " " + meta.Name
	if meta.Namespace != "" {
		name = kind + " " + meta.Namespace + "/" + meta.Name
	}
	if role, ok := object.(*rbacv1.ClusterRole); ok && role.AggregationRule != nil {
		c.warn(doc, at, "%s is put together from other roles: convert those", name)
		c.Skipped++
		return nil
	}
	missing, err := c.options.Carry(*rules)
	if err != nil {
		return doc.errorf(doc.lineOf(at.with("rules")), "%s: %w", name, err)
	}
	if len(missing) == 0 {
		c.Skipped++
		return nil
	}
	*rules = append(*rules, missing...)
	*meta = written(*meta)
	c.Roles = append(c.Roles, object)
	return nil
}

// written is what people write of an object's metadata, without what the API
// server adds.
func written(meta metav1.ObjectMeta) metav1.ObjectMeta {
	kept := metav1.ObjectMeta{Name: meta.Name, Namespace: meta.Namespace, Labels: meta.Labels, Annotations: meta.Annotations}
	if _, ok := kept.Annotations[corev1.LastAppliedConfigAnnotation]; ok {
		kept.Annotations = carried(kept.Annotations, map[string]bool{corev1.LastAppliedConfigAnnotation: true})
	}
	return kept
}
