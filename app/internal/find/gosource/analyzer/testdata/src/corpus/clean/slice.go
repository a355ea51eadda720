package clean

import (
	"context"

	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var sliceResource = schema.GroupVersionResource{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices"}

func migrated(ctx context.Context, cs kubernetes.Interface, d dynamic.Interface, c client.Client, f informers.SharedInformerFactory) int {
	list, _ := cs.DiscoveryV1().EndpointSlices("prod").List(ctx, metav1.ListOptions{})
	n := 0
	for _, slice := range list.Items {
		n += len(slice.Endpoints)
	}
	_, _ = d.Resource(sliceResource).List(ctx, metav1.ListOptions{})
	_ = c.List(ctx, &discoveryv1.EndpointSliceList{})
	f.Discovery().V1().EndpointSlices().Informer()
	return n
}
