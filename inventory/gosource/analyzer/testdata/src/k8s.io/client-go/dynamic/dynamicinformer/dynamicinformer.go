// Package dynamicinformer is a stub with the shape of the real one.
package dynamicinformer

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
)

type DynamicSharedInformerFactory interface {
	ForResource(gvr schema.GroupVersionResource) informers.GenericInformer
}
