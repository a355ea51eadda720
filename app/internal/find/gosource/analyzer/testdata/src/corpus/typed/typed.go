// Package typed uses the typed client in every form that code has.
package typed

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

func chain(ctx context.Context, cs kubernetes.Interface) {
	_, _ = cs.CoreV1().Endpoints("prod").List(ctx, metav1.ListOptions{}) // want `go/typed-client list \(reader, likely\)`
	_, _ = cs.CoreV1().Pods("prod").List(ctx, metav1.ListOptions{})
}

func lines(ctx context.Context, cs kubernetes.Interface) {
	_, _ = cs.
		CoreV1().
		Endpoints("prod"). // want `go/typed-client watch`
		Watch(ctx, metav1.ListOptions{})
}

func getterInVariable(ctx context.Context, cs kubernetes.Interface, namespaces []string) {
	eps := cs.CoreV1().Endpoints
	for _, ns := range namespaces {
		func() {
			_, _ = eps(ns).List(ctx, metav1.ListOptions{}) // want `go/typed-client list`
		}()
	}
}

func clientInVariable(ctx context.Context, cs *kubernetes.Clientset) {
	client := cs.CoreV1().Endpoints("prod")
	_, _ = client.Get(ctx, "web", metav1.GetOptions{})                                    // want `go/typed-client get`
	_, _ = client.Watch(ctx, metav1.ListOptions{})                                        // want `go/typed-client watch`
	_ = client.Delete(ctx, "web", metav1.DeleteOptions{})                                 // want `go/typed-client delete \(producer`
	_, _ = client.Update(ctx, nil, metav1.UpdateOptions{})                                // want `go/typed-client update \(producer`
	_, _ = client.Create(ctx, &corev1.Endpoints{Subsets: nil}, metav1.CreateOptions{})    // want `go/typed-client create \(producer`
	_, _ = client.Patch(ctx, "web", types.MergePatchType, nil, metav1.PatchOptions{})     // want `go/typed-client patch \(producer`
	_, _ = client.Apply(ctx, applycorev1.Endpoints("web", "prod"), metav1.ApplyOptions{}) // want `go/typed-client patch \(producer`
}

type holder struct {
	endpoints typedcorev1.EndpointsInterface
	getter    typedcorev1.EndpointsGetter
}

func (h *holder) list(ctx context.Context) {
	_, _ = h.endpoints.List(ctx, metav1.ListOptions{})                // want `go/typed-client list`
	_, _ = h.getter.Endpoints("prod").List(ctx, metav1.ListOptions{}) // want `go/typed-client list`
}

type embedded struct{ typedcorev1.EndpointsInterface }

func (e embedded) all(ctx context.Context) {
	_, _ = e.List(ctx, metav1.ListOptions{}) // want `go/typed-client list`
}

type lister interface {
	List(ctx context.Context, opts metav1.ListOptions) (*corev1.EndpointsList, error)
}

func handedOn(cs kubernetes.Interface) lister {
	return cs.CoreV1().Endpoints("prod") // want `go/typed-client \(reader`
}

func methodValueHandedOn(cs kubernetes.Interface, each func(func(string) typedcorev1.EndpointsInterface)) {
	each(cs.CoreV1().Endpoints) // want `go/typed-client \(reader`
}

func throughParameter(ctx context.Context, cs kubernetes.Interface) {
	listWith(ctx, cs.CoreV1().Endpoints("prod"))
}

func listWith(ctx context.Context, client typedcorev1.EndpointsInterface) {
	_, _ = client.List(ctx, metav1.ListOptions{}) // want `go/typed-client list`
}

func verbAsValue(cs kubernetes.Interface) func(context.Context, metav1.ListOptions) (*corev1.EndpointsList, error) {
	return cs.CoreV1().Endpoints("prod").List // want `go/typed-client`
}

const service = "kubernetes"

func apiServers(ctx context.Context, cs kubernetes.Interface) {
	_, _ = cs.CoreV1().Endpoints(metav1.NamespaceDefault).Get(ctx, service, metav1.GetOptions{}) // want `go/typed-client get \(apiserver-discovery`
}

func apiServersByField(ctx context.Context, cs kubernetes.Interface) {
	_, _ = cs.CoreV1().Endpoints("default").Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=kubernetes"}) // want `go/typed-client watch \(apiserver-discovery`
}
