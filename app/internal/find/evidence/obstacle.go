package evidence

import "time"

// ObstacleCode names a kind of obstacle.
type ObstacleCode string

// The codes of obstacles.
const (
	// FedByMirroring: a Service without a selector has no slices but those that
	// Kubernetes mirrors from an Endpoints object.
	FedByMirroring ObstacleCode = "fed-by-mirroring"
	// MirroredBesideOthers: a Service has mirrored slices and others.
	MirroredBesideOthers ObstacleCode = "mirrored-beside-managed"
	// DNSReadsEndpoints: the DNS server is of a version that reads no slices, or
	// may not read them.
	DNSReadsEndpoints ObstacleCode = "dns-reads-endpoints"
)

// ObstacleCodes returns all codes, in the order of reports.
func ObstacleCodes() []ObstacleCode {
	return []ObstacleCode{FedByMirroring, MirroredBesideOthers, DNSReadsEndpoints}
}

// Obstacle is one thing on a cluster, not in anybody's code, that has to change
// before Endpoints can go.
type Obstacle struct {
	Code ObstacleCode `json:"code"`
	// Object is what it is about, as Kind/namespace/name; Locator where to look it
	// up.
	Object  string `json:"object"`
	Locator string `json:"locator"`
	// Message says what is so, Advice what to do, in sentences.
	Message string `json:"message"`
	Advice  string `json:"advice"`
	// Writers write the Endpoints object that is mirrored.
	Writers []ObstacleWriter `json:"writers,omitempty"`
	// Source is where it can be read that it is so: of a version, what it reads.
	Source string `json:"source,omitempty"`
}

// ObstacleWriter is somebody who writes an Endpoints object.
type ObstacleWriter struct {
	// Name is the application's, or that of the tool that applied the object.
	Name           string   `json:"name"`
	Workload       Workload `json:"workload"`
	ServiceAccount string   `json:"serviceAccount,omitempty"`
	// By is how that is known: "managedFields", "audit log" (of the namespace, since
	// a log is counted without names of objects), or "nothing names who".
	By       string     `json:"by"`
	LastSeen *time.Time `json:"lastSeen,omitempty"`
}
