package bench

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/kubernetes/pkg/proxy"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/internal/slicetest"
)

// One endpoint's readiness changes in a Service of N endpoints in slices of
// 100. Ours returns the change; kube-proxy's brings its map up to date, which
// is the smallest piece of it that can be asked for.
func BenchmarkReadinessChange(b *testing.B) {
	for _, endpoints := range []int{100, 1000, 5000} {
		b.Run(fmt.Sprintf("of=slicewright/endpoints=%d", endpoints), func(b *testing.B) {
			run(b, ourReadinessChange(b, endpoints))
		})
		b.Run(fmt.Sprintf("of=kube-proxy/endpoints=%d", endpoints), func(b *testing.B) {
			run(b, theirReadinessChange(b, endpoints))
		})
	}
}

func ourReadinessChange(b *testing.B, endpoints int) func() {
	all := service("web", endpoints)
	next := flap(all[0])
	ix := endpointset.NewIndex(endpointset.Options{})
	replace(ix, all)
	return func() {
		if changes := ix.Apply(ix.Parse(next())); len(changes) != 1 || changes[0].Len() != 1 {
			b.Fatalf("one readiness changed %v", changes)
		}
	}
}

func theirReadinessChange(b *testing.B, endpoints int) func() {
	all := service("web", endpoints)
	next := flap(all[0])
	tracker, em := newKubeProxy()
	for _, es := range all {
		tracker.EndpointSliceUpdate(es, false)
	}
	em.Update(tracker)
	return func() {
		tracker.EndpointSliceUpdate(next(), false)
		if result := em.Update(tracker); len(result.UpdatedServices) != 1 {
			b.Fatalf("one readiness updated %d Services", len(result.UpdatedServices))
		}
	}
}

// flap returns what gives the slice with one endpoint not ready, ready, not
// ready, and so on.
func flap(es *discoveryv1.EndpointSlice) func() *discoveryv1.EndpointSlice {
	ready, unready := es.DeepCopy(), es.DeepCopy()
	unready.Endpoints[7].Conditions.Ready = new(false)
	events := []*discoveryv1.EndpointSlice{unready, ready}
	for i, es := range events {
		es.ResourceVersion = strconv.Itoa(1_000_000 + i)
	}
	turn := 0
	return func() *discoveryv1.EndpointSlice { turn++; return events[(turn-1)%2] }
}

// The shape of the large cluster: 150,000 endpoints in 10,000 Services.
const (
	largeServices   = 10_000
	perLargeService = 15
)

func largeCluster() []*discoveryv1.EndpointSlice {
	var all []*discoveryv1.EndpointSlice
	for i := range largeServices {
		all = append(all, service(fmt.Sprintf("service-%05d", i), perLargeService)...)
	}
	return all
}

// service returns the slices of a Service, of 100 endpoints at most, in no
// order of their addresses: so the controller writes them.
func service(name string, endpoints int) []*discoveryv1.EndpointSlice {
	all := slicetest.Service(name, endpoints, 100)
	order := rand.New(rand.NewPCG(1, 1)) // the same in every run
	for _, es := range all {
		order.Shuffle(len(es.Endpoints), func(i, j int) { es.Endpoints[i], es.Endpoints[j] = es.Endpoints[j], es.Endpoints[i] })
	}
	return all
}

func BenchmarkFirstBuild(b *testing.B) {
	all := largeCluster()
	b.Run("of=slicewright", func(b *testing.B) { run(b, func() { ourFirstBuild(all) }) })
	b.Run("of=kube-proxy", func(b *testing.B) { run(b, func() { theirFirstBuild(all) }) })
}

func ourFirstBuild(all []*discoveryv1.EndpointSlice) {
	replace(endpointset.NewIndex(endpointset.Options{}), all)
}

// replace hands the index a full list.
func replace(ix *endpointset.Index, all []*discoveryv1.EndpointSlice) {
	parsed := make([]*endpointset.Slice, 0, len(all))
	for _, es := range all {
		parsed = append(parsed, ix.Parse(es))
	}
	ix.Replace("", parsed)
}

