package live

//lint:file-ignore SA1019 the deprecated API is what is compared

import (
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/slicewright/slicewright/app/internal/shadow"
	"github.com/slicewright/slicewright/endpointset"
)

// objects are all that is known, in the order in which a comparison asks for it.
// It is not safe for concurrent use.
type objects struct {
	endpoints table[*corev1.Endpoints]          // by their own name
	slices    table[*discoveryv1.EndpointSlice] // by their Service (S1)
	services  table[*corev1.Service]            // by their own name
	pods      table[podRecord]                  // by namespace
	nodes     table[struct{}]                   // all together

	// byAddress and nodeNames are what comparisons ask for, made when first
	// asked for and thrown away when a Pod or Node changes.
	byAddress map[string]map[netip.Addr]shadow.Pod
	nodeNames map[string]bool
}

// podRecord is what is kept of a Pod.
type podRecord struct {
	shadow.Pod
	addrs []netip.Addr
}

// put takes in an object and returns the Services whose sources it changed.
func (o *objects) put(object any) []endpointset.ServiceKey {
	switch object := object.(type) {
	case *corev1.Endpoints:
		own := types.NamespacedName{Namespace: object.Namespace, Name: object.Name}
		return keys(o.endpoints.put(own, own, object))
	case *discoveryv1.EndpointSlice:
		own := types.NamespacedName{Namespace: object.Namespace, Name: object.Name}
		service := types.NamespacedName{Namespace: object.Namespace, Name: object.Labels[discoveryv1.LabelServiceName]}
		return keys(o.slices.put(own, service, object))
	case *corev1.Service:
		own := types.NamespacedName{Namespace: object.Namespace, Name: object.Name}
		o.services.put(own, own, object)
	case *corev1.Pod:
		own := types.NamespacedName{Namespace: object.Namespace, Name: object.Name}
		o.pods.put(own, types.NamespacedName{Namespace: object.Namespace}, recordPod(object))
		delete(o.byAddress, object.Namespace)
	case *corev1.Node:
		o.nodes.put(types.NamespacedName{Name: object.Name}, types.NamespacedName{}, struct{}{})
		o.nodeNames = nil
	}
	return nil
}

// remove takes an object out by its kind and name; of what is given only those
// count (S17).
func (o *objects) remove(kind any, own types.NamespacedName) []endpointset.ServiceKey {
	switch kind.(type) {
	case *corev1.Endpoints:
		return keys(o.endpoints.remove(own))
	case *discoveryv1.EndpointSlice:
		return keys(o.slices.remove(own))
	case *corev1.Service:
		o.services.remove(own)
	case *corev1.Pod:
		o.pods.remove(own)
		delete(o.byAddress, own.Namespace)
	case *corev1.Node:
		o.nodes.remove(own)
		o.nodeNames = nil
	}
	return nil
}

// keys drops the Service of slices that have none.
func keys(names []types.NamespacedName) []endpointset.ServiceKey {
	var all []endpointset.ServiceKey
	for _, n := range names {
		if n.Name != "" {
			all = append(all, endpointset.ServiceKey(n))
		}
	}
	return all
}

// recordPod keeps no address of a Pod that has ended: another may have it by now.
func recordPod(p *corev1.Pod) podRecord {
	r := podRecord{Pod: shadow.Pod{Name: p.Name, Node: p.Spec.NodeName}}
	if p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed {
		return r
	}
	for _, ip := range p.Status.PodIPs {
		if addr, err := netip.ParseAddr(ip.IP); err == nil {
			r.addrs = append(r.addrs, addr.Unmap())
		}
	}
	return r
}

// has reports whether there is anything to compare.
func (o *objects) has(key endpointset.ServiceKey) bool {
	name := types.NamespacedName(key)
	return len(o.endpoints.of(name)) > 0 || len(o.slices.of(name)) > 0
}

// looked says which kinds of object were read completely; the others are nil in
// an input.
type looked struct{ services, pods, nodes bool }

// input is what is compared of a Service.
func (o *objects) input(key endpointset.ServiceKey, seen looked) shadow.Input {
	name := types.NamespacedName(key)
	in := shadow.Input{Service: key}
	for _, e := range o.endpoints.of(name) {
		in.Endpoints = e // there is one of a name
	}
	for _, s := range o.slices.of(name) {
		in.Slices = append(in.Slices, s)
	}
	if seen.services {
		for _, s := range o.services.of(name) {
			in.Object = s
		}
		in.Gone = in.Object == nil
	}
	if seen.pods {
		in.Pods = o.podsOf(key.Namespace)
	}
	if seen.nodes {
		in.Nodes = o.allNodes()
	}
	return in
}

// podsOf returns the Pods of a namespace by address. Pods on their host's network
// share one: the first by name speaks for it, whatever order they came in.
func (o *objects) podsOf(namespace string) map[netip.Addr]shadow.Pod {
	if pods := o.byAddress[namespace]; pods != nil {
		return pods
	}
	pods := map[netip.Addr]shadow.Pod{}
	for _, p := range o.pods.of(types.NamespacedName{Namespace: namespace}) {
		for _, addr := range p.addrs {
			if was, taken := pods[addr]; !taken || p.Name < was.Name {
				pods[addr] = p.Pod
			}
		}
	}
	if o.byAddress == nil {
		o.byAddress = map[string]map[netip.Addr]shadow.Pod{}
	}
	o.byAddress[namespace] = pods
	return pods
}

func (o *objects) allNodes() map[string]bool {
	if o.nodeNames == nil {
		o.nodeNames = map[string]bool{}
		for name := range o.nodes.of(types.NamespacedName{}) {
			o.nodeNames[name] = true
		}
	}
	return o.nodeNames
}

// known returns every Service that has Endpoints or slices, in order.
func (o *objects) known() []endpointset.ServiceKey {
	seen := map[endpointset.ServiceKey]bool{}
	for group := range o.endpoints.groups {
		seen[endpointset.ServiceKey(group)] = true
	}
	for group := range o.slices.groups {
		seen[endpointset.ServiceKey(group)] = true
	}
	var all []endpointset.ServiceKey
	for key := range seen {
		if key.Name != "" {
			all = append(all, key)
		}
	}
	slices.SortFunc(all, compareKeys)
	return all
}
