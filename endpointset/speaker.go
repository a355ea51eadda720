package endpointset

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unique"

	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// A candidate is a record that could speak for a backend (S6). Several slices,
// and one slice more than once, may carry the same address.
type candidate struct {
	slice  *Slice
	record *record
	// order is the record's place among those of its slice with this address.
	order int32
}

// An entry is a backend and the record that speaks for it.
type entry struct {
	port unique.Handle[Port]
	candidate
	// contested: other records carry the backend too (S6).
	contested bool
}

// appendCandidates adds the records of one slice that share an address.
func appendCandidates(dst []candidate, s *Slice, group []record) []candidate {
	for i := range group {
		dst = append(dst, candidate{s, &group[i], int32(i)})
	}
	return dst
}

// appendSpeakers adds, for one address, the backends that the candidates
// carry: one for each port, sorted by port. It reorders candidates.
func appendSpeakers(dst []entry, candidates []candidate) []entry {
	switch {
	case len(candidates) == 0:
		return dst
	case len(candidates) == 1:
		// Nearly always.
		for _, port := range candidates[0].slice.ports {
			dst = append(dst, entry{port: port, candidate: candidates[0]})
		}
		return dst
	case samePorts(candidates):
		winner := speaking(candidates)
		for _, port := range winner.slice.ports {
			dst = append(dst, entry{port, winner, true})
		}
		return dst
	}

	// Slices that give one address different ports: who speaks is decided
	// port by port, among those that have it.
	var carried []entry
	for _, c := range candidates {
		for _, port := range c.slice.ports {
			carried = append(carried, entry{port: port, candidate: c})
		}
	}
	slices.SortStableFunc(carried, func(a, b entry) int { return comparePorts(a.port, b.port) })
	var same []candidate
	for len(carried) > 0 {
		same = same[:0]
		n := 0
		for n < len(carried) && comparePorts(carried[n].port, carried[0].port) == 0 {
			same = append(same, carried[n].candidate)
			n++
		}
		winner := speaking(same)
		port := carried[slices.IndexFunc(carried[:n], func(e entry) bool { return e.candidate == winner })].port
		dst = append(dst, entry{port, winner, len(same) > 1})
		carried = carried[n:]
	}
	return dst
}

func samePorts(candidates []candidate) bool {
	first := candidates[0].slice
	for _, c := range candidates[1:] {
		if c.slice != first && !slices.Equal(c.slice.ports, first.ports) {
			return false
		}
	}
	return true
}

// A claim is a record's claim to speak for an address: all that decides it.
type claim struct {
	index      int // in the list that is decided over
	refused    bool
	uid        [16]byte // the target's UID if it is a UUID
	textUID    string   // the target's UID if it is not
	conditions Conditions
	version    string // of the slice, "" unless well formed
	trigger    int64  // of the slice, 0 when absent
	slice      string
	order      int
}

// claim returns the candidate's claim; index is its place among the candidates.
func (c candidate) claim(index int) claim {
	claim := claim{
		index: index, refused: c.refused(), conditions: c.record.flags.conditions(),
		version: c.slice.version, trigger: c.slice.trigger, slice: c.slice.key.Name, order: int(c.order),
	}
	if c.record.flags.has(flagTextUID) {
		claim.textUID = c.slice.targetUID(c.record)
	} else {
		claim.uid = c.record.uid
	}
	return claim
}

// speaking returns the candidate that speaks for a backend.
func speaking(candidates []candidate) candidate {
	if len(candidates) == 1 {
		return candidates[0]
	}
	claims := make([]claim, 0, 8) // enough for most, and not on the heap
	for i, c := range candidates {
		claims = append(claims, c.claim(i))
	}
	return candidates[speaker(claims)]
}

// speaker returns the index of the claim that holds. Comparing pairs alone would
// depend on their order, so there are two steps (S6): first the newest record of
// each target, then the best of those. A record that is not believed speaks only
// when no other does. It reorders the claims.
func speaker(claims []claim) int {
	// The claims of one target together, the newest first.
	slices.SortFunc(claims, func(a, b claim) int {
		return cmp.Or(compareBelief(&a, &b), compareTarget(&a, &b), compareNewest(&a, &b))
	})
	best := &claims[0]
	for i := range claims[1:] {
		last, c := &claims[i], &claims[i+1]
		if compareBelief(c, best) != 0 {
			break
		}
		if compareTarget(c, last) == 0 {
			continue // its target has spoken
		}
		if cmp.Or(compareHealth(c, best), compareNewest(c, best)) < 0 {
			best = c
		}
	}
	return best.index
}

