package cluster

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// Some twenty lists of some pages each: the client's default of 5 requests a
// second is for controllers that run for ever, and the server has its own
// protection.
const (
	requestsPerSecond = 50
	burst             = 100
)

// Client reads from one API server. Its methods may be called by several
// goroutines.
type Client struct {
	groups   map[schema.GroupVersion]*rest.RESTClient
	metadata metadata.Interface
}

// The API's types that are read as whole objects. The scheme has these alone: the
// one of client-go brings every group of the API.
var (
	scheme     = runtime.NewScheme()
	codecs     = serializer.NewCodecFactory(scheme)
	parameters = runtime.NewParameterCodec(scheme)
	groups     = []schema.GroupVersion{
		corev1.SchemeGroupVersion, appsv1.SchemeGroupVersion, batchv1.SchemeGroupVersion, rbacv1.SchemeGroupVersion,
	}
)

func init() {
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme, rbacv1.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
}

// NewClient makes a client. Its requests carry the user agent
// "slicewright/VERSION (find)"; config is copied and keeps its own.
func NewClient(config *rest.Config, version string) (*Client, error) {
	if version == "" {
		version = "unknown"
	}
	own := rest.CopyConfig(config)
	own.UserAgent = evidence.UserAgent + "/" + version + " (find)"
	own.QPS, own.Burst = requestsPerSecond, burst
	// All groups share one limit.
	own.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(own.QPS, own.Burst)
	// Protobuf costs the server and this program a fraction of what JSON does; a
	// server without protobuf answers in JSON.
	own.ContentType = runtime.ContentTypeProtobuf
	own.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	// That Endpoints are deprecated is why they are read here.
	own.WarningHandler, own.WarningHandlerWithContext = rest.NoWarnings{}, nil
	own.NegotiatedSerializer = codecs.WithoutConversion()
	http, err := rest.HTTPClientFor(own)
	if err != nil {
		return nil, fmt.Errorf("make a client for %s: %w", own.Host, err)
	}
	c := &Client{groups: make(map[schema.GroupVersion]*rest.RESTClient)}
	for _, group := range groups {
		forGroup := rest.CopyConfig(own)
		forGroup.GroupVersion = &group
		forGroup.APIPath = "/apis"
		if group.Group == "" {
			forGroup.APIPath = "/api"
		}
		if c.groups[group], err = rest.RESTClientForConfigAndClient(forGroup, http); err != nil {
			return nil, fmt.Errorf("make a client for %s: %w", own.Host, err)
		}
	}
	if c.metadata, err = metadata.NewForConfigAndClient(own, http); err != nil {
		return nil, fmt.Errorf("make a metadata client for %s: %w", own.Host, err)
	}
	return c, nil
}

// list reads one page of a resource into a list of its type. The namespace "" is
// all of them, or that of what has no namespace.
func (c *Client) list(ctx context.Context, resource schema.GroupVersionResource, namespace string, opts metav1.ListOptions, into runtime.Object) error {
	return c.groups[resource.GroupVersion()].Get().
		NamespaceIfScoped(namespace, namespace != "").Resource(resource.Resource).
		VersionedParams(&opts, parameters).Do(ctx).Into(into)
}

// get reads one object.
func (c *Client) get(ctx context.Context, resource schema.GroupVersionResource, namespace, name string, into runtime.Object) error {
	return c.groups[resource.GroupVersion()].Get().
		Namespace(namespace).Resource(resource.Resource).Name(name).Do(ctx).Into(into)
}

// listMetadata reads one page of a resource without spec and content, which for
// Endpoints is nearly all of their size.
func (c *Client) listMetadata(ctx context.Context, resource schema.GroupVersionResource, namespace string, opts metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	return c.metadata.Resource(resource).Namespace(namespace).List(ctx, opts)
}
