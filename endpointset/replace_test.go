package endpointset_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/slicewright/slicewright/endpointset"
)

// A list of one namespace says nothing about another: not about the slices that
// the index has of it, and not by the slices that it holds itself.
func TestReplaceIsOfOneNamespace(t *testing.T) {
	in := func(namespace, name, address string) *discoveryv1.EndpointSlice {
		es := slice(name, discoveryv1.Endpoint{Addresses: []string{address}})
		es.Namespace = namespace
		return es
	}
	ix := endpointset.NewIndex(endpointset.Options{})
	ix.Replace("", parsed(ix, []*discoveryv1.EndpointSlice{in("shop", "a", "10.0.0.1"), in("lab", "a", "10.0.0.2")}))
	changes := ix.Replace("shop", parsed(ix, []*discoveryv1.EndpointSlice{in("shop", "b", "10.0.0.3"), in("lab", "b", "10.0.0.4"), nil}))

	got := map[string][]string{}
	for _, key := range ix.Services() {
		for _, b := range ix.Service(key).Backends() {
			got[key.String()] = append(got[key.String()], b.Endpoint())
		}
	}
	want := map[string][]string{"shop/cart": {"10.0.0.3:8080"}, "lab/cart": {"10.0.0.2:8080"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("backends (-want +got):\n%s", diff)
	}
	if len(changes) != 1 || changes[0].Service.Namespace != "shop" {
		t.Errorf("changes of %v, want of one Service in shop", changes)
	}
}

func TestNilIsNoSlice(t *testing.T) {
	ix := endpointset.NewIndex(endpointset.Options{})
	if changes := ix.Apply(ix.Parse(nil)); changes != nil || len(ix.Services()) != 0 {
		t.Errorf("nil changed %v", changes)
	}
}
