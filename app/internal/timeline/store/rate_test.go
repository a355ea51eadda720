package store_test

import (
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/app/internal/timeline/store"
	"github.com/slicewright/slicewright/app/internal/timeline/timelinetest"
)

// namespace plays a namespace of Pods in slices of 100, of which every single
// change of a Pod is a write of its slice: the most that a controller can make
// of it, since it puts changes together.
type namespace struct {
	tb      testing.TB
	w       *store.Writer
	now     time.Time
	version int
	slices  []*discoveryv1.EndpointSlice
	pods    []timeline.Pod
	writes  int
	batch   int
}

func newNamespace(tb testing.TB, w *store.Writer, size int) *namespace {
	n := &namespace{tb: tb, w: w, now: timelinetest.Start}
	port, name := int32(8080), "http"
	for i := range size {
		if i%100 == 0 {
			n.slices = append(n.slices, &discoveryv1.EndpointSlice{
				ObjectMeta: metav1.ObjectMeta{
					Namespace: "shop", Name: fmt.Sprintf("web-%05d", i/100), UID: types.UID(fmt.Sprintf("0b5f8c9e-0000-4000-8000-%012d", i)),
					Labels: map[string]string{discoveryv1.LabelServiceName: "web", discoveryv1.LabelManagedBy: "endpointslice-controller.k8s.io"},
				},
				AddressType: discoveryv1.AddressTypeIPv4,
				Ports:       []discoveryv1.EndpointPort{{Name: &name, Port: &port}},
			})
		}
		n.pods = append(n.pods, n.newPod(i, 0))
		s := n.slices[i/100]
		s.Endpoints = append(s.Endpoints, n.endpoint(i, true, false))
	}
	for i := range n.slices {
		n.write(i)
	}
	for i := range n.pods {
		n.pod(i, timeline.Added, func(*timeline.Pod) {})
	}
	return n
}

func (n *namespace) newPod(i, generation int) timeline.Pod {
	return timeline.Pod{
		Namespace: "shop", Name: fmt.Sprintf("web-7d9f8b6c5d-%05d", i+generation*100000), UID: fmt.Sprintf("5e3b1c2a-0000-4000-8000-%04d%08d", generation, i),
		Node: fmt.Sprintf("node-%03d", i%50), IPs: fmt.Sprintf("10.%d.%d.%d", 42+generation%100, i/250, i%250+1), Phase: "Running",
		Ready: timeline.True, ReadySince: n.now.Truncate(time.Second), Grace: 30 * time.Second,
	}
}

func (n *namespace) endpoint(i int, ready, terminating bool) discoveryv1.Endpoint {
	p := n.pods[i]
	zone := fmt.Sprintf("zone-%d", i%3)
	serving := ready || terminating
	return discoveryv1.Endpoint{
		Addresses: []string{p.IPs}, NodeName: &p.Node, Zone: &zone,
		Conditions: discoveryv1.EndpointConditions{Ready: &ready, Serving: &serving, Terminating: &terminating},
		TargetRef:  &corev1.ObjectReference{Kind: "Pod", Namespace: p.Namespace, Name: p.Name, UID: types.UID(p.UID)},
	}
}

// write records a slice as it is now.
func (n *namespace) write(i int) {
	n.writes++
	n.version++
	n.now = n.now.Add(time.Millisecond)
	n.slices[i].ResourceVersion = fmt.Sprint(10_000_000 + n.version)
	n.append(timeline.Event{At: n.now, Op: timeline.Modified, Slice: n.w.State().SliceChange(n.slices[i])})
}

func (n *namespace) pod(i int, op timeline.Op, change func(*timeline.Pod)) {
	n.version++
	n.now = n.now.Add(time.Millisecond)
	change(&n.pods[i])
	n.pods[i].ResourceVersion = fmt.Sprint(10_000_000 + n.version)
	p := n.pods[i]
	n.append(timeline.Event{At: n.now, Op: op, Pod: &p})
}

// append commits after as many events as come in a batch's time at the rate
// that is asked for: 100,000 a minute are 167 in 100 ms.
func (n *namespace) append(ev timeline.Event) {
	if err := n.w.Append(n.tb.Context(), ev); err != nil {
		n.tb.Fatal(err)
	}
	if n.batch++; n.batch%167 == 0 {
		if err := n.w.Commit(n.tb.Context()); err != nil {
			n.tb.Fatal(err)
		}
	}
}