func (c candidate) refused() bool { return c.slice.refused || c.record.flags.has(flagRefused) }

func compareBelief(a, b *claim) int { return compareBool(b.refused, a.refused) }

// compareTarget orders by UID, in an order without a meaning.
func compareTarget(a, b *claim) int {
	return cmp.Or(strings.Compare(a.textUID, b.textUID), bytes.Compare(a.uid[:], b.uid[:]))
}

// compareNewest puts the newer record first. It is 0 only for one and the same
// record, since the slices of a Service are in one namespace and so differ in
// name.
func compareNewest(a, b *claim) int {
	return cmp.Or(
		compareVersions(b.version, a.version),
		cmp.Compare(b.trigger, a.trigger),
		strings.Compare(a.slice, b.slice),
		cmp.Compare(a.order, b.order),
	)
}

// compareVersions compares as numbers; a missing version counts as the oldest.
func compareVersions(a, b string) int {
	if a == "" || b == "" {
		return cmp.Compare(len(a), len(b))
	}
	order, err := resourceversion.CompareResourceVersion(a, b)
	if err != nil {
		return 0 // cannot be: wellFormed lets no other version in
	}
	return order
}

// compareHealth puts first what is not terminating, then what is ready, then
// what is serving.
func compareHealth(a, b *claim) int {
	return cmp.Or(
		compareBool(b.conditions.Terminating, a.conditions.Terminating),
		compareBool(a.conditions.Ready, b.conditions.Ready),
		compareBool(a.conditions.Serving, b.conditions.Serving),
	)
}

// compareBool puts true first.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// compare orders entries by their identity (S8), without spelling it out.
func (e *entry) compare(other *entry) int {
	family := cmp.Compare(e.slice.family, other.slice.family)
	if e.port == other.port {
		return cmp.Or(family, e.record.addr.compare(other.record.addr))
	}
	p, q := e.port.Value(), other.port.Value()
	return cmp.Or(
		strings.Compare(p.Name, q.Name),
		strings.Compare(p.Protocol, q.Protocol),
		family,
		e.record.addr.compare(other.record.addr),
		cmp.Compare(p.Number, q.Number),
	)
}

// id returns the identity of the backend (S5).
func (e *entry) id() ID {
	port := e.port.Value()
	return ID{PortName: port.Name, Protocol: port.Protocol, Addr: e.record.addr.netip(), Number: port.Number}
}

// backend spells the entry out.
func (e *entry) backend() Backend {
	port, place, f := e.port.Value(), e.record.place.Value(), e.record.flags
	return Backend{
		ID:          e.id(),
		Conditions:  f.conditions(),
		AppProtocol: port.AppProtocol,
		Zone:        place.zone,
		Node:        place.node,
		ForZones:    place.zoneHints.names(),
		ForNodes:    place.nodeHints.names(),
		Target: Target{
			Kind:      place.kind,
			Namespace: place.targetSpot,
			Name:      e.slice.targetName(e.record),
			UID:       e.slice.targetUID(e.record),
		},
		Slice:   e.slice.key.Name,
		Refused: e.refusal(),
	}
}

func (e *entry) refusal() Reason {
	switch {
	case e.slice.refused:
		return ReasonManagerNotAccepted
	case e.record.flags.has(flagRefused):
		return ReasonAddressNotAllowed
	}
	return ""
}

// same reports whether two entries give equal backends.
func (e *entry) same(other *entry) bool {
	return e.port == other.port && e.slice.key.Name == other.slice.key.Name && e.slice.refused == other.slice.refused &&
		sameMeaning(e.slice, e.record, other.slice, other.record)
}

// backends spells entries out.
func backends(entries []entry) []Backend {
	if len(entries) == 0 {
		return nil
	}
	spelled := make([]Backend, len(entries))
	for i := range entries {
		spelled[i] = entries[i].backend()
	}
	return spelled
}
