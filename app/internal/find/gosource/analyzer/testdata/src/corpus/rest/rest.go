// Package rest uses the untyped REST client.
package rest

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func chain(ctx context.Context, cs kubernetes.Interface) error {
	var list corev1.EndpointsList
	return cs.CoreV1().RESTClient().Get().Namespace("prod").Resource("endpoints").Do(ctx).Into(&list) // want `go/rest-client list`
}

func byName(ctx context.Context, c rest.Interface) error {
	resource := "endpoints"
	return c.Put().
		Namespace("prod").
		Resource(resource). // want `go/rest-client update \(producer`
		Name("web").
		Do(ctx).Error()
}

func watch(ctx context.Context, c rest.Interface) {
	_, _ = c.Get().Resource("endpoints").Watch(ctx) // want `go/rest-client watch`
}

func path(ctx context.Context, c rest.Interface) {
	_, _ = c.Get().AbsPath("/api/v1/namespaces/prod/endpoints").DoRaw(ctx)        // want `go/raw-url list`
	_, _ = c.Get().AbsPath("api", "v1", "endpoints").DoRaw(ctx)                   // want `go/raw-url list`
	_, _ = c.Get().RequestURI("/api/v1/namespaces/prod/endpoints/web").DoRaw(ctx) // want `go/raw-url get`
}

// Gateway is a resource of one's own whose group has endpoints, too.
type Gateway struct{}

func (*Gateway) DeepCopyObject() runtime.Object { return nil }

func ownGroup(ctx context.Context, c rest.Interface) error {
	return c.Get().Namespace("prod").Resource("endpoints").Name("x").Do(ctx).Into(&Gateway{})
}

func otherGroup(ctx context.Context, cs kubernetes.Interface) error {
	return cs.AppsV1().RESTClient().Get().Resource("endpoints").Do(ctx).Error()
}
