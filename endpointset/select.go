package endpointset

import "iter"

// Reason says why a backend is not active.
type Reason string

// The reasons.
const (
	ReasonNotReady           Reason = "not-ready"
	ReasonNotServing         Reason = "not-serving"
	ReasonTerminating        Reason = "terminating"
	ReasonOutsideTopology    Reason = "outside-topology"
	ReasonAddressNotAllowed  Reason = "address-not-allowed"
	ReasonManagerNotAccepted Reason = "manager-not-accepted"
)

// Selection is the answer to a [Query]: the backends that the query is about,
// split by its policy. Each backend is in exactly one of the three lists, and
// all lists are in the order of S8.
type Selection struct {
	Service ServiceKey
	// Query is what was asked, with the default policy filled in.
	Query Query
	// Active get new connections.
	Active []Backend
	// Draining get no new connections and keep the open ones: they terminate (S12).
	Draining []Backend
	// Excluded get no connections, for a reason.
	Excluded []Exclusion
	// Fallback is set when, for at least one port and family, Active holds
	// terminating backends because there was nothing else (S10).
	Fallback bool
	// Diagnostics say what was strange about the Service. They are about all its
	// ports and families, whatever the query.
	Diagnostics []Diagnostic
}

// Exclusion is a backend that is in the slices and gets no connections.
type Exclusion struct {
	Backend
	Reason Reason
}

// Select answers a query.
//
// Fallback and topology are decided for one port and family at a time, over all
// slices of the Service together. A query for one port therefore gives exactly
// the part of a query for all ports that is about that port.
func (s *Set) Select(q Query) Selection {
	if q.Policy == "" {
		q.Policy = PolicyReady
	}
	entries := join(s.slices)
	sel := Selection{Service: s.service, Query: q, Diagnostics: s.diagnostics(entries)}
	for rest := entries; len(rest) > 0; {
		n := 1
		for n < len(rest) && sameGroupOfPort(&rest[0], &rest[n]) {
			n++
		}
		if q.Matches(rest[0].id()) {
			sel.addGroup(rest[:n])
		}
		rest = rest[n:]
	}
	return sel
}

// Len counts the backends of the selection, of all three lists.
func (sel *Selection) Len() int { return len(sel.Active) + len(sel.Draining) + len(sel.Excluded) }

// All walks all backends of the selection with what became of them, in the order
// of S8.
func (sel *Selection) All() iter.Seq2[Backend, State] {
	return func(yield func(Backend, State) bool) {
		active, draining, excluded := sel.Active, sel.Draining, sel.Excluded
		for {
			var next *Backend
			var state State
			offer := func(b *Backend, s State) {
				if next == nil || b.ID.Compare(next.ID) < 0 {
					next, state = b, s
				}
			}
			if len(active) > 0 {
				offer(&active[0], StateActive)
			}
			if len(draining) > 0 {
				offer(&draining[0], StateDraining)
			}
			if len(excluded) > 0 {
				offer(&excluded[0].Backend, StateExcluded)
			}
			switch {
			case next == nil:
				return
			case state == StateActive:
				active = active[1:]
			case state == StateDraining:
				draining = draining[1:]
			default:
				excluded = excluded[1:]
			}
			if !yield(*next, state) {
				return
			}
		}
	}
}

// sameGroupOfPort reports whether two entries are of one port name, protocol
// and family. Their numbers may differ.
func sameGroupOfPort(a, b *entry) bool {
	if a.slice.family != b.slice.family {
		return false
	}
	if a.port == b.port {
		return true
	}
	p, q := a.port.Value(), b.port.Value()
	return p.Name == q.Name && p.Protocol == q.Protocol
}

// addGroup decides over the backends of one port and family.
func (sel *Selection) addGroup(group []entry) {
	policy := sel.Query.Policy
	admitted := make([]*entry, 0, len(group))
	for i := range group {
		if e := &group[i]; !e.refused() && policy.admits(e.record.flags) {
			admitted = append(admitted, e)
		}
	}
	fallback := len(admitted) == 0 && policy.fallsBack()
	near := sel.Query.Location.near(admitted)

	for i := range group {
		e := &group[i]
		f := e.record.flags
		switch {
		case e.refused():
			sel.exclude(e, e.refusal())
		case policy.admits(f) && (near == nil || near(e)):
			sel.Active = append(sel.Active, e.backend())
		case fallback && f.has(flagServing) && f.has(flagTerminating):
			sel.Active = append(sel.Active, e.backend())
			sel.Fallback = true
		case f.has(flagTerminating):
			sel.Draining = append(sel.Draining, e.backend())
		case policy.admits(f):
			sel.exclude(e, ReasonOutsideTopology)
		default:
			sel.exclude(e, policy.missing())
		}
	}
}

func (sel *Selection) exclude(e *entry, reason Reason) {
	sel.Excluded = append(sel.Excluded, Exclusion{e.backend(), reason})
}

// fellBack reports whether an active backend is so only for want of others.
func (b *Backend) fellBack(p Policy) bool {
	return p.fallsBack() && !p.admits(b.Conditions.flags())
}
