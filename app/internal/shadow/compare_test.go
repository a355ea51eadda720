package shadow

//lint:file-ignore SA1019 the deprecated API is what this file reads

import (
	"flag"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"github.com/slicewright/slicewright/endpointset"
)

var prices = endpointset.ServiceKey{Namespace: "shop", Name: "prices"}

func endpoints(change func(*corev1.Endpoints), ready ...string) *corev1.Endpoints {
	e := &corev1.Endpoints{ObjectMeta: metav1.ObjectMeta{Namespace: prices.Namespace, Name: prices.Name}}
	subset := corev1.EndpointSubset{Ports: []corev1.EndpointPort{{Name: "http", Port: 8080}}}
	for _, ip := range ready {
		subset.Addresses = append(subset.Addresses, corev1.EndpointAddress{IP: ip})
	}
	if len(ready) > 0 {
		e.Subsets = append(e.Subsets, subset)
	}
	if change != nil {
		change(e)
	}
	return e
}

func slice(change func(*discovery.EndpointSlice), ready ...string) *discovery.EndpointSlice {
	s := &discovery.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: prices.Namespace, Name: "prices-a",
			Labels: map[string]string{discovery.LabelServiceName: prices.Name, discovery.LabelManagedBy: managedByController},
		},
		AddressType: discovery.AddressTypeIPv4,
		Ports:       []discovery.EndpointPort{{Name: ptr.To("http"), Port: ptr.To[int32](8080)}},
	}
	for _, ip := range ready {
		if netip.MustParseAddr(ip).Is6() {
			s.AddressType = discovery.AddressTypeIPv6
		}
		s.Endpoints = append(s.Endpoints, discovery.Endpoint{Addresses: []string{ip}})
	}
	if change != nil {
		change(s)
	}
	return s
}

func many(n int) []string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("10.1.%d.%d", i/250, i%250))
	}
	return list
}

var update = flag.Bool("update", false, "write the golden files again")

// inWords is what a comparison says.
func inWords(name string, c Comparison) string {
	lines := []string{}
	for _, d := range c.Differences {
		lines = append(lines, fmt.Sprintf("  %s %s ready %t: %s: %s\n", d.AddrPort(), d.Side, d.Ready, d.Class, d.Because))
	}
	slices.Sort(lines)
	for _, f := range c.Findings {
		lines = append(lines, fmt.Sprintf("  %s: %s\n", f.Class, f.Message))
	}
	if len(lines) > 10 {
		lines = append(lines[:10], fmt.Sprintf("  and %d more\n", len(lines)-10))
	}
	return fmt.Sprintf("# %s: %d old, %d new, reference %t\n%s", name, c.Old, c.New, c.Reference, strings.Join(lines, ""))
}

