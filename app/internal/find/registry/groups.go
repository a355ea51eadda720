package registry

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// Group is a set of entries that must move in an order: a producer of Endpoints
// and the programs that may read what it writes.
type Group struct {
	// Name is the first producer's application, or the entry's own.
	Name string `json:"name"`
	// Members are keys of entries.
	Members []string `json:"members"`
	// Steps say in sentences what to do, one after the other.
	Steps []string `json:"steps"`
	// CannotMove are keys of entries for which slices are no replacement.
	CannotMove []string `json:"cannotMove,omitempty"`
}

// groups connects producers with readers through the namespaces that both use,
// and lists what cannot simply move. Readers without a producer of their own
// read what Kubernetes writes: they move alone and need no group.
func groups(entries []Entry) []Group {
	var producers, readers []*Entry
	var out []Group
	for i := range entries {
		e := &entries[i]
		switch {
		case !e.Consumer() || e.Missing || e.done() || Rank(e.Confidence) >= Rank(evidence.Broad):
		case e.Class == evidence.Lock || e.Class == evidence.StateStore:
			out = append(out, cannotMove(e))
		case e.Class == evidence.Producer:
			producers = append(producers, e)
		default:
			readers = append(readers, e)
		}
	}
	for _, set := range connected(producers) {
		g := Group{Name: set[0].Application}
		var read []*Entry
		for _, r := range readers {
			if slices.ContainsFunc(set, func(p *Entry) bool { return overlap(p, r) }) {
				read = append(read, r)
			}
		}
		for _, e := range slices.Concat(set, read) {
			g.Members = append(g.Members, e.Key)
		}
		g.Steps = steps(set, read)
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b Group) int {
		return cmp.Or(cmp.Compare(len(a.CannotMove), len(b.CannotMove)), cmp.Compare(a.Name, b.Name), cmp.Compare(strings.Join(a.Members, " "), strings.Join(b.Members, " ")))
	})
	return out
}

func cannotMove(e *Entry) Group {
	step := "Replace the lock by a coordination.k8s.io Lease: let all replicas hold both locks for one release (client-go's endpointsleases did that), then the Lease alone. An EndpointSlice cannot be a lock."
	if e.Class == evidence.StateStore {
		step = "Keep the state in a ConfigMap, a Lease or an own resource. It is in an Endpoints object only for its annotations; an EndpointSlice is no place for it."
	}
	return Group{Name: e.Application, Members: []string{e.Key}, CannotMove: []string{e.Key}, Steps: []string{step}}
}

// connected joins producers that write in the same namespaces.
func connected(producers []*Entry) [][]*Entry {
	var sets [][]*Entry
	for _, p := range producers {
		merged := []*Entry{p}
		var rest [][]*Entry
		for _, set := range sets {
			if slices.ContainsFunc(set, func(q *Entry) bool { return overlap(p, q) }) {
				merged = append(set, merged...)
			} else {
				rest = append(rest, set)
			}
		}
		sets = append(rest, merged)
	}
	return sets
}

func overlap(a, b *Entry) bool {
	if slices.Contains(a.Namespaces, "*") || slices.Contains(b.Namespaces, "*") {
		return true
	}
	return slices.ContainsFunc(a.Namespaces, func(ns string) bool { return slices.Contains(b.Namespaces, ns) })
}

// steps order the move. Kubernetes mirrors a custom Endpoints object of a
// Service without selector into slices, and nothing the other way: so readers
// can go first, and must all have gone before the producer stops.
func steps(producers, readers []*Entry) []string {
	names := func(list []*Entry) string {
		var out []string
		for _, e := range list {
			out = appendNew(out, e.Application)
		}
		return strings.Join(out, ", ")
	}
	out := []string{fmt.Sprintf("Let %s write EndpointSlices beside Endpoints, and label the Endpoints endpointslice.kubernetes.io/skip-mirror=true so that no backend is in two slices.", names(producers))}
	if len(readers) > 0 {
		out = append(out, fmt.Sprintf("Move the readers, in any order: %s.", names(readers)))
	} else {
		out = append(out, "No reader of its namespaces was found: look for readers outside of what was searched before it stops.")
	}
	return append(out, fmt.Sprintf("When nobody reads Endpoints there any more, let %s stop writing them, and delete what it wrote.", names(producers)))
}
