// Package v1 is a stub with the shape of the real one.
package v1

import "k8s.io/apimachinery/pkg/runtime"

const (
	NamespaceAll     = ""
	NamespaceDefault = "default"
)

type (
	TypeMeta   struct{ Kind, APIVersion string }
	ObjectMeta struct {
		Name, Namespace string
		Annotations     map[string]string
		Labels          map[string]string
	}
)

type (
	ListMeta      struct{ ResourceVersion string }
	GetOptions    struct{}
	ListOptions   struct{ LabelSelector, FieldSelector string }
	CreateOptions struct{}
	UpdateOptions struct{}
	PatchOptions  struct{}
	DeleteOptions struct{}
	ApplyOptions  struct{}
)

type (
	APIResourceList struct{ APIResources []APIResource }
	APIResource     struct{ Name string }
)

type PartialObjectMetadata struct {
	TypeMeta
	ObjectMeta
}

func (*PartialObjectMetadata) DeepCopyObject() runtime.Object { return nil }
