// Package dynamic uses clients that take the resource as a value.
package dynamic

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var endpointsResource = schema.GroupVersionResource{Resource: "endpoints", Version: "v1", Group: ""}

func chain(ctx context.Context, d dynamic.Interface) {
	_, _ = d.Resource(endpointsResource).Namespace("prod").List(ctx, metav1.ListOptions{}) // want `go/dynamic-client list`
}

func unkeyed(ctx context.Context, d dynamic.Interface) {
	_, _ = d.Resource(schema.GroupVersionResource{"", "v1", "endpoints"}).Watch(ctx, metav1.ListOptions{}) // want `go/dynamic-client watch`
}

func inVariable(ctx context.Context, d dynamic.Interface) {
	client := d.Resource(corev1.SchemeGroupVersion.WithResource("endpoints"))
	_, _ = client.Namespace("prod").Get(ctx, "web", metav1.GetOptions{}) // want `go/dynamic-client get`
	_, _ = client.Create(ctx, nil, metav1.CreateOptions{})               // want `go/dynamic-client create \(producer`
}

func byMetadata(ctx context.Context, m metadata.Interface) {
	gvr := corev1.Resource("endpoints").WithVersion("v1")
	_, _ = m.Resource(gvr).List(ctx, metav1.ListOptions{}) // want `go/dynamic-client list`
}

type resources struct{ gvr schema.GroupVersionResource }

func throughField(ctx context.Context, d dynamic.Interface) {
	r := resources{gvr: schema.GroupVersionResource{Version: "v1", Resource: "endpoints"}}
	r.list(ctx, d)
}

func (r resources) list(ctx context.Context, d dynamic.Interface) {
	_, _ = d.Resource(r.gvr).List(ctx, metav1.ListOptions{}) // want `go/dynamic-client list`
}

func throughParameter(ctx context.Context, d dynamic.Interface) {
	listAll(ctx, d, schema.GroupVersionResource{Version: "v1", Resource: "endpoints"}) // want `go/dynamic-client`
	listAll(ctx, d, schema.GroupVersionResource{Version: "v1", Resource: "pods"})
	listNamed(ctx, d, "endpoints") // want `go/dynamic-client`
	listNamed(ctx, d, "services")
}

func listAll(ctx context.Context, d dynamic.Interface, gvr schema.GroupVersionResource) {
	_, _ = d.Resource(gvr).List(ctx, metav1.ListOptions{})
}

func listNamed(ctx context.Context, d dynamic.Interface, name string) {
	listAll(ctx, d, schema.GroupVersionResource{Version: "v1", Resource: name})
}

// Table is read by another program.
var Table = map[string]schema.GroupVersionResource{
	"pods":      {Version: "v1", Resource: "pods"},
	"endpoints": {Version: "v1", Resource: "endpoints"}, // want `go/group-version-resource`
	"slices":    {Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices"},
	"submarine": {Group: "submariner.io", Version: "v1", Resource: "endpoints"},
}

func excluded(gvr schema.GroupVersionResource) bool {
	skip := map[schema.GroupVersionResource]bool{}
	return gvr == schema.GroupVersionResource{Version: "v1", Resource: "endpoints"} ||
		skip[schema.GroupVersionResource{Version: "v1", Resource: "endpoints"}] ||
		gvr.Resource == "endpoints"
}

func missing(name string) error {
	return apierrors.NewNotFound(corev1.Resource("endpoints"), name)
}

func unstructuredObject(ctx context.Context, c client.Client) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "EndpointsList"}) // want `go/unstructured`
	_ = c.List(ctx, list)
}

func unstructuredMap(ctx context.Context, c client.Client) {
	_ = c.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1",
		"kind":       "Endpoints", // want `go/unstructured`
	}})
}

func metadataOnly(ctx context.Context, c client.Client) {
	_ = c.Get(ctx, client.ObjectKey{}, &metav1.PartialObjectMetadata{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Endpoints"}, // want `go/group-version-resource`
	})
}

func kubectlBuilder(b *resource.Builder) {
	b.ResourceTypeOrNameArgs(true, "svc,ep", "web").Do() // want `go/resource-builder`
	b.ResourceTypeOrNameArgs(true, "svc", "web").Do()
}

func setKind(ctx context.Context, c client.Client) {
	u := &unstructured.Unstructured{}
	u.SetAPIVersion("v1")
	u.SetKind("Endpoints") // want `go/unstructured`
	_ = c.Get(ctx, client.ObjectKey{}, u)
	other := &unstructured.Unstructured{}
	other.SetAPIVersion("submariner.io/v1")
	other.SetKind("Endpoints")
	_ = c.Get(ctx, client.ObjectKey{}, other)
}