// rollout replaces every Pod: ten events of Pods and slices for each.
func (n *namespace) rollout(generation int) {
	for i := range n.pods {
		slice, at := i/100, i%100
		old := n.pods[i]
		n.pods[i].GraceEnds = n.now.Add(30 * time.Second).Truncate(time.Second)
		n.pod(i, timeline.Modified, func(*timeline.Pod) {})
		n.slices[slice].Endpoints[at] = n.endpoint(i, false, true)
		n.write(slice)
		n.pod(i, timeline.Modified, func(p *timeline.Pod) { p.Ready, p.Stopped = timeline.False, n.now.Truncate(time.Second) })
		n.pod(i, timeline.Deleted, func(*timeline.Pod) {})
		n.slices[slice].Endpoints = append(n.slices[slice].Endpoints[:at:at], n.slices[slice].Endpoints[at+1:]...)
		n.write(slice)

		n.pods[i] = n.newPod(i, generation)
		n.pods[i].Node = old.Node
		n.pod(i, timeline.Added, func(p *timeline.Pod) { p.IPs, p.Phase, p.Ready = "", "Pending", timeline.False })
		n.pod(i, timeline.Modified, func(p *timeline.Pod) { *p = n.newPod(i, generation); p.Ready = timeline.False })
		endpoints := append(n.slices[slice].Endpoints[:at:at], n.endpoint(i, false, false))
		n.slices[slice].Endpoints = append(endpoints, n.slices[slice].Endpoints[at:]...)
		n.write(slice)
		n.pod(i, timeline.Modified, func(p *timeline.Pod) { p.Ready, p.ReadySince = timeline.True, n.now.Truncate(time.Second) })
		n.slices[slice].Endpoints[at] = n.endpoint(i, true, false)
		n.write(slice)
	}
	n.now = n.now.Truncate(time.Hour).Add(time.Hour)
}

// TestADayOfRolloutsStaysSmall: two hours of a namespace of 1,000 Pods with a
// rollout an hour. Hours are alike, so that 24 of them take 24 times as much as
// the second.
func TestADayOfRolloutsStaysSmall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "day.db")
	w := create(t, path, store.Run{Source: "test"})
	n := newNamespace(t, w, 1000)
	size := func() int64 {
		if err := w.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		return sizeOf(t, path)
	}
	n.rollout(1)
	first := size()
	n.rollout(2)
	hour := size() - first
	closeWriter(t, w)
	day := first + 23*hour
	t.Logf("an hour takes %d KiB, a day %d MiB", hour>>10, day>>20)
	if day > 500<<20 {
		t.Errorf("a day takes %d MiB, allowed are 500", day>>20)
	}
}

// BenchmarkAppend is the recorder's work for one write of a slice of 100 of
// which one endpoint changed: find the difference, write it, commit in batches.
func BenchmarkAppend(b *testing.B) {
	w, err := store.Create(b.Context(), filepath.Join(b.TempDir(), "r.db"), store.Run{Source: "bench"})
	if err != nil {
		b.Fatal(err)
	}
	n := newNamespace(b, w, 1000)
	began := cpuTime()
	b.ResetTimer()
	for i := range b.N {
		pod := i % 1000
		n.slices[pod/100].Endpoints[pod%100] = n.endpoint(pod, i/1000%2 == 0, false)
		n.write(pod / 100)
	}
	b.ReportMetric(float64(b.N)/(cpuTime()-began).Minutes(), "events/cpu-min")
	b.StopTimer()
	if err := w.Close(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkDay writes 24 rollouts, and reads the findings back.
func BenchmarkDay(b *testing.B) {
	for range b.N {
		path := filepath.Join(b.TempDir(), "day.db")
		w, err := store.Create(b.Context(), path, store.Run{Source: "bench"})
		if err != nil {
			b.Fatal(err)
		}
		n := newNamespace(b, w, 1000)
		for hour := range 24 {
			n.rollout(hour + 1)
		}
		if err := w.Close(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(sizeOf(b, path))/(1<<20), "MiB")
		b.ReportMetric(float64(n.batch), "events")
		start := time.Now()
		r, err := store.Open(b.Context(), path)
		if err != nil {
			b.Fatal(err)
		}
		var builder timeline.Builder
		for ev, err := range r.Events(b.Context(), time.Time{}, time.Time{}) {
			if err != nil {
				b.Fatal(err)
			}
			builder.Add(ev)
		}
		findings := timeline.Findings(builder.Build(time.Time{}), timeline.Options{})
		b.ReportMetric(time.Since(start).Seconds(), "s-to-read")
		b.ReportMetric(float64(len(findings)), "findings")
		r.Close()
	}
}

// cpuTime is what the process has used of one core: on a machine that others use
// too, the clock on the wall says little.
func cpuTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
