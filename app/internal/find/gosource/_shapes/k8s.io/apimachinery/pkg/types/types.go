// Package types is a stub with the shape of the real one.
package types

type (
	NamespacedName struct{ Namespace, Name string }
	PatchType      string
	UID            string
)

const MergePatchType PatchType = "application/merge-patch+json"
