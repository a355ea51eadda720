package endpointset

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

// Selection is a Set split by a policy. No backend is in two of its lists, and
// each is in one; all are in the order of S8.
type Selection struct {
	Service ServiceKey
	Policy  Policy
	// Active get new connections.
	Active []Backend
	// Draining get none and keep those they have: they terminate (S12).
	Draining []Backend
	// Excluded get none, for a reason.
	Excluded []Exclusion
	// Fallback is set when, for at least one port and family, Active holds
	// terminating backends because there was nothing else (S10).
	Fallback bool
	// Diagnostics say what was strange.
	Diagnostics []Diagnostic
}

// Exclusion is a backend that is in the slices and gets nothing.
type Exclusion struct {
	Backend
	Reason Reason
}

// Select chooses among all backends of the set. The zero Policy is [PolicyReady], the
// zero Location takes every place.
//
// Fallback and topology are decided for one port and family at a time, over all
// slices of the Service together.
func (s *Set) Select(policy Policy, at Location) Selection {
	if policy == "" {
		policy = PolicyReady
	}
	entries := join(s.slices)
	sel := Selection{Service: s.service, Policy: policy, Diagnostics: s.diagnostics(entries)}
	for rest := entries; len(rest) > 0; {
		n := 1
		for n < len(rest) && sameGroupOfPort(&rest[0], &rest[n]) {
			n++
		}
		sel.addGroup(rest[:n], at)
		rest = rest[n:]
	}
	return sel
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
func (sel *Selection) addGroup(group []entry, at Location) {
	admitted := make([]*entry, 0, len(group))
	for i := range group {
		if e := &group[i]; !e.refused() && sel.Policy.admits(e.record.flags) {
			admitted = append(admitted, e)
		}
	}
	fallback := len(admitted) == 0 && sel.Policy.fallsBack()
	near := at.near(admitted)

	for i := range group {
		e := &group[i]
		f := e.record.flags
		switch {
		case e.refused():
			sel.exclude(e, e.refusal())
		case sel.Policy.admits(f) && (near == nil || near(e)):
			sel.Active = append(sel.Active, e.backend())
		case fallback && f.has(flagServing) && f.has(flagTerminating):
			sel.Active = append(sel.Active, e.backend())
			sel.Fallback = true
		case f.has(flagTerminating):
			sel.Draining = append(sel.Draining, e.backend())
		case sel.Policy.admits(f):
			sel.exclude(e, ReasonOutsideTopology)
		default:
			sel.exclude(e, sel.Policy.missing())
		}
	}
}

func (sel *Selection) exclude(e *entry, reason Reason) {
	sel.Excluded = append(sel.Excluded, Exclusion{e.backend(), reason})
}

// Port returns the part of the selection that is about one port name and
// protocol. Diagnostics stay whole: they are about the Service.
func (sel Selection) Port(name, protocol string) Selection {
	is := func(id ID) bool { return id.PortName == name && id.Protocol == protocol }
	part := Selection{Service: sel.Service, Policy: sel.Policy, Diagnostics: sel.Diagnostics}
	for _, b := range sel.Active {
		if is(b.ID) {
			part.Active = append(part.Active, b)
			part.Fallback = part.Fallback || sel.Fallback && b.fellBack(sel.Policy)
		}
	}
	for _, b := range sel.Draining {
		if is(b.ID) {
			part.Draining = append(part.Draining, b)
		}
	}
	for _, x := range sel.Excluded {
		if is(x.ID) {
			part.Excluded = append(part.Excluded, x)
		}
	}
	return part
}

// fellBack reports whether an active backend is so only for want of others.
func (b *Backend) fellBack(p Policy) bool {
	return p.fallsBack() && !p.admits(b.Conditions.flags())
}

func (c Conditions) flags() flags {
	var f flags
	if c.Ready {
		f |= flagReady
	}
	if c.Serving {
		f |= flagServing
	}
	if c.Terminating {
		f |= flagTerminating
	}
	return f
}
