package endpointset

import (
	"sort"
	"strings"

	discoveryv1 "k8s.io/api/discovery/v1"
)

// place is what endpoints share: where they run, which hints they carry and
// what kind of object is behind them.
type place struct {
	node, zone       string
	zoneHints        hints
	nodeHints        hints
	kind, targetSpot string // the target's kind and namespace
}

func placeOf(ep *discoveryv1.Endpoint) place {
	p := place{node: deref(ep.NodeName), zone: deref(ep.Zone)}
	if ref := ep.TargetRef; ref != nil {
		p.kind, p.targetSpot = ref.Kind, ref.Namespace
	}
	if h := ep.Hints; h != nil {
		p.zoneHints = zoneHints(h.ForZones)
		p.nodeHints = nodeHints(h.ForNodes)
	}
	return p
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

// hints are names, sorted, each ended by a NUL. As one string they can be
// compared, and so interned.
type hints string

func makeHints(names []string) hints {
	if len(names) == 0 {
		return ""
	}
	sort.Strings(names)
	var b strings.Builder
	for i, name := range names {
		if i > 0 && name == names[i-1] {
			continue
		}
		// No zone or node can be called so; the separator stays unambiguous.
		b.WriteString(strings.ReplaceAll(name, "\x00", "\uFFFD"))
		b.WriteByte(0)
	}
	return hints(b.String())
}

func (h hints) has(name string) bool {
	for rest := string(h); rest != ""; {
		var first string
		first, rest, _ = strings.Cut(rest, "\x00")
		if first == name {
			return true
		}
	}
	return false
}

func (h hints) names() []string {
	if h == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(h), "\x00"), "\x00")
}
