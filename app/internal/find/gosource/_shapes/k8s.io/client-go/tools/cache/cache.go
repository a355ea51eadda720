// Package cache is a stub with the shape of the real one.
package cache

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

type (
	Getter                    interface{}
	ListerWatcher             interface{}
	Controller                interface{ Run(<-chan struct{}) }
	Store                     interface{}
	Indexer                   interface{}
	Indexers                  map[string]func(any) ([]string, error)
	ResourceEventHandler      interface{}
	ResourceEventHandlerFuncs struct{ AddFunc func(any) }
	SharedIndexInformer       interface {
		AddEventHandler(ResourceEventHandler) (any, error)
		Run(<-chan struct{})
		GetIndexer() Indexer
	}
)

type (
	GenericLister interface{}
	ListWatch     struct {
		ListFunc  func(metav1.ListOptions) (runtime.Object, error)
		WatchFunc func(metav1.ListOptions) (watch.Interface, error)
	}
)

func NewListWatchFromClient(c Getter, resource, namespace string, s fields.Selector) *ListWatch {
	return nil
}

func NewFilteredListWatchFromClient(c Getter, resource, namespace string, modify func(*metav1.ListOptions)) *ListWatch {
	return nil
}

func NewInformer(lw ListerWatcher, obj runtime.Object, resync time.Duration, h ResourceEventHandler) (Store, Controller) {
	return nil, nil
}

func NewSharedIndexInformer(lw ListerWatcher, obj runtime.Object, resync time.Duration, ix Indexers) SharedIndexInformer {
	return nil
}

func NewReflector(lw ListerWatcher, expected any, store Store, resync time.Duration) any { return nil }
