package experiment

import (
	"context"
	"fmt"
	"net/netip"

	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"
)

// manager is who the slices written here are managed by: no controller of
// Kubernetes touches them.
const manager = "experiment.slicewright.dev"

// condition is what a slice says of an endpoint.
type condition int

const (
	ready  condition = iota
	unsaid           // no condition at all, which means ready
	notReady
	terminating // and still serving
	gone        // terminating, and not serving
)

// shape is a slice to write.
type shape struct {
	name, service string
	port          int32
	addresses     []netip.Addr // of one family
	// conditions are those of addresses that are not simply ready.
	conditions map[string]condition
}

func (s shape) slice() *discoveryv1.EndpointSlice {
	family := discoveryv1.AddressTypeIPv4
	if s.addresses[0].Is6() {
		family = discoveryv1.AddressTypeIPv6
	}
	slice := &discoveryv1.EndpointSlice{
		ObjectMeta:  metav1.ObjectMeta{Name: s.name, Labels: map[string]string{discoveryv1.LabelServiceName: s.service, discoveryv1.LabelManagedBy: manager}},
		AddressType: family,
		Ports:       []discoveryv1.EndpointPort{{Name: ptr.To("http"), Port: ptr.To(s.port)}},
	}
	for _, a := range s.addresses {
		c := s.conditions[a.String()]
		endpoint := discoveryv1.Endpoint{Addresses: []string{a.String()}}
		if c != unsaid {
			endpoint.Conditions = discoveryv1.EndpointConditions{
				Ready: ptr.To(c == ready), Serving: ptr.To(c == ready || c == terminating), Terminating: ptr.To(c == terminating || c == gone),
			}
		}
		slice.Endpoints = append(slice.Endpoints, endpoint)
	}
	return slice
}

// write creates or replaces slices.
func (e *experiment) write(ctx context.Context, shapes ...shape) error {
	client := e.client.DiscoveryV1().EndpointSlices(e.Namespace)
	for _, s := range shapes {
		slice := s.slice()
		err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
			has, err := client.Get(ctx, s.name, metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				_, err = client.Create(ctx, slice, metav1.CreateOptions{})
				return err
			}
			if err != nil {
				return err
			}
			slice.ResourceVersion = has.ResourceVersion
			_, err = client.Update(ctx, slice, metav1.UpdateOptions{})
			return err
		})
		if err != nil {
			return fmt.Errorf("write EndpointSlice %s: %w", s.name, err)
		}
	}
	return nil
}

// remove deletes slices.
func (e *experiment) remove(ctx context.Context, shapes ...shape) error {
	for _, s := range shapes {
		err := e.client.DiscoveryV1().EndpointSlices(e.Namespace).Delete(ctx, s.name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete EndpointSlice %s: %w", s.name, err)
		}
	}
	return nil
}

const bareServiceYAML = `apiVersion: v1
kind: Service
metadata: {name: %s}
spec:
  ports: [{name: http, port: 80, targetPort: 8080}]
`
