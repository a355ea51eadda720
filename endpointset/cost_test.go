package endpointset_test

import (
	"fmt"
	"testing"

	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/internal/slicetest"
)

// An event costs what its slice costs, however large the Service around it: the
// same records looked at, the same allocations, a change of the same size. This
// guards the shape without a clock; the times are in docs/benchmarks.md.
func TestCostOfAnEventDoesNotGrowWithTheService(t *testing.T) {
	type cost struct {
		looked, changed int
		allocations     float64
	}
	measure := func(endpoints int) cost {
		ix := endpointset.NewIndex(endpointset.Options{})
		all := slicetest.Service("web", endpoints, 100)
		ix.Replace("", parsed(ix, all))
		ix.Service(serviceKey("web"))

		ready, unready := all[0].DeepCopy(), all[0].DeepCopy()
		ready.ResourceVersion, unready.ResourceVersion = "1000000", "1000001"
		unready.Endpoints[7].Conditions.Ready = new(false)
		before := ix.Looked()
		changes := ix.Apply(ix.Parse(unready))
		c := cost{looked: ix.Looked() - before, changed: changes[0].Len()}
		next := []*discoveryv1.EndpointSlice{ready, unready}
		turn := 0
		c.allocations = testing.AllocsPerRun(100, func() { ix.Apply(ix.Parse(next[turn%2])); turn++ })
		return c
	}
	small := measure(100)
	if small.changed != 1 {
		t.Fatalf("one endpoint's readiness changed %d backends", small.changed)
	}
	for _, endpoints := range []int{1000, 5000, 20000} {
		t.Run(fmt.Sprint(endpoints), func(t *testing.T) {
			large := measure(endpoints)
			if large.looked != small.looked || large.changed != small.changed || large.allocations > small.allocations+1 {
				t.Errorf("an event in a Service of %d costs %+v, in one of 100 %+v", endpoints, large, small)
			}
		})
	}
}

// A first list costs a few allocations a slice: none an endpoint, and none for
// changes that nobody reads. This is what makes it several times as fast as
// kube-proxy's, so it is guarded without a clock too.
func TestCostOfAFirstListIsNotInItsEndpoints(t *testing.T) {
	const services, most = 500, 9.5 // allocations a slice; it is 9
	for _, endpoints := range []int{1, 15, 100} {
		t.Run(fmt.Sprint(endpoints), func(t *testing.T) {
			var all []*discoveryv1.EndpointSlice
			for i := range services {
				all = append(all, slicetest.Service(fmt.Sprintf("service-%03d", i), endpoints, 100)...)
			}
			var changes []endpointset.Change
			allocations := testing.AllocsPerRun(5, func() {
				ix := endpointset.NewIndex(endpointset.Options{})
				changes = ix.Replace("", parsed(ix, all))
			})
			if len(changes) != services || changes[0].Len() != endpoints {
				t.Fatalf("%d Services changed, the first in %d backends", len(changes), changes[0].Len())
			}
			if perSlice := allocations / services; perSlice > most {
				t.Errorf("%.1f allocations a slice, want at most %.1f", perSlice, most)
			}
		})
	}
}
