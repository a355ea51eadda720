package live

//lint:file-ignore SA1019 the deprecated API is what is compared

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/slicewright/slicewright/app/internal/apiclient"
)

// A resource is one kind of object that is watched.
type resource struct {
	name string // as in a Role
	kind runtime.Object
	// needed: nothing can be said without it.
	needed bool
	// effect is what cannot be said without it.
	effect string
	calls  func(apiclient.Interface, string) calls
	// only restricts a call to one Service; nil for what is not of one Service.
	only func(options *metav1.ListOptions, service string)
}

// calls lists and watches, in one namespace or all.
type calls struct {
	list  func(context.Context, metav1.ListOptions) (runtime.Object, error)
	watch func(context.Context, metav1.ListOptions) (apiwatch.Interface, error)
}

// lister is what client-go has for every resource.
type lister[L runtime.Object] interface {
	List(context.Context, metav1.ListOptions) (L, error)
	Watch(context.Context, metav1.ListOptions) (apiwatch.Interface, error)
}

func callsOf[L runtime.Object](client lister[L]) calls {
	return calls{
		list: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return client.List(ctx, options)
		},
		watch: client.Watch,
	}
}

func named(options *metav1.ListOptions, service string) {
	options.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, service).String()
}

func labelled(options *metav1.ListOptions, service string) {
	options.LabelSelector = labels.SelectorFromSet(labels.Set{discoveryv1.LabelServiceName: service}).String()
}

// The resources. Endpoints are asked for nowhere else in the product.
var (
	endpointsResource = resource{
		name: "endpoints", kind: &corev1.Endpoints{}, needed: true, effect: "there is nothing to compare", only: named,
		calls: func(c apiclient.Interface, ns string) calls { return callsOf(c.CoreV1().Endpoints(ns)) }, //nolint:endpointsvet // the deprecated API is what is compared
	}
	slicesResource = resource{
		name: "endpointslices.discovery.k8s.io", kind: &discoveryv1.EndpointSlice{}, needed: true, effect: "there is nothing to compare", only: labelled,
		calls: func(c apiclient.Interface, ns string) calls { return callsOf(c.DiscoveryV1().EndpointSlices(ns)) },
	}
	servicesResource = resource{
		name: "services", kind: &corev1.Service{}, only: named,
		effect: "orphan-slices and another-service are never found, and the second IP family is guessed from the addresses",
		calls:  func(c apiclient.Interface, ns string) calls { return callsOf(c.CoreV1().Services(ns)) },
	}
	podsResource = resource{
		name: "pods", kind: &corev1.Pod{},
		effect: "an address that only Endpoints have counts as endpoints-stale, though a Pod may have it",
		calls:  func(c apiclient.Interface, ns string) calls { return callsOf(c.CoreV1().Pods(ns)) },
	}
	nodesResource = resource{
		name: "nodes", kind: &corev1.Node{},
		effect: "a Pod that slices lack since its Node does not exist counts as slices-behind",
		calls:  func(c apiclient.Interface, _ string) calls { return callsOf(c.CoreV1().Nodes()) },
	}
)

// trim takes out of a freshly decoded object what no comparison asks for: of a
// large cluster's Pods and Nodes next to nothing is left.
func trim(object any) (any, error) {
	switch object := object.(type) {
	case *corev1.Pod:
		object.Spec = corev1.PodSpec{NodeName: object.Spec.NodeName}
		object.Status = corev1.PodStatus{Phase: object.Status.Phase, PodIPs: object.Status.PodIPs}
		object.Labels, object.Annotations = nil, nil
	case *corev1.Node:
		object.Spec, object.Status = corev1.NodeSpec{}, corev1.NodeStatus{}
		object.Labels, object.Annotations = nil, nil
	}
	if object, ok := object.(metav1.Object); ok {
		object.SetManagedFields(nil)
	}
	return object, nil
}

var _ cache.TransformFunc = trim
