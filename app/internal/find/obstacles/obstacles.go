package obstacles

import (
	"cmp"
	"slices"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/objects"
	"github.com/slicewright/slicewright/app/internal/find/rbac"
)

// Find returns the obstacles of a snapshot, sorted by code and object, and for a
// DNS server findings as of any other consumer. grants is the analysis of the
// same snapshot.
func Find(s *objects.Snapshot, grants *rbac.Analysis) ([]evidence.Obstacle, []evidence.Finding) {
	list := services(s, grants)
	dns, findings := nameServers(s, grants)
	list = append(list, dns...)
	slices.SortStableFunc(list, func(a, b evidence.Obstacle) int {
		return cmp.Or(cmp.Compare(slices.Index(evidence.ObstacleCodes(), a.Code), slices.Index(evidence.ObstacleCodes(), b.Code)), cmp.Compare(a.Object, b.Object))
	})
	return list, findings
}