func theirFirstBuild(all []*discoveryv1.EndpointSlice) {
	tracker, em := newKubeProxy()
	for _, es := range all {
		tracker.EndpointSliceUpdate(es, false)
	}
	em.Update(tracker)
}

func run(b *testing.B, work func()) {
	b.ReportAllocs()
	for b.Loop() {
		work()
	}
}

// The same, as how many times faster ours is, in turns: what disturbs the
// machine disturbs both. The last compares a large Service of ours with a small
// one; about 1 says that the cost does not grow with the Service.
func BenchmarkRatio(b *testing.B) {
	all := largeCluster()
	b.Run("FirstBuild", func(b *testing.B) {
		inTurns(b, "x", 2, func() { theirFirstBuild(all) }, func() { ourFirstBuild(all) })
	})
	b.Run("ReadinessChange/endpoints=5000", func(b *testing.B) {
		inTurns(b, "x", 20, theirReadinessChange(b, 5000), ourReadinessChange(b, 5000))
	})
	b.Run("ReadinessChange/of=slicewright/endpoints=5000to100", func(b *testing.B) {
		inTurns(b, "x", 2000, ourReadinessChange(b, 5000), ourReadinessChange(b, 100))
	})
}

// inTurns reports the median of how much longer a takes than b. Each has a
// number of goes at a time, so that it pays for its own garbage.
func inTurns(b *testing.B, unit string, goes int, slow, fast func()) {
	took := func(work func()) float64 {
		began := time.Now()
		for range goes {
			work()
		}
		return float64(time.Since(began))
	}
	var ratios []float64
	for b.Loop() {
		ratios = append(ratios, took(slow)/took(fast))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], unit)
	b.ReportMetric(0, "ns/op") // of the two together: it has no meaning
}

// What one endpoint costs in live heap, with all that keeps it: the index and
// the informer's own store for ours, the decoded objects and both maps for
// kube-proxy. The time of this benchmark has no meaning.
func BenchmarkLiveHeap(b *testing.B) {
	for _, shape := range []struct {
		name                string
		services, endpoints int
	}{{"services=10000", largeServices, perLargeService}, {"services=150", 150, 1000}} {
		b.Run("of=slicewright/"+shape.name, func(b *testing.B) {
			for b.Loop() {
				reportHeap(b, shape.services*shape.endpoints, func() any {
					ix := endpointset.NewIndex(endpointset.Options{})
					store := map[string]any{} // as the informer's store
					for i := range shape.services {
						for _, es := range service(fmt.Sprintf("service-%05d", i), shape.endpoints) {
							s := ix.Parse(es)
							store[es.Namespace+"/"+es.Name] = s
							ix.Apply(s)
						}
					}
					return []any{ix, store}
				})
			}
		})
		b.Run("of=kube-proxy/"+shape.name, func(b *testing.B) {
			for b.Loop() {
				reportHeap(b, shape.services*shape.endpoints, func() any {
					tracker, em := newKubeProxy()
					store := map[string]any{}
					for i := range shape.services {
						for _, es := range service(fmt.Sprintf("service-%05d", i), shape.endpoints) {
							store[es.Namespace+"/"+es.Name] = es
							tracker.EndpointSliceUpdate(es, false)
						}
					}
					em.Update(tracker)
					return []any{tracker, em, store}
				})
			}
		})
	}
}

func reportHeap(b *testing.B, endpoints int, build func() any) {
	before := liveHeap()
	kept := build()
	after := liveHeap()
	b.ReportMetric(float64(after-before)/float64(endpoints), "B/endpoint")
	runtime.KeepAlive(kept)
}

func liveHeap() int64 {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func newKubeProxy() (*proxy.EndpointsChangeTracker, proxy.EndpointsMap) {
	return proxy.NewEndpointsChangeTracker(corev1.IPv4Protocol, "node-00.example.internal", nil, nil), make(proxy.EndpointsMap)
}
