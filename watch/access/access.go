// Package access asks an API server beforehand whether EndpointSlices may be
// listed and watched, and knows the Role that permits it.
package access

import (
	"context"
	"fmt"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"sigs.k8s.io/yaml"
)

// Permission is a verb on EndpointSlices in a namespace; "" is in all.
type Permission struct{ Namespace, Verb string }

// Error says what is not permitted.
type Error struct{ Missing []Permission }

// Error names every missing verb, resource and namespace, and prints the Role
// that grants them.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("not permitted: ")
	for i, p := range e.Missing {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s endpointslices.discovery.k8s.io in %s", p.Verb, where(p.Namespace))
	}
	b.WriteString(". This grants it, bound to the identity that is used:\n\n")
	b.WriteString(e.Role())
	return b.String()
}

func where(namespace string) string {
	if namespace == "" {
		return "all namespaces"
	}
	return fmt.Sprintf("namespace %q", namespace)
}

// Role returns, as YAML, a Role for each namespace in which something is
// missing, a ClusterRole for a watch of all.
func (e *Error) Role() string {
	rules := []rbacv1.PolicyRule{{
		APIGroups: []string{discoveryv1.GroupName}, Resources: []string{"endpointslices"}, Verbs: []string{"list", "watch"},
	}}
	var namespaces []string
	for _, p := range e.Missing {
		if !slices.Contains(namespaces, p.Namespace) {
			namespaces = append(namespaces, p.Namespace)
		}
	}
	documents := make([]string, 0, len(namespaces))
	for _, namespace := range namespaces {
		var role any = &rbacv1.Role{
			TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "Role"},
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "slicewright"},
			Rules:      rules,
		}
		if namespace == "" {
			role = &rbacv1.ClusterRole{
				TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole"},
				ObjectMeta: metav1.ObjectMeta{Name: "slicewright"},
				Rules:      rules,
			}
		}
		text, err := yaml.Marshal(role)
		if err != nil {
			return "" // a Role made here always marshals
		}
		documents = append(documents, string(text))
	}
	return strings.Join(documents, "---\n")
}

// Check asks the API server whether EndpointSlices may be listed and
// watched in the namespaces, all if there are none. It returns an [Error]
// when not, and another error when the question could not be asked.
func Check(ctx context.Context, client authorizationclient.SelfSubjectAccessReviewsGetter, namespaces []string) error {
	if len(namespaces) == 0 {
		namespaces = []string{metav1.NamespaceAll}
	}
	var missing []Permission
	for _, namespace := range namespaces {
		for _, verb := range []string{"list", "watch"} {
			review, err := client.SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{
				Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{
					Namespace: namespace, Verb: verb, Group: discoveryv1.GroupName, Resource: "endpointslices",
				}},
			}, metav1.CreateOptions{})
			if err != nil {
				return fmt.Errorf("ask whether %s of EndpointSlices in %s is permitted: %w", verb, where(namespace), err)
			}
			if !review.Status.Allowed {
				missing = append(missing, Permission{namespace, verb})
			}
		}
	}
	if len(missing) > 0 {
		return &Error{missing}
	}
	return nil
}
