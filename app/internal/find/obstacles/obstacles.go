package obstacles

import (
	"cmp"
	"slices"
	"time"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/objects"
	"github.com/slicewright/slicewright/app/internal/find/rbac"
)

// Code names a kind of obstacle.
type Code string

// The codes.
const (
	// FedByMirroring: a Service without a selector has no slices but those that
	// Kubernetes mirrors from an Endpoints object.
	FedByMirroring Code = "fed-by-mirroring"
	// MirroredBesideOthers: a Service has mirrored slices and others.
	MirroredBesideOthers Code = "mirrored-beside-managed"
	// DNSReadsEndpoints: the DNS server is of a version that reads no slices, or
	// may not read them.
	DNSReadsEndpoints Code = "dns-reads-endpoints"
)

// Codes are all that there are.
func Codes() []Code { return []Code{FedByMirroring, MirroredBesideOthers, DNSReadsEndpoints} }

// Obstacle is one thing in the way.
type Obstacle struct {
	Code Code `json:"code"`
	// Object is what it is about, as Kind/namespace/name; Locator where to look it
	// up.
	Object  string `json:"object"`
	Locator string `json:"locator"`
	// Message says what is so, Advice what to do, in sentences.
	Message string `json:"message"`
	Advice  string `json:"advice"`
	// Writers are those who write the Endpoints object that is mirrored.
	Writers []Writer `json:"writers,omitempty"`
	// Source is where it can be read that it is so: of a version, what it reads.
	Source string `json:"source,omitempty"`
}

// Writer is somebody who writes an Endpoints object.
type Writer struct {
	// Name is the application's, or that of the tool that applied the object.
	Name           string            `json:"name"`
	Workload       evidence.Workload `json:"workload"`
	ServiceAccount string            `json:"serviceAccount,omitempty"`
	// By is how that is known: "managedFields", "audit log" (of the namespace, since
	// a log is counted without names of objects), or "nothing names who".
	By       string     `json:"by"`
	LastSeen *time.Time `json:"lastSeen,omitempty"`
}

// Find returns the obstacles of a snapshot, sorted by code and object, and for a
// DNS server findings as of any other consumer. grants is the analysis of the
// same snapshot.
func Find(s *objects.Snapshot, grants *rbac.Analysis) ([]Obstacle, []evidence.Finding) {
	list := services(s, grants)
	dns, findings := nameServers(s, grants)
	list = append(list, dns...)
	slices.SortStableFunc(list, func(a, b Obstacle) int {
		return cmp.Or(cmp.Compare(slices.Index(Codes(), a.Code), slices.Index(Codes(), b.Code)), cmp.Compare(a.Object, b.Object))
	})
	return list, findings
}
