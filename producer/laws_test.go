package producer

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	discovery "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"github.com/slicewright/slicewright/endpointset"
)

// choices are the ports that one endpoint can have at a time: one set, two sets
// in two subsets, or none.
var choices = [][][]endpointset.Port{
	{{http}},
	{{http, https}},
	{{https}},
	{{http}, {https}},
	{{{Name: "http", Protocol: "TCP", Number: 9090}}},
	{{{Name: "http", Protocol: "TCP", Number: 8080, AppProtocol: "h2c"}}},
	{{{Name: "dns", Protocol: "TCP", Number: 53}}, {{Name: "dns", Protocol: "UDP", Number: 53}}},
	{{}},
}

func genDesired(t *rapid.T, limit int) Desired {
	d := want(limit)
	// A few kinds of ports at a time, so that slices get full.
	kinds := rapid.SliceOfN(rapid.IntRange(0, len(choices)-1), 1, 3).Draw(t, "kinds")
	byKind := map[int][]Endpoint{}
	for i := range 14 {
		if rapid.IntRange(0, 3).Draw(t, "absent") == 0 {
			continue
		}
		e := Endpoint{Addr: netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}), State: State(rapid.IntRange(0, 3).Draw(t, "state") / 3 * 2)}
		if i >= 11 {
			e.Addr = netip.MustParseAddr(fmt.Sprintf("2001:db8::%x", i))
		}
		if rapid.IntRange(0, 9).Draw(t, "named") == 0 {
			e.Hostname = rapid.SampledFrom([]string{"a", "b"}).Draw(t, "hostname")
		}
		kind := rapid.SampledFrom(kinds).Draw(t, "kind")
		byKind[kind] = append(byKind[kind], e)
	}
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		for _, ports := range choices[kind] {
			d.Subsets = append(d.Subsets, on(ports, byKind[kind]...))
		}
	}
	return d
}

// genSlice is a slice that anyone could have left behind.
func genSlice(t *rapid.T, name string) *discovery.EndpointSlice {
	s := &discovery.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{Namespace: prices.Namespace, Name: name, Labels: map[string]string{
			discovery.LabelServiceName: rapid.SampledFrom([]string{prices.Name, prices.Name, prices.Name, "other"}).Draw(t, "service"),
			discovery.LabelManagedBy:   rapid.SampledFrom([]string{me, me, me, "endpointslice-controller.k8s.io"}).Draw(t, "managed by"),
		}},
		AddressType: rapid.SampledFrom([]discovery.AddressType{"IPv4", "IPv4", "IPv4", "IPv6", "FQDN"}).Draw(t, "type"),
		Ports:       renderPorts(rapid.SampledFrom(rapid.SampledFrom(choices).Draw(t, "choice")).Draw(t, "ports")),
	}
	for range rapid.IntRange(0, 5).Draw(t, "endpoints") {
		e := discovery.Endpoint{Addresses: []string{fmt.Sprintf("10.0.0.%d", rapid.IntRange(0, 15).Draw(t, "address"))}}
		if s.AddressType == discovery.AddressTypeIPv6 {
			e.Addresses[0] = fmt.Sprintf("2001:db8::%x", rapid.IntRange(10, 14).Draw(t, "address"))
		}
		switch rapid.IntRange(0, 9).Draw(t, "odd") {
		case 0:
			e.Addresses = nil
		case 1:
			e.Addresses = append(e.Addresses, "10.9.9.9")
		case 2:
			e.Addresses[0] = "x"
		case 3:
			e.Hostname = ptr.To("a")
		}
		s.Endpoints = append(s.Endpoints, e)
	}
	return s
}

