// Package v1 is a stub with the shape of the real one.
package v1

type ResourceAttributes struct{ Namespace, Verb, Group, Version, Resource, Subresource, Name string }
type SelfSubjectAccessReviewSpec struct{ ResourceAttributes *ResourceAttributes }
type SelfSubjectAccessReview struct{ Spec SelfSubjectAccessReviewSpec }
