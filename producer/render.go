package producer

import (
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	"k8s.io/endpointslice/trafficdist"
	"k8s.io/utils/ptr"

	"github.com/slicewright/slicewright/endpointset"
)

// render returns the endpoint as the API has it. All three conditions are set:
// there are consumers that take an absent one for false (S4 says true).
func (e Endpoint) render() discovery.Endpoint {
	c := e.State.conditions()
	rendered := discovery.Endpoint{
		Addresses: []string{e.Addr.Unmap().String()},
		Conditions: discovery.EndpointConditions{
			Ready:       ptr.To(c.Ready),
			Serving:     ptr.To(c.Serving),
			Terminating: ptr.To(c.Terminating),
		},
		Hostname: optional(e.Hostname),
		NodeName: optional(e.Node),
		Zone:     optional(e.Zone),
	}
	if e.Target != nil {
		target := *e.Target
		// It changes with every write to the target and says nothing here.
		target.ResourceVersion = ""
		rendered.TargetRef = &target
	}
	return rendered
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// addHints sets the hints that the endpointslice controller would give these
// endpoints, by its own code. It decides for each endpoint by itself, so it
// does not matter which slice they end up in.
func addHints(distribution string, endpoints []discovery.Endpoint) {
	slice := &discovery.EndpointSlice{Endpoints: endpoints}
	trafficdist.ReconcileHints(&distribution, []*discovery.EndpointSlice{slice}, nil, nil)
}

// keyOf is the key of an existing record, ok unless it has no usable address.
func keyOf(e *discovery.Endpoint, family endpointset.Family) (key recordKey, ok bool) {
	if len(e.Addresses) == 0 {
		return recordKey{}, false
	}
	addr, err := netip.ParseAddr(e.Addresses[0])
	if err != nil || addr.Zone() != "" || addr.Is4In6() || endpointset.FamilyOf(addr) != family {
		return recordKey{}, false
	}
	key = recordKey{addr: addr, hostname: ptr.Deref(e.Hostname, "")}
	if t := e.TargetRef; t != nil {
		key.kind, key.namespace, key.nameOfIt = t.Kind, t.Namespace, t.Name
	}
	return key, true
}

// sameEndpoint compares by meaning (S4, S18), so that a slice written by hand
// or by an older version is not rewritten for its spelling.
func sameEndpoint(a, b *discovery.Endpoint) bool {
	return slices.Equal(a.Addresses, b.Addresses) &&
		endpointset.ConditionsOf(a.Conditions) == endpointset.ConditionsOf(b.Conditions) &&
		ptr.Deref(a.Hostname, "") == ptr.Deref(b.Hostname, "") &&
		ptr.Deref(a.NodeName, "") == ptr.Deref(b.NodeName, "") &&
		ptr.Deref(a.Zone, "") == ptr.Deref(b.Zone, "") &&
		sameTarget(a.TargetRef, b.TargetRef) &&
		sameHints(a.Hints, b.Hints)
}

func sameTarget(a, b *corev1.ObjectReference) bool {
	if a == nil || b == nil {
		return a == b
	}
	x, y := *a, *b
	x.ResourceVersion, y.ResourceVersion = "", ""
	return x == y
}

func sameHints(a, b *discovery.EndpointHints) bool {
	var none discovery.EndpointHints
	x, y := ptr.Deref(a, none), ptr.Deref(b, none)
	return slices.Equal(x.ForZones, y.ForZones) && slices.Equal(x.ForNodes, y.ForNodes)
}
