package endpointset

import (
	"unique"

	discoveryv1 "k8s.io/api/discovery/v1"
)

// A placer interns places. Interning costs a hash of all its strings, and the
// endpoints of one slice have few places, so the last ones stay at hand.
type placer struct {
	recent [8]struct {
		place  place
		handle unique.Handle[place]
	}
	used, next int
}

func (p *placer) handle(ep *discoveryv1.Endpoint) unique.Handle[place] {
	pl := place{node: deref(ep.NodeName), zone: deref(ep.Zone)}
	if ref := ep.TargetRef; ref != nil {
		pl.kind, pl.targetSpot = ref.Kind, ref.Namespace
	}
	if h := ep.Hints; h != nil {
		pl.zoneHints = zoneHints(h.ForZones)
		pl.nodeHints = nodeHints(h.ForNodes)
	}
	for i := range p.used {
		if p.recent[i].place == pl {
			return p.recent[i].handle
		}
	}
	handle := unique.Make(pl)
	p.recent[p.next].place, p.recent[p.next].handle = pl, handle
	p.used = max(p.used, p.next+1)
	p.next = (p.next + 1) % len(p.recent)
	return handle
}

func zoneHints(zones []discoveryv1.ForZone) hints {
	names := make([]string, len(zones))
	for i := range zones {
		names[i] = zones[i].Name
	}
	return makeHints(names)
}

func nodeHints(nodes []discoveryv1.ForNode) hints {
	names := make([]string, len(nodes))
	for i := range nodes {
		names[i] = nodes[i].Name
	}
	return makeHints(names)
}
