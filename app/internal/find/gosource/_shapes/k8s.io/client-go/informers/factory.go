// Package informers is a stub with the shape of the real one.
package informers

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers/core/v1"
	discoveryv1 "k8s.io/client-go/informers/discovery/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

type (
	CoreGroup      interface{ V1() v1.Interface }
	DiscoveryGroup interface{ V1() discoveryv1.Interface }
)

type GenericInformer interface {
	Informer() cache.SharedIndexInformer
	Lister() cache.GenericLister
}

type SharedInformerFactory interface {
	Core() CoreGroup
	Discovery() DiscoveryGroup
	ForResource(schema.GroupVersionResource) (GenericInformer, error)
	Start(<-chan struct{})
}

type SharedInformerOption func(SharedInformerFactory) SharedInformerFactory

func NewSharedInformerFactory(client kubernetes.Interface, resync time.Duration) SharedInformerFactory {
	return nil
}

func NewSharedInformerFactoryWithOptions(client kubernetes.Interface, resync time.Duration, options ...SharedInformerOption) SharedInformerFactory {
	return nil
}

func NewFilteredSharedInformerFactory(client kubernetes.Interface, resync time.Duration, namespace string, tweak func(*metav1.ListOptions)) SharedInformerFactory {
	return nil
}
func WithNamespace(namespace string) SharedInformerOption                       { return nil }
func WithTweakListOptions(tweak func(*metav1.ListOptions)) SharedInformerOption { return nil }
