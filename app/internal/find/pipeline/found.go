package pipeline

import (
	"github.com/slicewright/slicewright/app/internal/find/apimetrics"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/objects"
)

// Found is the first stage: what was read, in the order in which a report lists
// it. The zero value is that nothing was read.
type Found struct {
	Trees   []Tree
	Objects []Objects
	Logs    []Log
	// Metrics are nil if no API server was asked for its counts.
	Metrics *Metrics
}

// Reading is what one source says, and what it did not see.
type Reading struct {
	Findings []evidence.Finding
	Coverage evidence.Coverage
}

// Tree is a directory of source.
type Tree struct {
	// Name is the directory's own name, after which a program is called that has no
	// better name.
	Name string
	// OwnerOf returns the owner of a file, given by a locator in the tree, and "" if
	// nobody is known. Nil knows nobody.
	OwnerOf func(locator string) string
	// Readings has one element for each scanner that read the tree.
	Readings []Reading
}

// Objects are those of one cluster or one set of manifests.
type Objects struct {
	// Snapshot is nil if nothing could be read.
	Snapshot *objects.Snapshot
	Coverage evidence.Coverage
}

// Log is an audit log, or the result of a query to one.
type Log struct {
	Reading
	// Totals explain the metrics of the same API servers. Nil for a query's result,
	// which has no watches that are open.
	Totals *apimetrics.Explained
}

// Metrics are the counts of API servers.
type Metrics struct {
	Counts apimetrics.Counts
	// Unread says which pages could not be read, and why.
	Unread []evidence.Problem
}
