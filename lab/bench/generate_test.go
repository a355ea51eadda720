package bench

import (
	"fmt"
	"math/rand/v2"
	"slices"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/slicewright/slicewright/endpointset"
)

// A generator makes Services small enough that slices meet: the same address in
// two of them, one number under two names. It is plain random and no shrinking
// library, for a hundred thousand must fit into an ordinary test.
type generator struct {
	*rand.Rand
	service string
	made    int
	version int
	hinting hinting
	// facts are what the Service's slices agree on about an address.
	facts map[string]discoveryv1.Endpoint
}

// hinting is what of the hints the endpoints of a Service have.
type hinting struct{ zones, nodes, gaps bool }

func newGenerator(seed uint64) *generator {
	return &generator{Rand: rand.New(rand.NewPCG(seed, 0))}
}

func (g *generator) nextService() {
	g.made++
	g.service = fmt.Sprintf("service-%d", g.made)
	g.facts = map[string]discoveryv1.Endpoint{}
	g.hinting = hinting{}
	if g.IntN(4) > 0 {
		g.hinting = hinting{zones: g.IntN(4) > 0, nodes: g.IntN(2) == 0, gaps: g.IntN(4) == 0}
	}
}

func pick[T any](g *generator, from ...T) T { return from[g.IntN(len(from))] }

// location is that of a consumer, or of kube-proxy: always on a node, mostly in
// a zone, sometimes in one that no hint names.
func (g *generator) location() endpointset.Location {
	return endpointset.Location{
		Topology: endpointset.TopologyHints,
		Node:     pick(g, "n1", "n1", "n2", "elsewhere"),
		Zone:     pick(g, "a", "a", "b", "elsewhere", ""),
	}
}

// slices returns up to four slices of the Service.
func (g *generator) slices() []*discoveryv1.EndpointSlice {
	var all []*discoveryv1.EndpointSlice
	for i := range 1 + g.IntN(4) {
		all = append(all, g.slice(fmt.Sprintf("%s-%d", g.service, i)))
	}
	return all
}

// laterSlices returns the later slices of half of the Services: one is
// deleted, one is written again, one is added.
func (g *generator) laterSlices(first []*discoveryv1.EndpointSlice) []*discoveryv1.EndpointSlice {
	last := slices.Clone(first)
	if g.IntN(2) == 0 {
		return last
	}
	if g.IntN(3) == 0 {
		last = slices.Delete(last, 0, 1)
	}
	if len(last) > 0 && g.IntN(2) == 0 {
		i := g.IntN(len(last))
		family := last[i].AddressType // immutable
		last[i] = g.slice(last[i].Name)
		for last[i].AddressType != family {
			last[i] = g.slice(last[i].Name)
		}
	}
	if g.IntN(3) == 0 {
		last = append(last, g.slice(g.service+"-new"))
	}
	return last
}

func (g *generator) slice(name string) *discoveryv1.EndpointSlice {
	g.version++
	es := &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "t", Name: name, ResourceVersion: fmt.Sprint(g.version),
			Labels: map[string]string{discoveryv1.LabelServiceName: g.service},
		},
		AddressType: pick(g, discoveryv1.AddressTypeIPv4, discoveryv1.AddressTypeIPv4, discoveryv1.AddressTypeIPv6),
	}
	for range pick(g, 0, 1, 1, 1, 2, 3) {
		es.Ports = append(es.Ports, discoveryv1.EndpointPort{
			// The API server fills in a name and a protocol that are missing;
			// kube-proxy relies on that, and ignores a port without a name.
			Name:     new(pick(g, "http", "http", "http", "admin", "")),
			Protocol: new(pick(g, corev1.ProtocolTCP, corev1.ProtocolTCP, corev1.ProtocolTCP, corev1.ProtocolUDP)),
			Port:     pick(g, nil, new(int32(0)), new(int32(80)), new(int32(80)), new(int32(80)), new(int32(8080)), new(int32(8080))),
		})
	}
	for range g.IntN(6) {
		es.Endpoints = append(es.Endpoints, g.endpoint(es.AddressType))
	}
	return es
}

func (g *generator) endpoint(family discoveryv1.AddressType) discoveryv1.Endpoint {
	// Enough that most meet no other, few enough that many do. No address that
	// we never believe: kube-proxy leaves those to the API server.
	address := fmt.Sprintf("10.0.0.%d", 1+g.IntN(12))
	if family == discoveryv1.AddressTypeIPv6 {
		address = fmt.Sprintf("2001:db8::%x", 1+g.IntN(12))
	}
	e, known := g.facts[address]
	if known && g.IntN(100) > 0 {
		return e
	}
	e = discoveryv1.Endpoint{
		Addresses:  []string{address},
		Conditions: discoveryv1.EndpointConditions{Ready: g.condition(), Serving: g.condition(), Terminating: g.condition()},
		NodeName:   pick(g, nil, new("n1"), new("n2")),
		Zone:       pick(g, nil, new("a"), new("b")),
		Hints:      g.hints(),
	}
	switch g.IntN(40) {
	case 0:
		e.Addresses = nil
	case 1:
		e.Addresses = append(e.Addresses, "10.9.9.9") // has no meaning (S3)
	}
	g.facts[address] = e
	return e
}

func (g *generator) condition() *bool { return pick(g, nil, new(true), new(false)) }

func (g *generator) hints() *discoveryv1.EndpointHints {
	h := g.hinting
	if !h.zones && !h.nodes || h.gaps && g.IntN(4) == 0 {
		return pick(g, nil, &discoveryv1.EndpointHints{})
	}
	hints := &discoveryv1.EndpointHints{}
	if h.zones {
		for _, zone := range pick(g, []string{"a"}, []string{"b"}, []string{"b", "a"}, []string{"c"}) {
			hints.ForZones = append(hints.ForZones, discoveryv1.ForZone{Name: zone})
		}
	}
	if h.nodes && !(h.gaps && g.IntN(4) == 0) {
		for _, node := range pick(g, []string{"n1"}, []string{"n2"}, []string{"n2", "n1"}) {
			hints.ForNodes = append(hints.ForNodes, discoveryv1.ForNode{Name: node})
		}
	}
	return hints
}
