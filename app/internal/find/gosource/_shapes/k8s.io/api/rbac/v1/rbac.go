// Package v1 is a stub with the shape of the real one.
package v1

type (
	PolicyRule struct{ Verbs, APIGroups, Resources, ResourceNames []string }
	Role       struct{ Rules []PolicyRule }
)
