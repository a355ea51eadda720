// Package find is the registry that slicewright find writes: who still reads or
// writes Endpoints, with the evidence, an owner and a status. It is for programs
// that read the file or -o json, such as a dashboard or a check in CI.
//
//	r, err := find.Load("registry.yaml")
//	for _, e := range r.Entries {
//		if e.Consumer() && e.Status == find.Unmigrated {
//			fmt.Println(e.Owner, e.Application, e.Confidence)
//		}
//	}
//
// The fields are those of docs/schemas/consumerregistry.schema.json, under the same
// names. A value that is read may be used by any number of goroutines as long as
// nobody changes it.
package find

import (
	"github.com/slicewright/slicewright/app/internal/find/apimetrics"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/registry"
	"github.com/slicewright/slicewright/app/internal/find/registry/registryfile"
)

// The document and its parts.
type (
	// Registry is the whole document.
	Registry = registry.Registry
	// Entry is one consumer of Endpoints.
	Entry = registry.Entry
	// Group is a set of entries that must move in an order.
	Group = registry.Group
	// RolePatch is what a Role lacks for EndpointSlices.
	RolePatch = registry.RolePatch
	// Evidence is one thing that can be looked up and checked.
	Evidence = evidence.Evidence
	// Workload is the object that owns the Pods of a consumer.
	Workload = evidence.Workload
	// Image is a container image and the digest that really runs.
	Image = evidence.Image
	// Obstacle is one thing on a cluster, not in anybody's code, that has to change
	// before Endpoints can go.
	Obstacle = evidence.Obstacle
	// ObstacleWriter is somebody who writes an Endpoints object.
	ObstacleWriter = evidence.ObstacleWriter
	// CrossCheck compares the API server's own counts with the audit log.
	CrossCheck = apimetrics.CrossCheck
	// Coverage says what one source read and what it could not.
	Coverage = evidence.Coverage
	// Problem is one thing that was not read, or not fully.
	Problem = evidence.Problem
)

// The vocabulary of the document.
type (
	// Source names where a piece of evidence was found.
	Source = evidence.Source
	// Class says what a consumer is.
	Class = evidence.Class
	// Confidence says how sure an entry is. It follows from the kind of evidence.
	Confidence = evidence.Confidence
	// Status says how far a consumer has come.
	Status = evidence.Status
	// Scope sets code apart that is not a consumer of its own.
	Scope = evidence.Scope
	// ObstacleCode names a kind of obstacle.
	ObstacleCode = evidence.ObstacleCode
)

// The classes.
const (
	Reader             = evidence.Reader
	Producer           = evidence.Producer
	Lock               = evidence.Lock
	StateStore         = evidence.StateStore
	APIServerDiscovery = evidence.APIServerDiscovery
	Walker             = evidence.Walker
	Tooling            = evidence.Tooling
	Expected           = evidence.Expected
)

// The confidences, strongest first.
const (
	Proven   = evidence.Proven
	Strong   = evidence.Strong
	Likely   = evidence.Likely
	Possible = evidence.Possible
	Broad    = evidence.Broad
)

// The statuses.
const (
	Unmigrated   = evidence.Unmigrated
	Dual         = evidence.Dual
	Acknowledged = evidence.Acknowledged
	Migrated     = evidence.Migrated
	Verified     = evidence.Verified
)

// Parse reads a registry from YAML or JSON. Unknown fields, another kind and
// another apiVersion are errors.
func Parse(text []byte) (*Registry, error) { return registry.Parse(text) }

// Load reads a registry file. The error of a missing file wraps [io/fs.ErrNotExist].
func Load(name string) (*Registry, error) { return registryfile.Load(name) }
