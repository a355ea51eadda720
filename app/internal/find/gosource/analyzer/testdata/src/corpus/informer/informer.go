// Package informer uses informers and listers of every make.
package informer

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	informersv1 "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	listersv1 "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func factory(f informers.SharedInformerFactory) {
	_, _ = f.Core().V1().Endpoints().Informer().AddEventHandler(nil)       // want `go/informer list,watch`
	_, _ = f.Core().V1().Endpoints().Lister().Endpoints("prod").Get("web") // want `go/lister get`
}

func inVariable(f informers.SharedInformerFactory) {
	inf := f.Core().V1().Endpoints()
	inf.Informer()                          // want `go/informer list,watch`
	lister := inf.Lister()                  // want `go/lister list,watch`
	_, _ = lister.List(labels.Everything()) // want `go/lister list`
}

func handedOn(f informers.SharedInformerFactory, run func(informersv1.EndpointsInformer)) {
	run(f.Core().V1().Endpoints()) // want `go/informer`
}

func byItself(cs kubernetes.Interface, indexer cache.Indexer) {
	informersv1.NewEndpointsInformer(cs, "prod", 0, nil) // want `go/informer`
	listersv1.NewEndpointsLister(indexer)                // want `go/lister`
}

func forResource(f informers.SharedInformerFactory) {
	_, _ = f.ForResource(corev1.SchemeGroupVersion.WithResource("endpoints")) // want `go/informer list,watch`
	_, _ = f.ForResource(corev1.SchemeGroupVersion.WithResource("pods"))
}

func dynamicFactory(f dynamicinformer.DynamicSharedInformerFactory) {
	f.ForResource(schema.GroupVersionResource{Resource: "endpoints", Version: "v1"}).Informer() // want `go/informer list,watch`
}

const resource = "endpoints"

func listWatch(cs kubernetes.Interface) {
	lw := cache.NewListWatchFromClient(cs.CoreV1().RESTClient(), resource, "prod", fields.Everything()) // want `go/list-watch list,watch`
	_, controller := cache.NewInformer(lw, &corev1.Endpoints{}, 0, cache.ResourceEventHandlerFuncs{})
	controller.Run(nil)
}

func otherGroup(cs kubernetes.Interface) {
	cache.NewListWatchFromClient(cs.AppsV1().RESTClient(), resource, "prod", fields.Everything())
	cache.NewListWatchFromClient(cs.CoreV1().RESTClient(), "pods", "prod", fields.Everything())
}

func ownListWatch(ctx context.Context, cs kubernetes.Interface) cache.SharedIndexInformer {
	return cache.NewSharedIndexInformer(&cache.ListWatch{
		ListFunc: func(o metav1.ListOptions) (runtime.Object, error) {
			return cs.CoreV1().Endpoints("").List(ctx, o) // want `go/typed-client list`
		},
		WatchFunc: func(o metav1.ListOptions) (watch.Interface, error) {
			return cs.CoreV1().Endpoints("").Watch(ctx, o) // want `go/typed-client watch`
		},
	}, &corev1.Endpoints{}, 0, nil)
}

func foreignListWatch(lw cache.ListerWatcher) {
	cache.NewSharedIndexInformer(lw, &corev1.Endpoints{}, 0, nil) // want `go/informer list,watch`
	cache.NewReflector(lw, &corev1.Endpoints{}, nil, 0)           // want `go/informer list,watch`
	cache.NewReflector(lw, &corev1.Pod{}, nil, 0)
}

func inLoop(cs kubernetes.Interface) {
	for _, r := range []string{"pods", "endpoints"} {
		cache.NewFilteredListWatchFromClient(cs.CoreV1().RESTClient(), r, "", nil) // want `go/list-watch`
	}
}

func listerOverLines(f informers.SharedInformerFactory) {
	_, _ = f.Core().V1().
		Endpoints(). // want `go/lister get`
		Lister().
		Endpoints("prod").
		Get("web")
}
