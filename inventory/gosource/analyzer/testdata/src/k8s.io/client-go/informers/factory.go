// Package informers is a stub with the shape of the real one.
package informers

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers/core/v1"
	discoveryv1 "k8s.io/client-go/informers/discovery/v1"
	"k8s.io/client-go/tools/cache"
)

type CoreGroup interface{ V1() v1.Interface }
type DiscoveryGroup interface{ V1() discoveryv1.Interface }

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
