// Package v1 is a stub with the shape of the real one.
package v1

type (
	ResourceAttributes          struct{ Namespace, Verb, Group, Version, Resource, Subresource, Name string }
	SelfSubjectAccessReviewSpec struct{ ResourceAttributes *ResourceAttributes }
	SelfSubjectAccessReview     struct{ Spec SelfSubjectAccessReviewSpec }
)
