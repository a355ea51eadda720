// Package app calls the wrapper.
package app

import (
	"context"

	"corpus/wrapper/kube"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
)

// Sync is a wrapper of the wrapper.
func Sync(ctx context.Context, cs kubernetes.Interface) { // want Sync:`reads\(reader get\)`
	_, _ = kube.Backends(ctx, cs, "prod", "web") // want `go/wrapper get \(reader`
}

func resources(ctx context.Context, d dynamic.Interface) {
	_, _ = d.Resource(kube.EndpointsResource).List(ctx, metav1.ListOptions{}) // want `go/dynamic-client list`
	kube.List(ctx, d, kube.EndpointsResource)                                 // want `go/dynamic-client`
	kube.List(ctx, d, schema.GroupVersionResource{Version: "v1", Resource: "pods"})
	_ = kube.Ready()
	kube.Compare(ctx, nil)
}

func asValue(use func(func(context.Context, kubernetes.Interface, string, string) ([]string, error))) {
	use(kube.Backends) // want `go/wrapper get`
}
