// Package metadata is a stub with the shape of the real one.
package metadata

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
)

type Interface interface {
	Resource(resource schema.GroupVersionResource) Getter
}
type Getter interface {
	Namespace(string) ResourceInterface
	ResourceInterface
}
type ResourceInterface interface {
	Get(ctx context.Context, name string, opts metav1.GetOptions, subresources ...string) (*metav1.PartialObjectMetadata, error)
	Watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error)
	List(ctx context.Context, opts metav1.ListOptions) (*metav1.PartialObjectMetadata, error)
}

func NewForConfig(c *rest.Config) (Interface, error) { return nil, nil }
func NewForConfigOrDie(c *rest.Config) Interface     { return nil }
