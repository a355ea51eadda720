package slicetest

import (
	"fmt"
	"net/netip"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Service returns the slices of a Service with so many ready endpoints, packed
// as the controller packs a fresh one: perSlice in each, on 50 nodes in three
// zones, every one a Pod with a UID of the API server's form.
func Service(name string, endpoints, perSlice int) []*discoveryv1.EndpointSlice {
	var all []*discoveryv1.EndpointSlice
	addr := netip.MustParseAddr("10.128.0.1")
	for done := 0; done < endpoints; {
		es := &discoveryv1.EndpointSlice{
			ObjectMeta: metav1.ObjectMeta{
				Namespace:       Namespace,
				Name:            fmt.Sprintf("%s-%05d", name, len(all)),
				ResourceVersion: strconv.Itoa(1 + len(all)),
				Labels: map[string]string{
					discoveryv1.LabelServiceName: name,
					discoveryv1.LabelManagedBy:   "endpointslice-controller.k8s.io",
				},
				Annotations: map[string]string{corev1.EndpointsLastChangeTriggerTime: "2026-01-01T00:00:00Z"},
			},
			AddressType: discoveryv1.AddressTypeIPv4,
			Ports:       []discoveryv1.EndpointPort{{Name: new("http"), Protocol: new(corev1.ProtocolTCP), Port: new(int32(8080))}},
		}
		for range min(perSlice, endpoints-done) {
			es.Endpoints = append(es.Endpoints, discoveryv1.Endpoint{
				Addresses:  []string{addr.String()},
				Conditions: discoveryv1.EndpointConditions{Ready: new(true), Serving: new(true), Terminating: new(false)},
				NodeName:   new(fmt.Sprintf("node-%02d.example.internal", done%50)),
				Zone:       new(fmt.Sprintf("zone-%c", 'a'+done%3)),
				TargetRef: &corev1.ObjectReference{
					Kind: "Pod", Namespace: Namespace,
					Name: fmt.Sprintf("%s-7d4b9c6f5d-%05d", name, done),
					UID:  types.UID(fmt.Sprintf("e66e14ba-be18-47cb-8819-%012x", done)),
				},
			})
			addr = addr.Next()
			done++
		}
		all = append(all, es)
	}
	return all
}
