// Package metadata is a stub with the shape of the real one.
package metadata

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

type Interface interface {
	Resource(resource schema.GroupVersionResource) Getter
}
type Getter interface {
	Namespace(string) ResourceInterface
	ResourceInterface
}
type ResourceInterface interface {
	List(ctx context.Context, opts metav1.ListOptions) (*metav1.PartialObjectMetadata, error)
}
