package endpointset

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unique"

	"github.com/slicewright/slicewright/internal/text"
)

// Set is all that was in the slices of one Service at one moment. It is
// immutable and may be shared. The zero value is the Set of no Service.
//
// A Set holds its slices as they came; each call works the backends out anew,
// at a cost in proportion to the Service, and keeps nothing.
type Set struct {
	service ServiceKey
	slices  []*Slice // sorted by name
}

func newSet(key ServiceKey, svc *service) *Set {
	set := &Set{service: key, slices: make([]*Slice, 0, svc.members())}
	for _, u := range svc.unions {
		if u == nil {
			continue
		}
		for _, m := range u.members {
			set.slices = append(set.slices, m.slice)
		}
	}
	slices.SortFunc(set.slices, func(a, b *Slice) int { return cmp.Compare(a.key.Name, b.key.Name) })
	return set
}

// Service returns whose set it is.
func (s *Set) Service() ServiceKey { return s.service }

// Slices returns the Service's slices, sorted by name. A Service that has none
// does not exist, or has never been seen by a producer of slices.
func (s *Set) Slices() []*Slice { return slices.Clone(s.slices) }

// Backends returns all known backends in the order of S8, believed or not,
// whatever their conditions.
func (s *Set) Backends() []Backend {
	return backends(join(s.slices))
}

// arrival returns the change from an empty set to this one.
func (s *Set) arrival() Change {
	c := Change{Service: s.service}
	for _, sl := range s.slices {
		if at := sl.TriggerTime(); at.After(c.Trigger) {
			c.Trigger = at
		}
	}
	if len(s.slices) == 1 {
		if sl := s.slices[0]; len(sl.records) > 0 && len(sl.ports) > 0 {
			c.arrived = sl
		}
		return c
	}
	c.added = join(s.slices)
	return c
}

// Ports returns the ports of the slices that have a usable endpoint, sorted by
// name, protocol and number, each once. Where slices disagree about a port's
// AppProtocol, that of the first slice by name is given.
func (s *Set) Ports() []Port {
	var handles []unique.Handle[Port]
	for _, sl := range s.slices {
		if len(sl.records) > 0 {
			handles = append(handles, sl.ports...)
		}
	}
	slices.SortStableFunc(handles, comparePorts)
	handles = slices.CompactFunc(handles, func(a, b unique.Handle[Port]) bool { return comparePorts(a, b) == 0 })
	ports := make([]Port, len(handles))
	for i, h := range handles {
		ports[i] = h.Value()
	}
	return ports
}

// join joins slices of one Service from scratch, in the order of S8. What the
// Index reports event by event is the difference between two of these.
func join(all []*Slice) []entry {
	total := 0
	for _, sl := range all {
		total += len(sl.records)
	}
	candidates := make([]candidate, 0, total)
	for _, sl := range all {
		for rest := sl.records; len(rest) > 0; {
			group := groupAt(rest, 0, rest[0].addr)
			candidates = appendCandidates(candidates, sl, group)
			rest = rest[len(group):]
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return a.record.addr.compare(b.record.addr) })

	entries := make([]entry, 0, total)
	for rest := candidates; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].record.addr == rest[0].record.addr {
			n++
		}
		entries = appendSpeakers(entries, rest[:n])
		rest = rest[n:]
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return a.compare(&b) })
	return entries
}

// diagnostics gathers what was strange about the Service, in a stable order.
func (s *Set) diagnostics(entries []entry) []Diagnostic {
	var found []Diagnostic
	for _, sl := range s.slices {
		found = append(found, sl.found...)
	}
	found = append(found, s.duplicates(entries)...)
	found = append(found, readyWithoutServing(entries)...)
	found = append(found, s.mirroredBesideManaged()...)
	slices.SortStableFunc(found, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Slice, b.Slice))
	})
	return found
}

// duplicates reports each combination of slices that carry the same backends.
func (s *Set) duplicates(entries []entry) []Diagnostic {
	type pair struct{ slice, rivals string }
	var order []pair
	counts := map[pair]*tally{}
	for i := range entries {
		e := &entries[i]
		if !e.contested {
			continue
		}
		p := pair{e.slice.key.Name, strings.Join(s.rivals(e), ", ")}
		if counts[p] == nil {
			counts[p] = &tally{}
			order = append(order, p)
		}
		counts[p].addf("%s", e.id().AddrPort())
	}
	found := make([]Diagnostic, 0, len(order))
	for _, p := range order {
		found = append(found, Diagnostic{Code: CodeDuplicate, Slice: p.slice, Message: fmt.Sprintf(
			"%s is in this slice, which speaks for it, and in %s", counts[p].text(), cut(p.rivals))})
	}
	return found
}

// rivals names the slices of the records that carry a backend and do not speak
// for it: the same slice again if it lists the address repeatedly.
func (s *Set) rivals(e *entry) []string {
	var names []string
	for _, sl := range s.slices {
		has := func(port unique.Handle[Port]) bool { return comparePorts(port, e.port) == 0 }
		if sl.family != e.slice.family || !slices.ContainsFunc(sl.ports, has) {
			continue
		}
		group := sl.group(e.record.addr)
		for i := range group {
			if &group[i] != e.record {
				names = append(names, sl.key.Name)
			}
		}
	}
	return names
}

func readyWithoutServing(entries []entry) []Diagnostic {
	var order []*Slice
	counts := map[*Slice]*tally{}
	for i := range entries {
		e := &entries[i]
		if e.refused() || !e.record.flags.has(flagReady) || e.record.flags.has(flagServing) {
			continue
		}
		if counts[e.slice] == nil {
			counts[e.slice] = &tally{}
			order = append(order, e.slice)
		}
		counts[e.slice].addf("%s", e.id().AddrPort())
	}
	found := make([]Diagnostic, 0, len(order))
	for _, sl := range order {
		found = append(found, Diagnostic{Code: CodeReadyWithoutServing, Slice: sl.key.Name, Message: fmt.Sprintf(
			"%s: ready but not serving, as under publishNotReadyAddresses; ready says nothing about health there, policy %q does",
			counts[sl].text(), PolicyServing)})
	}
	return found
}

// The managers that Kubernetes itself has.
const (
	managerController = "endpointslice-controller.k8s.io"
	managerMirroring  = "endpointslicemirroring-controller.k8s.io"
)

func (s *Set) mirroredBesideManaged() []Diagnostic {
	byManager := map[string][]string{}
	for _, sl := range s.slices {
		byManager[sl.Manager()] = append(byManager[sl.Manager()], sl.key.Name)
	}
	managed, mirrored := byManager[managerController], byManager[managerMirroring]
	if len(managed) == 0 || len(mirrored) == 0 {
		return nil
	}
	return []Diagnostic{{Code: CodeMirroredBesideManaged, Message: fmt.Sprintf(
		"the controller manages %s, and mirroring copies Endpoints that somebody else writes into %s: both count",
		cut(strings.Join(managed, ", ")), cut(strings.Join(mirrored, ", ")))}}
}

// cut shortens a list of names for a sentence.
func cut(names string) string { return text.Clip(names, 200) }