func TestEveryDifferenceHasAClass(t *testing.T) {
	one, two := "10.0.0.1", "10.0.0.2"
	all := func(list ...*discovery.EndpointSlice) []*discovery.EndpointSlice { return list }
	by := func(manager string) func(*discovery.EndpointSlice) {
		return func(s *discovery.EndpointSlice) {
			s.Name, s.Labels[discovery.LabelManagedBy] = "prices-"+manager, manager
		}
	}
	truncated := func(e *corev1.Endpoints) {
		e.Annotations = map[string]string{corev1.EndpointsOverCapacity: "truncated"}
	}
	service := func(uid types.UID, families ...corev1.IPFamily) *corev1.Service {
		s := &corev1.Service{Spec: corev1.ServiceSpec{IPFamilies: families}}
		s.UID = uid
		return s
	}
	lives := func(name string) *discovery.EndpointSlice {
		return slice(func(s *discovery.EndpointSlice) {
			s.Name, s.OwnerReferences = name, []metav1.OwnerReference{{APIVersion: "v1", Kind: "Service", Name: prices.Name, UID: "before"}}
		})
	}
	tests := []struct {
		name  string
		in    Input
		want  map[Class]int
		equal bool
	}{
		{"the same", Input{Endpoints: endpoints(nil, one, two), Slices: all(slice(nil, two, one))}, map[Class]int{}, true},
		{"neither", Input{}, map[Class]int{}, true},
		{"the same, in two slices for a while", Input{Endpoints: endpoints(nil, one), Slices: all(slice(nil, one), slice(func(s *discovery.EndpointSlice) { s.Name = "prices-b" }, one))}, map[Class]int{}, true},
		{"a second family, by what Endpoints hold", Input{Endpoints: endpoints(nil, one), Slices: all(slice(nil, one), slice(func(s *discovery.EndpointSlice) { s.Name = "prices-6" }, "2001:db8::1"))}, map[Class]int{SecondFamily: 1}, true},
		{"a second family, by the Service", Input{Object: service("u", "IPv4", "IPv6"), Endpoints: endpoints(nil), Slices: all(slice(nil, "2001:db8::1"))}, map[Class]int{SecondFamily: 1}, true},
		{"the first family is missing", Input{Object: service("u", "IPv6"), Endpoints: endpoints(nil), Slices: all(slice(nil, "2001:db8::1"))}, map[Class]int{EndpointsBehind: 1}, false},
		{"cut off at 1000", Input{Endpoints: endpoints(truncated, many(1000)...), Slices: all(slice(nil, many(1003)...))}, map[Class]int{OverCapacity: 3}, true},
		{"cut off at another number", Input{Endpoints: endpoints(truncated, many(999)...), Slices: all(slice(nil, many(1001)...))}, map[Class]int{TruncatedWrongly: 3}, false},
		{"terminating", Input{Endpoints: endpoints(nil, one), Slices: all(slice(func(s *discovery.EndpointSlice) {
			s.Endpoints[1].Conditions = discovery.EndpointConditions{Ready: ptr.To(false), Terminating: ptr.To(true)}
		}, one, two))}, map[Class]int{Terminating: 1}, true},
		{"custom slices", Input{Slices: all(slice(by("vms.example.com"), one, two))}, map[Class]int{CustomSlices: 2}, true},
		{"the controllers' slices without Endpoints", Input{Slices: all(slice(nil, one))}, map[Class]int{NoEndpoints: 1}, false},
		{"not to be mirrored", Input{Endpoints: endpoints(func(e *corev1.Endpoints) { e.Labels = map[string]string{discovery.LabelSkipMirror: "true"} }, one), Slices: all(slice(by("vms.example.com"), two))}, map[Class]int{SkipMirror: 2}, true},
		{"a lock", Input{Endpoints: endpoints(func(e *corev1.Endpoints) {
			e.Annotations = map[string]string{"control-plane.alpha.kubernetes.io/leader": "{}"}
		}, one)}, map[Class]int{LeaderLock: 1}, true},
		{"slices without ports", Input{Endpoints: endpoints(nil, one), Slices: all(slice(func(s *discovery.EndpointSlice) { s.Ports = nil }, one))}, map[Class]int{WithoutPorts: 1}, true},
		{"Endpoints of yesterday", Input{Endpoints: endpoints(nil, one), Slices: all(slice(nil, two)), Pods: map[netip.Addr]Pod{netip.MustParseAddr(two): {Name: "b"}}}, map[Class]int{EndpointsStale: 1, EndpointsBehind: 1}, false},
		{"frozen in their readiness", Input{Endpoints: endpoints(nil, one), Slices: all(slice(func(s *discovery.EndpointSlice) { s.Endpoints[0].Conditions.Ready = ptr.To(false) }, one))}, map[Class]int{EndpointsBehind: 1}, false},
		{"ready and not ready is not ready", Input{Endpoints: endpoints(func(e *corev1.Endpoints) {
			e.Subsets = append(e.Subsets, corev1.EndpointSubset{Ports: e.Subsets[0].Ports, NotReadyAddresses: e.Subsets[0].Addresses})
			e.Subsets = append(e.Subsets, e.Subsets[0])
		}, one), Slices: all(slice(func(s *discovery.EndpointSlice) { s.Endpoints[0].Conditions.Ready = ptr.To(false) }, one))}, map[Class]int{}, true},
		{"a Pod of no Node", Input{Endpoints: endpoints(nil, one), Pods: map[netip.Addr]Pod{netip.MustParseAddr(one): {Name: "a", Node: "gone"}}, Nodes: map[string]bool{"n1": true}}, map[Class]int{NodeMissing: 1}, false},
		{"a Pod that slices lack", Input{Endpoints: endpoints(nil, one), Pods: map[netip.Addr]Pod{netip.MustParseAddr(one): {Name: "a", Node: "n1"}}, Nodes: map[string]bool{"n1": true}}, map[Class]int{SlicesBehind: 1}, false},
		{"mirrored beside managed", Input{Endpoints: endpoints(nil, one), Slices: all(slice(nil, one), slice(by(managedByMirroring), one))}, map[Class]int{MirroredBesideManaged: 1}, false},
		{"orphans", Input{Gone: true, Endpoints: endpoints(nil, one), Slices: all(slice(nil, one))}, map[Class]int{OrphanSlices: 1}, false},
		{"slices of another Service's life", Input{Object: service("u"), Endpoints: endpoints(nil, one), Slices: all(slice(func(s *discovery.EndpointSlice) {
			s.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Service", Name: prices.Name, UID: "before"}}
		}, one))}, map[Class]int{AnotherService: 1}, false},
		{"a reference instead", Input{Endpoints: endpoints(nil, one), Slices: all(slice(by("vms.example.com"), two)), Reference: map[endpointset.ID]bool{{PortName: "http", Protocol: "TCP", Addr: netip.MustParseAddr(one), Number: 8080}: true}}, map[Class]int{OnlyInReference: 1, NotInReference: 1}, false},
		{"what is no address", Input{Endpoints: endpoints(nil, "x")}, map[Class]int{}, true},
		{"slices of another life, and owners of another kind", Input{Object: service("u"), Endpoints: endpoints(nil, one), Slices: all(slice(func(s *discovery.EndpointSlice) {
			s.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v2", Kind: "Service", UID: "x"}, {APIVersion: "v1", Kind: "Pod", UID: "x"}, {APIVersion: "v1", Kind: "Service", UID: "u"}}
		}, one))}, map[Class]int{}, true},
		{"five slices of another life", Input{Object: service("u"), Endpoints: endpoints(nil), Slices: all(lives("a"), lives("b"), lives("c"), lives("d"), lives("e"))}, map[Class]int{AnotherService: 1}, false},
		{"an address that no Pod has", Input{Endpoints: endpoints(nil, one), Slices: all(slice(nil)), Pods: map[netip.Addr]Pod{}}, map[Class]int{EndpointsStale: 1}, false},
		{"an address, and Pods were not looked at", Input{Endpoints: endpoints(nil, one), Slices: all(slice(nil))}, map[Class]int{EndpointsStale: 1}, false},
		{"ports that cannot be", Input{Endpoints: endpoints(func(e *corev1.Endpoints) {
			e.Subsets[0].Ports = append([]corev1.EndpointPort{{Name: "zero"}, {Name: "large", Port: 70000}}, e.Subsets[0].Ports...)
		}, one), Slices: all(slice(nil, one))}, map[Class]int{}, true},
		{"another Service's slices", Input{Endpoints: endpoints(nil, one), Slices: all(slice(nil, one), nil, slice(func(s *discovery.EndpointSlice) { s.Labels[discovery.LabelServiceName] = "other" }, two))}, map[Class]int{}, true},
	}
	var said strings.Builder
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.in.Service = prices
			c := Compare(tt.in)
			if got := c.Count(); !maps.Equal(got, tt.want) || c.Equal() != tt.equal {
				t.Errorf("%v, equal %t; want %v, %t:\n%+v\n%+v", got, c.Equal(), tt.want, tt.equal, c.Differences, c.Findings)
			}
			said.WriteString(inWords(tt.name, c))
			for _, d := range c.Differences {
				if d.Because == "" {
					t.Errorf("%s: no reason given", d.Addr)
				}
			}
		})
	}

	// What is said of each is held to a file.
	const path = "testdata/classes.txt"
	if *update {
		if err := os.WriteFile(path, []byte(said.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), said.String()); diff != "" {
		t.Errorf("%s (-want +got; -update writes it again):\n%s", path, diff)
	}
}

// The differences are exactly those of the two sets, whatever their classes.
func TestDifferencesAreThoseOfTheSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pick := rapid.SliceOfDistinct(rapid.SampledFrom(many(12)), rapid.ID)
		before, after := pick.Draw(t, "endpoints"), pick.Draw(t, "slices")
		c := Compare(Input{Service: prices, Endpoints: endpoints(nil, before...), Slices: []*discovery.EndpointSlice{slice(nil, after...)}})
		want := map[string]Side{}
		for _, ip := range before {
			if !slices.Contains(after, ip) {
				want[ip] = OnlyOld
			}
		}
		for _, ip := range after {
			if !slices.Contains(before, ip) {
				want[ip] = OnlySlice
			}
		}
		got := map[string]Side{}
		for _, d := range c.Differences {
			got[d.Addr.String()] = d.Side
		}
		if !maps.Equal(got, want) || len(c.Differences) != len(want) {
			t.Fatalf("differences %v, want %v", got, want)
		}
		if !slices.IsSortedFunc(c.Differences, func(a, b Difference) int { return a.ID.Compare(b.ID) }) {
			t.Fatalf("not in the order of S8: %v", c.Differences)
		}
	})
}
