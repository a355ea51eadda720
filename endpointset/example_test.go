package endpointset_test

import (
	"fmt"

	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/slicewright/slicewright/endpointset"
)

func slice(name string, endpoints ...discoveryv1.Endpoint) *discoveryv1.EndpointSlice {
	return &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "shop", Name: name,
			Labels: map[string]string{discoveryv1.LabelServiceName: "cart"},
		},
		AddressType: discoveryv1.AddressTypeIPv4,
		Ports:       []discoveryv1.EndpointPort{{Name: new("http"), Port: new(int32(8080))}},
		Endpoints:   endpoints,
	}
}

// A controller feeds events in and is told what changed.
func ExampleIndex() {
	ix := endpointset.NewIndex(endpointset.Options{})
	ix.Apply(ix.Parse(slice("cart-a", discoveryv1.Endpoint{Addresses: []string{"10.0.0.1"}})))
	changes := ix.Apply(ix.Parse(slice("cart-b",
		discoveryv1.Endpoint{Addresses: []string{"10.0.0.1"}}, // on its way from one slice to the other
		discoveryv1.Endpoint{Addresses: []string{"10.0.0.2"}},
	)))
	for _, c := range changes {
		for _, b := range c.Added() {
			fmt.Println(c.Service, "added", b.Endpoint())
		}
	}
	// Output:
	// shop/cart added 10.0.0.2:8080
}

// A policy splits the set into what gets new connections and what does not.
func ExampleSet_Select() {
	ix := endpointset.NewIndex(endpointset.Options{})
	ix.Apply(ix.Parse(slice("cart-a",
		discoveryv1.Endpoint{Addresses: []string{"10.0.0.1"}},
		discoveryv1.Endpoint{Addresses: []string{"10.0.0.2"}, Conditions: discoveryv1.EndpointConditions{Ready: new(false)}},
		discoveryv1.Endpoint{Addresses: []string{"10.0.0.3"}, Conditions: discoveryv1.EndpointConditions{Ready: new(false), Terminating: new(true)}},
	)))
	sel := ix.Service(endpointset.ServiceKey{Namespace: "shop", Name: "cart"}).Select(endpointset.Query{})
	for _, v := range sel.Explain() {
		fmt.Printf("%s %s (%s): %s\n", v.Endpoint(), v.State, v.Rule, v.Because)
	}
	// Output:
	// 10.0.0.1:8080 active (S9): ready and not terminating
	// 10.0.0.2:8080 excluded (S9): not ready (serving alone is not enough)
	// 10.0.0.3:8080 draining (S12): terminating but still serving: it keeps its open connections and gets no new ones
}

// Why does an address get no connections? The selection says so.
func ExampleSelection_Explain() {
	ix := endpointset.NewIndex(endpointset.Options{})
	ix.Apply(ix.Parse(slice("cart-a",
		discoveryv1.Endpoint{Addresses: []string{"10.0.0.1"}, Zone: new("a")},
		discoveryv1.Endpoint{Addresses: []string{"10.0.0.2"}, Zone: new("b")},
	)))
	sel := ix.Service(endpointset.ServiceKey{Namespace: "shop", Name: "cart"}).Select(endpointset.Query{
		Port:     endpointset.PortNamed("http"),
		Location: endpointset.Location{Zone: "a", Topology: endpointset.TopologyZone},
	})
	for _, v := range sel.Explain() {
		if v.Addr.String() == "10.0.0.2" {
			fmt.Printf("%s, rule %s: %s\n", v.State, v.Rule, v.Because)
		}
	}
	// Output:
	// excluded, rule S11: it runs in zone "b", not in "a"
}

// All walks active, draining and excluded backends in one order.
func ExampleSelection_All() {
	ix := endpointset.NewIndex(endpointset.Options{})
	ix.Apply(ix.Parse(slice("cart-a",
		discoveryv1.Endpoint{Addresses: []string{"10.0.0.2"}},
		discoveryv1.Endpoint{Addresses: []string{"10.0.0.1"}, Conditions: discoveryv1.EndpointConditions{Ready: new(false)}},
	)))
	sel := ix.Service(endpointset.ServiceKey{Namespace: "shop", Name: "cart"}).Select(endpointset.Query{})
	for b, state := range sel.All() {
		fmt.Println(b.Endpoint(), state)
	}
	// Output:
	// 10.0.0.1:8080 excluded
	// 10.0.0.2:8080 active
}
