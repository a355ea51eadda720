// Package kube wraps the client for other packages.
package kube

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
)

// EndpointsResource is for dynamic clients.
var EndpointsResource = schema.GroupVersionResource{Version: "v1", Resource: "endpoints"} // want `go/group-version-resource` EndpointsResource:`holds\(endpoints\)`

// Backends returns addresses; its signature says nothing of Endpoints.
func Backends(ctx context.Context, cs kubernetes.Interface, ns, name string) ([]string, error) { // want Backends:`reads\(reader get\)`
	return lookup(ctx, cs, ns, name)
}

func lookup(ctx context.Context, cs kubernetes.Interface, ns, name string) ([]string, error) {
	_, err := cs.CoreV1().Endpoints(ns).Get(ctx, name, metav1.GetOptions{}) // want `go/typed-client get`
	return nil, err
}

// List lists whatever it is told to.
func List(ctx context.Context, d dynamic.Interface, gvr schema.GroupVersionResource) { // want List:`takes\(1,0\)`
	_, _ = d.Resource(gvr).List(ctx, metav1.ListOptions{})
}

// Ready says nothing that is of interest here.
func Ready() bool { return true }

// Compare reads Endpoints on purpose.
func Compare(ctx context.Context, cs kubernetes.Interface) {
	_, _ = cs.CoreV1().Endpoints("").List(ctx, metav1.ListOptions{}) //nolint:endpointsvet // compared with slices
}
