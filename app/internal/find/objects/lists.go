package objects

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// lister is what every typed client has in common.
type lister[L runtime.Object] interface {
	List(ctx context.Context, opts metav1.ListOptions) (L, error)
}

type pageFunc = func(ctx context.Context, namespace string, opts metav1.ListOptions) (runtime.Object, error)

// typed lists whole objects, for kinds whose spec matters.
func typed[L runtime.Object](client func(namespace string) lister[L]) pageFunc {
	return func(ctx context.Context, namespace string, opts metav1.ListOptions) (runtime.Object, error) {
		return client(namespace).List(ctx, opts)
	}
}

// metadataOnly lists without spec and content, which for Endpoints is nearly
// all of their size.
func (c *clusterReader) metadataOnly(resource schema.GroupVersionResource, kind string) pageFunc {
	return func(ctx context.Context, namespace string, opts metav1.ListOptions) (runtime.Object, error) {
		page, err := c.clients.Metadata.Resource(resource).Namespace(namespace).List(ctx, opts)
		if err != nil {
			return nil, err
		}
		// The items of such a list call themselves PartialObjectMetadata.
		for i := range page.Items {
			page.Items[i].Kind = kind
		}
		return page, nil
	}
}

// replicaSets lists metadata, since nearly all of them are a Deployment's old
// and present generations, and then reads those whole that nobody owns: such a
// one is a workload of its own.
func (c *clusterReader) replicaSets() pageFunc {
	names := c.metadataOnly(schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "replicasets"}, "ReplicaSet")
	return func(ctx context.Context, namespace string, opts metav1.ListOptions) (runtime.Object, error) {
		listed, err := names(ctx, namespace, opts)
		if err != nil {
			return nil, err
		}
		page, ok := listed.(*metav1.PartialObjectMetadataList)
		if !ok {
			return nil, errors.New("the answer is no list of metadata")
		}
		out := &metav1.List{ListMeta: page.ListMeta}
		for i := range page.Items {
			item := &page.Items[i]
			if controllerOf(item) != (Ref{}) {
				out.Items = append(out.Items, runtime.RawExtension{Object: item})
				continue
			}
			whole, err := c.clients.Kubernetes.AppsV1().ReplicaSets(item.Namespace).Get(ctx, item.Name, metav1.GetOptions{})
			switch {
			case err == nil:
				out.Items = append(out.Items, runtime.RawExtension{Object: whole})
			default:
				// Gone meanwhile, or get is forbidden where list is not: its Pods
				// still name it.
				out.Items = append(out.Items, runtime.RawExtension{Object: item})
			}
		}
		return out, nil
	}
}
