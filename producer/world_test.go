package producer

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	discovery "k8s.io/api/discovery/v1"

	"github.com/slicewright/slicewright/endpointset"
)

// world is an API server that holds the slices of one namespace and carries
// writes out one at a time.
type world struct {
	slices  map[string]*discovery.EndpointSlice
	version int
}

func newWorld(existing ...*discovery.EndpointSlice) *world {
	w := &world{slices: map[string]*discovery.EndpointSlice{}}
	for _, s := range existing {
		w.put(s)
	}
	return w
}

func (w *world) put(s *discovery.EndpointSlice) {
	w.version++
	s = s.DeepCopy()
	for n := w.version; s.Name == ""; n++ {
		if name := s.GenerateName + strconv.Itoa(n); w.slices[name] == nil {
			s.Name = name
		}
	}
	s.ResourceVersion = strconv.Itoa(w.version)
	w.slices[s.Name] = s
}

// list is in no order: a plan must not depend on it.
func (w *world) list() []*discovery.EndpointSlice {
	return slices.Collect(maps.Values(w.slices))
}

func (w *world) apply(write Write) error {
	_, exists := w.slices[write.Slice.Name]
	switch {
	case write.Verb == Create && !exists:
		w.put(write.Slice)
	case write.Verb == Update && exists:
		if was := w.slices[write.Slice.Name]; was.AddressType != write.Slice.AddressType || was.ResourceVersion != write.Slice.ResourceVersion {
			return fmt.Errorf("%s: addressType is immutable and the version must be the one read", write.Slice.Name)
		}
		w.put(write.Slice)
	case write.Verb == Delete && exists:
		delete(w.slices, write.Slice.Name)
	default:
		return fmt.Errorf("%s of %q, there before: %t", write.Verb, write.Slice.Name, exists)
	}
	return nil
}

// seen is what consumers see of the Service: addresses and backends, by the
// slices of one producer.
func (w *world) seen(managedBy string) map[sight]bool {
	all := map[sight]bool{}
	for _, s := range w.slices {
		if !belongs(s, managedBy) {
			continue
		}
		for i := range s.Endpoints {
			if key, ok := keyOf(&s.Endpoints[i], endpointset.FamilyOfAddressType(s.AddressType)); ok {
				for _, v := range sights(key.addr, portsOf(s)) {
					all[v] = true
				}
			}
		}
	}
	return all
}

func belongs(s *discovery.EndpointSlice, managedBy string) bool {
	return s.Labels[discovery.LabelManagedBy] == managedBy && s.Labels[discovery.LabelServiceName] == prices.Name
}

// said is every record of the own slices with its ports, counted, as text.
func (w *world) said(managedBy string) map[string]int {
	all := map[string]int{}
	for _, s := range w.slices {
		if !belongs(s, managedBy) {
			continue
		}
		for i := range s.Endpoints {
			all[portsText(portsOf(s))+" "+endpointText(&s.Endpoints[i])]++
		}
	}
	return all
}

// says is the same of what is desired.
func (d Desired) says() map[string]int {
	all := map[string]int{}
	for _, subset := range d.Subsets {
		for _, e := range subset.Endpoints {
			r := e.render()
			all[portsText(subset.Ports)+" "+endpointText(&r)]++
		}
	}
	return all
}

// mustApply carries a plan out and says how many writes it took.
func (w *world) mustApply(t *testing.T, d Desired) int {
	t.Helper()
	plan, err := d.Plan(w.list())
	if err != nil {
		t.Fatal(err)
	}
	for _, write := range plan.Writes {
		if err := w.apply(write); err != nil {
			t.Fatalf("%v in\n%s", err, plan)
		}
	}
	if diff := cmp.Diff(d.says(), w.said(d.ManagedBy)); diff != "" {
		t.Fatalf("after the plan (-desired +published):\n%s\n%s", diff, plan)
	}
	return plan.Len()
}

const me = "vm-publisher.example.com"

var (
	prices = endpointset.ServiceKey{Namespace: "shop", Name: "prices"}
	http   = endpointset.Port{Name: "http", Protocol: "TCP", Number: 8080}
	https  = endpointset.Port{Name: "https", Protocol: "TCP", Number: 8443}
)

func ips(from, n int) []Endpoint {
	var list []Endpoint
	for i := from; i < from+n; i++ {
		list = append(list, Endpoint{Addr: netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)})})
	}
	return list
}

func want(limit int, subsets ...Subset) Desired {
	return Desired{Service: prices, ManagedBy: me, MaxEndpoints: limit, Subsets: subsets}
}

func on(ports []endpointset.Port, endpoints ...Endpoint) Subset {
	return Subset{Ports: ports, Endpoints: endpoints}
}
