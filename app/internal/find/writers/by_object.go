package writers

import (
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/objects"
	"github.com/slicewright/slicewright/app/internal/find/rbac"
)

// ByObject answers for single objects what Find answers for all.
type ByObject struct{ f *finder }

// NewByObject prepares the answers for a snapshot; grants is its analysis.
func NewByObject(s *objects.Snapshot, grants *rbac.Analysis) *ByObject {
	return &ByObject{newFinder(s, grants)}
}

// Of returns who writes one of the snapshot's objects, nobody if it was left
// over by the endpoints controller.
func (b *ByObject) Of(e *objects.Endpoints) []evidence.Finding {
	b.f.order, b.f.byController, b.f.leftovers, b.f.blind = nil, nil, nil, 0
	clear(b.f.byProgram)
	b.f.judge(e)
	findings, _ := b.f.results(1)
	return findings
}