// check carries a plan out write by write and holds it to what doc.go promises.
func check(t *rapid.T, w *world, d Desired) Plan {
	existing := w.list()
	copies := map[string]*discovery.EndpointSlice{}
	for _, s := range existing {
		copies[s.Name] = s.DeepCopy()
	}
	plan, err := d.Plan(existing)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := d.Plan(w.list()); again.String() != plan.String() {
		t.Fatalf("the same question got two answers:\n%s\n%s", plan, again)
	}
	for _, s := range existing {
		if diff := cmp.Diff(copies[s.Name], s); diff != "" {
			t.Fatalf("slice %s that was read is changed:\n%s", s.Name, diff)
		}
	}

	before := w.seen(me)
	staying := map[sight]bool{}
	for _, subset := range d.Subsets {
		for _, e := range subset.Endpoints {
			for _, v := range sights(e.Addr, subset.Ports) {
				if before[v] {
					staying[v] = true
				}
			}
		}
	}
	written := map[string]int{}
	for i, write := range plan.Writes {
		if old := copies[write.Slice.Name]; old != nil {
			if old.Labels[discovery.LabelManagedBy] != me || old.Labels[discovery.LabelServiceName] != prices.Name {
				t.Fatalf("write %d is of another's slice:\n%s", i, plan)
			}
			if written[write.Slice.Name]++; written[write.Slice.Name] > 1 {
				t.Fatalf("slice %s is written twice:\n%s", write.Slice.Name, plan)
			}
			if write.Verb == Update && cmp.Equal(old.Endpoints, write.Slice.Endpoints) && cmp.Equal(old.Ports, write.Slice.Ports) && cmp.Equal(old.Labels, write.Slice.Labels) {
				t.Fatalf("slice %s is written and does not change:\n%s", write.Slice.Name, plan)
			}
		}
		if n := len(write.Slice.Endpoints); write.Verb != Delete && n > max(d.maxEndpoints(), len(copiesOf(copies, write.Slice.Name))) {
			t.Fatalf("write %d puts %d endpoints into a slice:\n%s", i, n, plan)
		}
		if err := w.apply(write); err != nil {
			t.Fatalf("write %d: %v:\n%s", i, err, plan)
		}
		now := w.seen(me)
		for v := range staying {
			if !now[v] {
				t.Fatalf("%v was there and shall be, and is missing after write %d of\n%s", v, i, plan)
			}
		}
	}
	if diff := cmp.Diff(d.says(), w.said(me)); diff != "" {
		t.Fatalf("after the plan (-desired +published):\n%s\n%s", diff, plan)
	}
	if second, _ := d.Plan(w.list()); !second.Empty() {
		t.Fatalf("the second plan is not empty:\n%s\nafter\n%s", second, plan)
	}
	return plan
}

func copiesOf(copies map[string]*discovery.EndpointSlice, name string) []discovery.Endpoint {
	if s := copies[name]; s != nil {
		return s.Endpoints
	}
	return nil
}

func TestPlanKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld()
		for i := range rapid.IntRange(0, 5).Draw(t, "slices") {
			w.put(genSlice(t, fmt.Sprintf("left-%d", i)))
		}
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			check(t, w, genDesired(t, rapid.IntRange(1, 6).Draw(t, "max")))
		}
	})
}

// An interrupted plan is taken up by the next one, whatever the next one wants.
func TestPlanGoesOnWhereAnotherStopped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld()
		limit := rapid.IntRange(1, 6).Draw(t, "max")
		check(t, w, genDesired(t, limit))
		plan, err := genDesired(t, limit).Plan(w.list())
		if err != nil {
			t.Fatal(err)
		}
		for _, write := range plan.Writes[:rapid.IntRange(0, plan.Len()).Draw(t, "stop")] {
			if err := w.apply(write); err != nil {
				t.Fatal(err)
			}
		}
		check(t, w, genDesired(t, limit))
	})
}

// With one set of ports nothing moves, and the fewest writes are known: every
// slice that holds something wrong, and the slices that are missing for what is
// new after those have been filled up.
func TestPlanIsMinimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 6).Draw(t, "max")
		gen := func() Desired {
			d := want(limit, on([]endpointset.Port{http}))
			for _, e := range ips(0, 40) {
				if rapid.IntRange(0, 2).Draw(t, "absent") > 0 {
					e.State = State(rapid.IntRange(0, 9).Draw(t, "state") / 9)
					d.Subsets[0].Endpoints = append(d.Subsets[0].Endpoints, e)
				}
			}
			return d
		}
		w := newWorld()
		check(t, w, gen())
		d := gen()
		least := fewestWrites(w, d, limit)
		if plan := check(t, w, d); plan.Len() != least {
			t.Fatalf("%d writes, %d would do:\n%s", plan.Len(), least, plan)
		}
	})
}

// fewestWrites counts by itself, for slices that all have the one set of ports.
func fewestWrites(w *world, d Desired, limit int) int {
	missing := map[string]State{}
	for _, e := range d.Subsets[0].Endpoints {
		missing[e.Addr.String()] = e.State
	}
	wrong, room := 0, 0
	for _, s := range w.slices {
		kept, right := 0, true
		for _, e := range s.Endpoints {
			state, ok := missing[e.Addresses[0]]
			if ok {
				delete(missing, e.Addresses[0])
				kept++
			}
			right = right && ok && *e.Conditions.Ready == (state == Ready)
		}
		if !right {
			wrong++
			room += max(0, limit-kept)
		}
	}
	over := max(0, len(missing)-room)
	return wrong + (over+limit-1)/limit
}
