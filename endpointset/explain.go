package endpointset

import (
	"fmt"
	"slices"
)

// State says what became of a backend in a selection.
type State string

// The states.
const (
	StateActive   State = "active"
	StateDraining State = "draining"
	StateExcluded State = "excluded"
)

// Verdict says what became of one backend, by which rule, and why.
type Verdict struct {
	Backend
	State State
	// Reason is "" for an active backend.
	Reason Reason
	// Rule is the rule of docs/semantics.md that decided, such as "S9".
	Rule string
	// Because is the explanation, as the part of a sentence.
	Because string
}

// Explain gives a verdict for every backend of the selection, in the order of
// S8.
func (sel *Selection) Explain() []Verdict {
	verdicts := make([]Verdict, 0, sel.Len())
	for _, b := range sel.Active {
		verdicts = append(verdicts, sel.explainActive(b))
	}
	for _, b := range sel.Draining {
		verdicts = append(verdicts, Verdict{b, StateDraining, ReasonTerminating, "S12", fmt.Sprintf(
			"terminating%s: it keeps its open connections and gets no new ones", whileServing(b.Conditions))})
	}
	for _, x := range sel.Excluded {
		rule, because := sel.explainExclusion(x)
		verdicts = append(verdicts, Verdict{x.Backend, StateExcluded, x.Reason, rule, because})
	}
	slices.SortFunc(verdicts, func(a, b Verdict) int { return a.ID.Compare(b.ID) })
	return verdicts
}

func (sel *Selection) explainActive(b Backend) Verdict {
	v := Verdict{Backend: b, State: StateActive, Rule: "S9"}
	switch {
	case b.fellBack(sel.Query.Policy):
		v.Rule = "S10"
		v.Because = fmt.Sprintf("terminating but still serving, and port %q has no other %s backend", b.PortName, b.Family())
	case sel.Query.Policy == PolicyPublished:
		v.Because = "every published address counts"
	case sel.Query.Policy == PolicyNotTerminating:
		v.Because = "not terminating"
	case sel.Query.Policy == PolicyServing:
		v.Because = "serving and not terminating"
	case b.Terminating:
		v.Because = "ready although terminating, as under publishNotReadyAddresses"
	default:
		v.Because = "ready and not terminating"
	}
	return v
}

func (sel *Selection) explainExclusion(x Exclusion) (rule, because string) {
	at := sel.Query.Location
	switch x.Reason {
	case ReasonNotReady:
		if x.Serving {
			return "S9", "not ready (serving alone is not enough)"
		}
		return "S9", "not ready"
	case ReasonNotServing:
		return "S9", "not serving"
	case ReasonOutsideTopology:
		switch at.Topology {
		case TopologyHints:
			return "S11", fmt.Sprintf("its hints name zones %q and nodes %q, not zone %q or node %q", x.ForZones, x.ForNodes, at.Zone, at.Node)
		case TopologyNode:
			return "S11", fmt.Sprintf("it runs on node %q, not on %q", x.Node, at.Node)
		}
		return "S11", fmt.Sprintf("it runs in zone %q, not in %q", x.Zone, at.Zone)
	case ReasonAddressNotAllowed:
		return "accept", "its address is outside the accepted networks or families, or can never be a backend (loopback, link-local, multicast, broadcast, unspecified)"
	case ReasonManagerNotAccepted:
		return "accept", fmt.Sprintf("the managed-by label of slice %q is not accepted", x.Slice)
	}
	return "", ""
}

func whileServing(c Conditions) string {
	if c.Serving {
		return " but still serving"
	}
	return ""
}
