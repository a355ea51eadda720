package watch

import (
	"context"

	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
)

// Client lists and watches EndpointSlices and nothing else. It is for programs
// that need no clientset, which brings the types of every API group.
type Client struct{ rest rest.Interface }

// NewClient returns a client for a connection; [Configure] makes the connection's
// configuration cheap to decode. The configuration is not changed.
func NewClient(config *rest.Config) (*Client, error) {
	scheme := runtime.NewScheme()
	if err := discoveryv1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	config = rest.CopyConfig(config)
	config.APIPath, config.GroupVersion = "/apis", &discoveryv1.SchemeGroupVersion
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	client, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, err
	}
	return &Client{client}, nil
}

// RESTClient returns the client's connection.
func (c *Client) RESTClient() rest.Interface { return c.rest }

// EndpointSlices returns the slices of a namespace, of all namespaces if it is "".
func (c *Client) EndpointSlices(namespace string) Slices { return namespaced{c.rest, namespace} }

// namespaced are the slices of one namespace, or of all.
type namespaced struct {
	rest      rest.Interface
	namespace string
}

func (n namespaced) get(options *metav1.ListOptions) *rest.Request {
	return n.rest.Get().NamespaceIfScoped(n.namespace, n.namespace != "").Resource("endpointslices").
		VersionedParams(options, metav1.ParameterCodec)
}

// List lists the slices.
func (n namespaced) List(ctx context.Context, options metav1.ListOptions) (*discoveryv1.EndpointSliceList, error) {
	list := &discoveryv1.EndpointSliceList{}
	return list, n.get(&options).Do(ctx).Into(list)
}

// Watch watches the slices.
func (n namespaced) Watch(ctx context.Context, options metav1.ListOptions) (apiwatch.Interface, error) {
	options.Watch = true
	return n.get(&options).Watch(ctx)
}
