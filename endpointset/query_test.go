package endpointset_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/slicewright/slicewright/endpointset"
)

// "" is the name of a port, and not every port.
func TestThePortWithoutANameIsOnePort(t *testing.T) {
	es := slice("cart-a", discoveryv1.Endpoint{Addresses: []string{"10.0.0.1"}})
	es.Ports = append(es.Ports, discoveryv1.EndpointPort{Port: new(int32(9090))})
	ix := endpointset.NewIndex(endpointset.Options{})
	ix.Apply(ix.Parse(es))
	set := ix.Service(endpointset.ServiceKey{Namespace: "shop", Name: "cart"})
	for _, c := range []struct {
		port endpointset.PortName
		text string
		want []string
	}{
		{endpointset.PortName{}, "every port", []string{" 10.0.0.1:9090", "http 10.0.0.1:8080"}},
		{endpointset.PortNamed(""), `""`, []string{" 10.0.0.1:9090"}},
		{endpointset.PortNamed("http"), `"http"`, []string{"http 10.0.0.1:8080"}},
		{endpointset.PortNamed("https"), `"https"`, []string{}},
	} {
		sel := set.Select(endpointset.Query{Port: c.port})
		if diff := cmp.Diff(c.want, lines(sel.Active)); diff != "" || c.port.String() != c.text {
			t.Errorf("%s, want %s: active (-want +got):\n%s", c.port, c.text, diff)
		}
	}
	want := []endpointset.Port{{Protocol: "TCP", Number: 9090}, {Name: "http", Protocol: "TCP", Number: 8080}}
	if diff := cmp.Diff(want, set.Ports()); diff != "" {
		t.Errorf("ports (-want +got):\n%s", diff)
	}
}

func TestASelectionCanBeLeftEarly(t *testing.T) {
	ix := endpointset.NewIndex(endpointset.Options{})
	ix.Apply(ix.Parse(slice("cart-a", discoveryv1.Endpoint{Addresses: []string{"10.0.0.2"}}, discoveryv1.Endpoint{Addresses: []string{"10.0.0.1"}})))
	sel := ix.Service(endpointset.ServiceKey{Namespace: "shop", Name: "cart"}).Select(endpointset.Query{})
	for b, state := range sel.All() {
		if b.Endpoint() != "10.0.0.1:8080" || state != endpointset.StateActive {
			t.Errorf("the first is %s and %s", b.Endpoint(), state)
		}
		break
	}
}
