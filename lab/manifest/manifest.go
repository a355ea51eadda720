// Package manifest applies and deletes Kubernetes objects written as YAML, as
// kubectl does, for scripts that run where there is no kubectl.
package manifest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/utils/ptr"
)

// manager is the field manager of what Apply writes.
const manager = "slicewright-lab"

// Client writes objects of any kind. Its methods may be called concurrently.
type Client struct {
	dynamic dynamic.Interface
	mapper  *restmapper.DeferredDiscoveryRESTMapper
}

// NewClient returns a client that acts as config says.
func NewClient(config *rest.Config) (*Client, error) {
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	kinds, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make a discovery client: %w", err)
	}
	return &Client{dynamic: objects, mapper: restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(kinds))}, nil
}

// Parse reads the objects of a YAML or JSON stream. Lists are taken apart, and
// empty documents left out.
func Parse(content []byte) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096)
	for number := 1; ; number++ {
		var document map[string]any
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", number, err)
		}
		if document == nil {
			continue
		}
		object := &unstructured.Unstructured{Object: document}
		if object.GetKind() == "" || object.GetAPIVersion() == "" {
			return nil, fmt.Errorf("document %d: no apiVersion or no kind", number)
		}
		if !object.IsList() {
			objects = append(objects, object)
			continue
		}
		list, err := object.ToList()
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", number, err)
		}
		for i := range list.Items {
			objects = append(objects, &list.Items[i])
		}
	}
}

// Apply writes an object by server-side apply and takes over fields that
// somebody else set. One without a namespace gets the one given.
func (c *Client) Apply(ctx context.Context, object *unstructured.Unstructured, namespace string) error {
	resource, err := c.resource(object.GroupVersionKind(), orElse(object.GetNamespace(), namespace))
	if err != nil {
		return err
	}
	content, err := json.Marshal(object)
	if err != nil {
		return fmt.Errorf("encode %s: %w", describe(object), err)
	}
	_, err = resource.Patch(ctx, object.GetName(), types.ApplyPatchType, content,
		metav1.PatchOptions{FieldManager: manager, Force: ptr.To(true)})
	if err != nil {
		return fmt.Errorf("apply %s: %w", describe(object), err)
	}
	return nil
}

// Delete deletes an object by its kind and name, in the background. One that
// is not there is no error.
func (c *Client) Delete(ctx context.Context, object *unstructured.Unstructured, namespace string) error {
	resource, err := c.resource(object.GroupVersionKind(), orElse(object.GetNamespace(), namespace))
	if err != nil {
		return err
	}
	err = resource.Delete(ctx, object.GetName(), metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationBackground)})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete %s: %w", describe(object), err)
	}
	return nil
}

// Named returns an object that has only a kind and a name, for Delete and
// Patch. kind is as people write it: "pod", "deployments", "endpointslice".
func (c *Client) Named(kind, name string) (*unstructured.Unstructured, error) {
	gvk, err := c.mapper.KindFor(schema.GroupVersionResource{Resource: kind})
	if meta.IsNoMatchError(err) {
		return nil, fmt.Errorf("no kind %q in this cluster", kind)
	}
	if err != nil {
		return nil, fmt.Errorf("look up kind %q: %w", kind, err)
	}
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(gvk)
	object.SetName(name)
	return object, nil
}

// Patch changes an object by a JSON merge patch.
func (c *Client) Patch(ctx context.Context, object *unstructured.Unstructured, namespace string, patch []byte) error {
	resource, err := c.resource(object.GroupVersionKind(), orElse(object.GetNamespace(), namespace))
	if err != nil {
		return err
	}
	if _, err := resource.Patch(ctx, object.GetName(), types.MergePatchType, patch, metav1.PatchOptions{FieldManager: manager}); err != nil {
		return fmt.Errorf("patch %s: %w", describe(object), err)
	}
	return nil
}

func (c *Client) resource(kind schema.GroupVersionKind, namespace string) (dynamic.ResourceInterface, error) {
	mapping, err := c.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return nil, fmt.Errorf("look up kind %s: %w", kind.Kind, err)
	}
	resource := c.dynamic.Resource(mapping.Resource)
	if mapping.Scope.Name() != meta.RESTScopeNameNamespace {
		return resource, nil
	}
	return resource.Namespace(namespace), nil
}

func describe(object *unstructured.Unstructured) string {
	return fmt.Sprintf("%s %s", object.GetKind(), object.GetName())
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
