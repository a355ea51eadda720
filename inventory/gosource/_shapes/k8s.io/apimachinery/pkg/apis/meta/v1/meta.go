// Package v1 is a stub with the shape of the real one.
package v1

import "k8s.io/apimachinery/pkg/runtime"

const (
	NamespaceAll     = ""
	NamespaceDefault = "default"
)

type TypeMeta struct{ Kind, APIVersion string }
type ObjectMeta struct {
	Name, Namespace string
	Annotations     map[string]string
	Labels          map[string]string
}
type ListMeta struct{ ResourceVersion string }
type GetOptions struct{}
type ListOptions struct{ LabelSelector, FieldSelector string }
type CreateOptions struct{}
type UpdateOptions struct{}
type PatchOptions struct{}
type DeleteOptions struct{}
type ApplyOptions struct{}

type APIResourceList struct{ APIResources []APIResource }
type APIResource struct{ Name string }

type PartialObjectMetadata struct {
	TypeMeta
	ObjectMeta
}

func (*PartialObjectMetadata) DeepCopyObject() runtime.Object { return nil }
