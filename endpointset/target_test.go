package endpointset_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/slicewright/slicewright/endpointset"
)

// How a UID is kept is nobody's business: it comes out as it went in, whether it
// has the form that the API server gives or another one.
func TestTargetsComeOutAsTheyWentIn(t *testing.T) {
	for _, uid := range []string{
		"",
		"7e3c5e19-44fb-4075-8b5d-da675b548488",
		"00000000-0000-0000-0000-000000000000",
		"00000000-0000-0000-0000-000000000001",
		"7E3C5E19-44FB-4075-8B5D-DA675B548488",
		"7e3c5e19-44fb-4075-8b5d-da675b54848g",
		"ge3c5e19-44fb-4075-8b5d-da675b548488",
		"7e3c5e19-44fb-4075-8b5dxda675b548488",
		"7e3c5e19x44fb-4075-8b5d-da675b548488",
		"7e3c5e19-44fbx4075-8b5d-da675b548488",
		"7e3c5e19-44fb-4075x8b5d-da675b548488",
		"7e3c5e19-44fb-4075-8b5d-da675b5484",
		"u1",
		strings.Repeat("long", 100),
	} {
		want := endpointset.Target{Kind: "Pod", Namespace: "shop", Name: "cart-0", UID: uid}
		ep := discoveryv1.Endpoint{
			Addresses: []string{"10.0.0.1"},
			TargetRef: &corev1.ObjectReference{Kind: want.Kind, Namespace: want.Namespace, Name: want.Name, UID: types.UID(uid)},
		}
		ix := endpointset.NewIndex(endpointset.Options{})
		ix.Apply(ix.Parse(slice("cart-a", ep)))
		backends := ix.Service(endpointset.ServiceKey{Namespace: "shop", Name: "cart"}).Backends()
		if len(backends) != 1 {
			t.Fatalf("%d backends", len(backends))
		}
		if diff := cmp.Diff(want, backends[0].Target); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// Two UIDs are two targets, whatever their forms: between targets health decides,
// and not which record is the newest (S6).
func TestUIDsOfTwoFormsAreTwoTargets(t *testing.T) {
	const uuid = "7e3c5e19-44fb-4075-8b5d-da675b548488"
	for _, uids := range [][2]string{
		{uuid, "u1"},
		{"u1", uuid},
		{"u1", "u2"},
		{uuid, "7e3c5e19-44fb-4075-8b5d-da675b548489"},
	} {
		ready := slice("cart-a", discoveryv1.Endpoint{
			Addresses: []string{"10.0.0.1"}, TargetRef: &corev1.ObjectReference{Kind: "Pod", UID: types.UID(uids[0])},
		})
		newer := slice("cart-b", discoveryv1.Endpoint{
			Addresses: []string{"10.0.0.1"}, TargetRef: &corev1.ObjectReference{Kind: "Pod", UID: types.UID(uids[1])},
			Conditions: discoveryv1.EndpointConditions{Ready: new(false)},
		})
		ready.ResourceVersion, newer.ResourceVersion = "1", "2"
		ix := endpointset.NewIndex(endpointset.Options{})
		ix.Apply(ix.Parse(ready))
		ix.Apply(ix.Parse(newer))
		b := ix.Service(endpointset.ServiceKey{Namespace: "shop", Name: "cart"}).Backends()[0]
		if b.Target.UID != uids[0] || !b.Ready {
			t.Errorf("%q speaks, ready %t; want %q", b.Target.UID, b.Ready, uids[0])
		}
	}
	// One target whose UID changes its form is another one: the change is told.
	ix := endpointset.NewIndex(endpointset.Options{})
	ep := discoveryv1.Endpoint{Addresses: []string{"10.0.0.1"}, TargetRef: &corev1.ObjectReference{Kind: "Pod", UID: uuid}}
	ix.Apply(ix.Parse(slice("cart-a", ep)))
	ep.TargetRef = &corev1.ObjectReference{Kind: "Pod", UID: "u1"}
	if changes := ix.Apply(ix.Parse(slice("cart-a", ep))); len(changes) != 1 {
		t.Errorf("%d changes after the UID became another one", len(changes))
	}
}

// A slice of another port has the address and is no rival.
func TestDuplicatesNameTheSlicesOfThePort(t *testing.T) {
	ep := discoveryv1.Endpoint{Addresses: []string{"10.0.0.1"}}
	a, b, other := slice("cart-a", ep), slice("cart-b", ep), slice("cart-c", ep)
	a.ResourceVersion, b.ResourceVersion, other.ResourceVersion = "1", "2", "3"
	other.Ports = []discoveryv1.EndpointPort{{Name: new("admin"), Port: new(int32(9090))}}
	ix := endpointset.NewIndex(endpointset.Options{})
	for _, es := range []*discoveryv1.EndpointSlice{a, b, other} {
		ix.Apply(ix.Parse(es))
	}
	want := []endpointset.Diagnostic{{
		Code: endpointset.CodeDuplicate, Slice: "cart-b",
		Message: "10.0.0.1:8080 is in this slice, which speaks for it, and in cart-a",
	}}
	sel := ix.Service(endpointset.ServiceKey{Namespace: "shop", Name: "cart"}).Select(endpointset.Query{Policy: endpointset.PolicyReady})
	if diff := cmp.Diff(want, sel.Diagnostics); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What a slice says of places comes out with the backend, hints in order.
func TestPlacesComeOut(t *testing.T) {
	full := discoveryv1.Endpoint{
		Addresses: []string{"10.0.0.1"}, Zone: new("b"), NodeName: new("n1"),
		Hints: &discoveryv1.EndpointHints{
			ForZones: []discoveryv1.ForZone{{Name: "b"}, {Name: "a"}}, ForNodes: []discoveryv1.ForNode{{Name: "n2"}, {Name: "n1"}},
		},
	}
	ix := endpointset.NewIndex(endpointset.Options{})
	ix.Apply(ix.Parse(slice("cart-a", full, discoveryv1.Endpoint{Addresses: []string{"10.0.0.2"}})))
	type place struct {
		Zone, Node         string
		ForZones, ForNodes []string
	}
	var got []place
	for _, b := range ix.Service(endpointset.ServiceKey{Namespace: "shop", Name: "cart"}).Backends() {
		got = append(got, place{b.Zone, b.Node, b.ForZones, b.ForNodes})
	}
	if diff := cmp.Diff([]place{{"b", "n1", []string{"a", "b"}, []string{"n1", "n2"}}, {}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
