package endpointset_test

import (
	"testing"

	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/slicewright/slicewright/endpointset"
)

// Of one target's records the newest speaks. Versions are numbers, and a slice
// without a version is the oldest (S6).
func TestTheNewestVersionSpeaks(t *testing.T) {
	ep := discoveryv1.Endpoint{Addresses: []string{"10.0.0.1"}}
	for _, c := range []struct{ a, b, speaks string }{
		{"9", "10", "cart-b"},
		{"10", "9", "cart-a"},
		{"100", "99", "cart-a"},
		{"", "1", "cart-b"},
		{"1", "", "cart-a"},
		{"", "", "cart-a"}, // the smaller name
	} {
		a, b := slice("cart-a", ep), slice("cart-b", ep)
		a.ResourceVersion, b.ResourceVersion = c.a, c.b
		for _, order := range [][]*discoveryv1.EndpointSlice{{a, b}, {b, a}} {
			ix := endpointset.NewIndex(endpointset.Options{})
			for _, es := range order {
				ix.Apply(ix.Parse(es))
			}
			backends := ix.Service(endpointset.ServiceKey{Namespace: "shop", Name: "cart"}).Backends()
			if len(backends) != 1 || backends[0].Slice != c.speaks {
				t.Errorf("versions %q and %q: %+v, want %s to speak", c.a, c.b, backends, c.speaks)
			}
		}
	}
}

// Each record of the old and the new slice is looked at once.
func TestEachRecordIsLookedAtOnce(t *testing.T) {
	one, two := discoveryv1.Endpoint{Addresses: []string{"10.0.0.1"}}, discoveryv1.Endpoint{Addresses: []string{"10.0.0.2"}}
	ix := endpointset.NewIndex(endpointset.Options{})
	for _, step := range []struct {
		slice  *discoveryv1.EndpointSlice
		looked int
	}{
		{slice("cart-a", one, two), 2},
		{slice("cart-a", one), 2 + 1},
	} {
		before := ix.Looked()
		ix.Apply(ix.Parse(step.slice))
		if got := ix.Looked() - before; got != step.looked {
			t.Errorf("%s with %d endpoints: %d looked at, want %d", step.slice.Name, len(step.slice.Endpoints), got, step.looked)
		}
	}
}

// An address that is none of its family is left out alone (S3).
func TestAddressesOfAnotherKindAreLeftOut(t *testing.T) {
	for family, refused := range map[discoveryv1.AddressType][]string{
		discoveryv1.AddressTypeIPv4: {"nonsense", "", "2001:db8::2", "::ffff:10.0.0.2", "010.0.0.2"},
		discoveryv1.AddressTypeIPv6: {"nonsense", "", "10.0.0.2", "::ffff:10.0.0.2", "2001:db8::2%eth0"},
	} {
		good := map[discoveryv1.AddressType]string{discoveryv1.AddressTypeIPv4: "10.0.0.1", discoveryv1.AddressTypeIPv6: "2001:db8::1"}[family]
		for _, address := range refused {
			es := slice("cart-a", discoveryv1.Endpoint{Addresses: []string{address}}, discoveryv1.Endpoint{Addresses: []string{good}})
			es.AddressType = family
			ix := endpointset.NewIndex(endpointset.Options{})
			ix.Apply(ix.Parse(es))
			backends := ix.Service(endpointset.ServiceKey{Namespace: "shop", Name: "cart"}).Backends()
			if len(backends) != 1 || backends[0].Addr.String() != good {
				t.Errorf("%q in a slice of %s: %+v", address, family, backends)
			}
		}
	}
}

func TestALocationHasWhatItsTopologyNeeds(t *testing.T) {
	for _, c := range []struct {
		at   endpointset.Location
		fits bool
	}{
		{endpointset.Location{}, true},
		{endpointset.Location{Topology: endpointset.TopologyHints}, false},
		{endpointset.Location{Topology: endpointset.TopologyHints, Zone: "a"}, true},
		{endpointset.Location{Topology: endpointset.TopologyHints, Node: "n"}, true},
		{endpointset.Location{Topology: endpointset.TopologyZone, Node: "n"}, false},
		{endpointset.Location{Topology: endpointset.TopologyZone, Zone: "a"}, true},
		{endpointset.Location{Topology: endpointset.TopologyNode, Zone: "a"}, false},
		{endpointset.Location{Topology: endpointset.TopologyNode, Node: "n"}, true},
		{endpointset.Location{Topology: "street", Zone: "a", Node: "n"}, false},
		{endpointset.Location{Topology: endpointset.TopologyZone, Zone: "a", Mode: endpointset.ModeRequire}, true},
		{endpointset.Location{Topology: endpointset.TopologyZone, Zone: "a", Mode: "perhaps"}, false},
	} {
		if err := c.at.Validate(); (err == nil) != c.fits {
			t.Errorf("%+v: %v", c.at, err)
		}
	}
}

// What one port falls back to says nothing of another (S10).
func TestFallbackIsOfOnePort(t *testing.T) {
	http := slice("cart-a", discoveryv1.Endpoint{Addresses: []string{"10.0.0.1"}})
	admin := slice("cart-b", discoveryv1.Endpoint{
		Addresses: []string{"10.0.0.2"}, Conditions: discoveryv1.EndpointConditions{Ready: new(false), Terminating: new(true)},
	})
	admin.Ports = []discoveryv1.EndpointPort{{Name: new("admin"), Port: new(int32(9090))}}
	ix := endpointset.NewIndex(endpointset.Options{})
	ix.Apply(ix.Parse(http))
	ix.Apply(ix.Parse(admin))
	set := ix.Service(endpointset.ServiceKey{Namespace: "shop", Name: "cart"})
	for name, want := range map[string]struct {
		active   string
		fallback bool
	}{"http": {"10.0.0.1:8080", false}, "admin": {"10.0.0.2:9090", true}} {
		part := set.Select(endpointset.Query{Policy: endpointset.PolicyReadyOrTerminating, Port: endpointset.PortNamed(name)})
		if len(part.Active) != 1 || part.Active[0].Endpoint() != want.active || part.Fallback != want.fallback {
			t.Errorf("%s: %+v, fallback %t", name, part.Active, part.Fallback)
		}
	}
	both := set.Select(endpointset.Query{Policy: endpointset.PolicyReadyOrTerminating})
	if len(both.Active) != 2 || !both.Fallback {
		t.Errorf("both ports: %+v, fallback %t", both.Active, both.Fallback)
	}
}

// A consumer that does not say where it runs is near nothing, endpoints without
// a place included (S11).
func TestNothingIsNearAConsumerWithoutAPlace(t *testing.T) {
	ix := endpointset.NewIndex(endpointset.Options{})
	ix.Apply(ix.Parse(slice("cart-a",
		discoveryv1.Endpoint{Addresses: []string{"10.0.0.1"}},
		discoveryv1.Endpoint{Addresses: []string{"10.0.0.2"}, NodeName: new("n1"), Zone: new("a")},
	)))
	set := ix.Service(endpointset.ServiceKey{Namespace: "shop", Name: "cart"})
	for _, topology := range []endpointset.Topology{endpointset.TopologyNode, endpointset.TopologyZone} {
		for mode, want := range map[endpointset.Mode]int{endpointset.ModeRequire: 0, endpointset.ModePrefer: 2} {
			at := endpointset.Location{Topology: topology, Mode: mode}
			if sel := set.Select(endpointset.Query{Location: at}); len(sel.Active) != want {
				t.Errorf("%s, %s: %d active, want %d", topology, mode, len(sel.Active), want)
			}
		}
	}
}
