package endpointset

import (
	"fmt"
	"unique"
)

// Topology says by what nearness is judged (S11).
type Topology string

// The topologies.
const (
	// TopologyAny takes every backend, wherever it is. It is the default.
	TopologyAny Topology = ""
	// TopologyHints follows the hints that the producer put into the slices.
	TopologyHints Topology = "hints"
	// TopologyZone compares the endpoint's own zone with the consumer's.
	TopologyZone Topology = "zone"
	// TopologyNode compares the endpoint's own node with the consumer's.
	TopologyNode Topology = "node"
)

// Mode says what happens when nothing is near.
type Mode string

// The modes.
const (
	// ModePrefer takes all when none is near. It is the default.
	ModePrefer Mode = "prefer"
	// ModeRequire takes none when none is near.
	ModeRequire Mode = "require"
)

// Location is where a consumer is and how it prefers near backends. The zero
// value is no place, and takes every backend.
type Location struct {
	Zone, Node string
	Topology   Topology
	Mode       Mode
}

// Validate says what is wrong with the location.
func (l Location) Validate() error {
	switch l.Topology {
	case TopologyAny:
	case TopologyHints:
		if l.Zone == "" && l.Node == "" {
			return fmt.Errorf("topology %q needs to know where the consumer is: give a zone, a node or both", l.Topology)
		}
	case TopologyZone:
		if l.Zone == "" {
			return fmt.Errorf("topology %q needs to know where the consumer is: give its zone", l.Topology)
		}
	case TopologyNode:
		if l.Node == "" {
			return fmt.Errorf("topology %q needs to know where the consumer is: give its node", l.Topology)
		}
	default:
		return fmt.Errorf("unknown topology %q: use %s, %s or %s", l.Topology, TopologyHints, TopologyZone, TopologyNode)
	}
	switch l.Mode {
	case "", ModePrefer, ModeRequire:
		return nil
	}
	return fmt.Errorf("unknown topology mode %q: use %s or %s", l.Mode, ModePrefer, ModeRequire)
}

// near returns which of a group's admitted entries the consumer may use; nil
// means all of them.
func (l Location) near(admitted []*entry) func(*entry) bool {
	var by func(*place) bool
	switch l.Topology {
	case TopologyHints:
		by = l.byHints(admitted)
		if by == nil {
			return nil
		}
	case TopologyZone:
		by = func(p *place) bool { return l.Zone != "" && p.zone == l.Zone }
	case TopologyNode:
		by = func(p *place) bool { return l.Node != "" && p.node == l.Node }
	default:
		return nil
	}
	// Endpoints share few places, and asking each once is enough.
	verdicts := map[unique.Handle[place]]bool{}
	any := false
	for _, e := range admitted {
		if _, asked := verdicts[e.record.place]; !asked {
			p := e.record.place.Value()
			verdicts[e.record.place] = by(&p)
		}
		any = any || verdicts[e.record.place]
	}
	if !any && l.Mode != ModeRequire {
		return nil
	}
	return func(e *entry) bool { return verdicts[e.record.place] }
}

// byHints returns whose hints name the consumer. Node hints come first, then
// zone hints, and either counts only if every admitted endpoint has some: a
// single missing one means that the producer's picture is not complete, and
// then hints say nothing, whatever the mode. nil means that they say nothing.
func (l Location) byHints(admitted []*entry) func(*place) bool {
	nodes := hinting{want: l.Node, all: true}
	zones := hinting{want: l.Zone, all: true}
	for _, e := range admitted {
		p := e.record.place.Value()
		nodes.see(p.nodeHints)
		zones.see(p.zoneHints)
	}
	switch {
	case nodes.all && nodes.named:
		return func(p *place) bool { return p.nodeHints.has(l.Node) }
	case zones.all && l.Zone != "":
		return func(p *place) bool { return p.zoneHints.has(l.Zone) }
	}
	return nil
}

// hinting is what is known about one kind of hint over a group.
type hinting struct {
	want  string
	all   bool // every endpoint seen has a hint of the kind
	named bool // one of them names want
}

func (h *hinting) see(names hints) {
	h.all = h.all && names != ""
	h.named = h.named || h.want != "" && names.has(h.want)
}
