// Package dynamicinformer is a stub with the shape of the real one.
package dynamicinformer

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

type DynamicSharedInformerFactory interface {
	ForResource(gvr schema.GroupVersionResource) informers.GenericInformer
}

func NewDynamicSharedInformerFactory(client dynamic.Interface, resync time.Duration) DynamicSharedInformerFactory {
	return nil
}

func NewFilteredDynamicSharedInformerFactory(client dynamic.Interface, resync time.Duration, namespace string, tweak func(*metav1.ListOptions)) DynamicSharedInformerFactory {
	return nil
}

func NewFilteredDynamicInformer(client dynamic.Interface, gvr schema.GroupVersionResource, namespace string, resync time.Duration, indexers cache.Indexers, tweak func(*metav1.ListOptions)) informers.GenericInformer {
	return nil
}
