package writers

import (
	"slices"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/objects"
)

// store is a way to keep state in Endpoints.
type store struct {
	detector, excerpt, advice string
	confidence                evidence.Confidence
}

var (
	patroni = store{
		"object/patroni", "annotations as Patroni keeps its state in them",
		"Patroni keeps its state in ConfigMaps when use_endpoints is off: plan that as a change of its own, with the database down or in maintenance.",
		evidence.Likely,
	}
	annotationsOnly = store{
		"object/annotations-only", "annotations, and nobody has ever written an address",
		"Keep the state in a ConfigMap or a Lease; an EndpointSlice is no store.",
		evidence.Likely,
	}
)

// isPatroni knows Patroni by the annotations of the objects that it keeps: the
// leader's, -config and -sync of one cluster.
func isPatroni(e *objects.Endpoints) bool {
	all := func(keys ...string) bool {
		return !slices.ContainsFunc(keys, func(key string) bool {
			_, found := slices.BinarySearch(e.AnnotationKeys, key)
			return !found
		})
	}
	return all("leader", "ttl", "renewTime") || all("config", "initialize") ||
		strings.HasSuffix(e.Name, "-config") && all("initialize") ||
		strings.HasSuffix(e.Name, "-sync") && all("leader", "sync_standby")
}

// stateStore records an object that holds state.
func (f *finder) stateStore(e *objects.Endpoints, s store) {
	finding := &evidence.Finding{
		Subject: evidence.Subject{Application: e.Name}, Class: evidence.StateStore, Confidence: s.confidence,
		Verbs: map[string]int{"update": 1}, Advice: s.advice,
		Evidence: []evidence.Evidence{objectEvidence(e, s.detector, s.excerpt+": "+strings.Join(firstKeys(e), ", "))},
		Notes:    []string{"It cannot simply move: what is kept here is state, not addresses."},
	}
	names := []string{e.Name, strings.TrimSuffix(strings.TrimSuffix(e.Name, "-config"), "-sync")}
	for _, m := range e.Managers {
		if m.Annotations && !isTool(m.Name) {
			finding.Confidence = evidence.Proven
			finding.Subject.UserAgent = m.Name
			names = append(names, m.Name)
			break
		}
	}
	f.join(finding, e, names...)
	f.add(finding, e)
}

func firstKeys(e *objects.Endpoints) []string {
	return e.AnnotationKeys[:min(len(e.AnnotationKeys), 6)]
}
