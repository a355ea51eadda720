package clean

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type ciliumEndpoints struct{}

func (*ciliumEndpoints) DeepCopyObject() runtime.Object { return nil }

const submariner = "submariner.io"

func customResources(ctx context.Context, d dynamic.Interface, c client.Client) {
	gv := schema.GroupVersion{Group: submariner, Version: "v1"}
	_, _ = d.Resource(gv.WithResource("endpoints")).List(ctx, metav1.ListOptions{})
	_, _ = d.Resource(schema.GroupVersionResource{Group: submariner, Version: "v1", Resource: "endpoints"}).List(ctx, metav1.ListOptions{})
	_ = c.List(ctx, &ciliumEndpoints{})
}
