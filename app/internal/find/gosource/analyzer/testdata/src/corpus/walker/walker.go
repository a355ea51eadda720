// Package walker exports every object of a cluster.
package walker

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
)

func export(ctx context.Context, disco discovery.DiscoveryInterface, d dynamic.Interface) {
	lists, _ := disco.ServerPreferredResources() // want `go/walker list \(walker, possible`
	for _, list := range lists {
		for _, r := range list.APIResources {
			_, _ = d.Resource(schema.GroupVersionResource{Version: "v1", Resource: r.Name}).List(ctx, metav1.ListOptions{})
		}
	}
}
