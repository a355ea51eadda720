package producer

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/slicewright/slicewright/endpointset"
)

// The numbers of writes of the changes that a producer sees most.
func TestPlanWritesAsLittleAsItCan(t *testing.T) {
	tests := []struct {
		name          string
		before, after Desired
		writes        int
	}{
		{"nothing changes", want(3, on(ports(http), ips(0, 7)...)), want(3, on(ports(http), ips(0, 7)...)), 0},
		{"order does not matter", want(3, on(ports(http, https), ips(0, 2)...)), want(3, on(ports(https, http), ips(1, 1)[0], ips(0, 1)[0])), 0},
		{"one comes, and there is room", want(3, on(ports(http), ips(0, 7)...)), want(3, on(ports(http), ips(0, 8)...)), 1},
		{"one comes, and all is full", want(3, on(ports(http), ips(0, 6)...)), want(3, on(ports(http), ips(0, 7)...)), 1},
		{"one goes", want(3, on(ports(http), ips(0, 7)...)), want(3, on(ports(http), ips(1, 6)...)), 1},
		{"one goes and one comes into its place", want(3, on(ports(http), ips(0, 6)...)), want(3, on(ports(http), ips(1, 6)...)), 1},
		{"all are replaced: the slices are reused", want(3, on(ports(http), ips(0, 6)...)), want(3, on(ports(http), ips(10, 6)...)), 2},
		{"all go", want(3, on(ports(http), ips(0, 7)...)), want(3), 3},
		{"all get another port: every slice in place", want(3, on(ports(http), ips(0, 6)...)), want(3, on(ports(http, https), ips(0, 6)...)), 2},
		{"one group goes, another comes: its slices are reused", want(3, on(ports(http), ips(0, 6)...)), want(3, on(ports(https), ips(20, 6)...)), 2},
		{"half of a slice gets another port", want(4, on(ports(http), ips(0, 4)...)), want(4, on(ports(http), ips(0, 2)...), on(ports(https), ips(2, 2)...)), 2},
		{"a smaller bound moves nobody", want(6, on(ports(http), ips(0, 6)...)), want(2, on(ports(http), ips(0, 6)...)), 0},
		{"families are apart", want(3, on(ports(http), ips(0, 1)...)), want(3, on(ports(http), ips(0, 1)[0], Endpoint{Addr: netip.MustParseAddr("2001:db8::1")})), 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld()
			w.mustApply(t, tt.before)
			if got := w.mustApply(t, tt.after); got != tt.writes {
				t.Errorf("%d writes, want %d", got, tt.writes)
			}
			if got := w.mustApply(t, tt.after); got != 0 {
				t.Errorf("the second plan has %d writes, want none", got)
			}
		})
	}
}

// What fits into a slice makes no new one, though either is one write.
func TestPlanFillsASliceBeforeItMakesOne(t *testing.T) {
	w := newWorld()
	w.mustApply(t, want(3, on(ports(http), ips(0, 7)...)))
	w.mustApply(t, want(3, on(ports(http), ips(0, 9)...)))
	if len(w.slices) != 3 {
		t.Errorf("%d slices for 9 endpoints of 3", len(w.slices))
	}
}

func ports(p ...endpointset.Port) []endpointset.Port { return p }

func TestPlanSaysWhatItWillSend(t *testing.T) {
	w := newWorld()
	w.mustApply(t, want(2, on(ports(http), ips(0, 5)...)))
	after := append(ips(1, 2), Endpoint{
		Addr: netip.MustParseAddr("10.0.0.3"), State: Draining, Zone: "a", Node: "n1", Hostname: "db-3",
		Target: &corev1.ObjectReference{Kind: "VM", Namespace: "shop", Name: "db-3", UID: "u"},
	})
	plan, err := want(2, on(ports(http), after...), on(ports(https), Endpoint{Addr: netip.MustParseAddr("2001:db8::7")})).Plan(w.list())
	if err != nil {
		t.Fatal(err)
	}
	const golden = `create shop/prices-* IPv6 https:8443/TCP
  + 2001:db8::7 ready
update shop/prices-1 IPv4 http:8080/TCP
  - 10.0.0.0 ready
update shop/prices-2 IPv4 http:8080/TCP
  - 10.0.0.3 ready
  + 10.0.0.3 draining hostname=db-3 zone=a node=n1 VM/shop/db-3/u
delete shop/prices-3 IPv4
  - 10.0.0.4 ready
`
	if diff := cmp.Diff(golden, plan.String()); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
}

func TestPlanSetsAllThreeConditions(t *testing.T) {
	tests := map[State]discovery.EndpointConditions{
		Ready:    {Ready: ptr.To(true), Serving: ptr.To(true), Terminating: ptr.To(false)},
		NotReady: {Ready: ptr.To(false), Serving: ptr.To(false), Terminating: ptr.To(false)},
		Draining: {Ready: ptr.To(false), Serving: ptr.To(true), Terminating: ptr.To(true)},
		Stopping: {Ready: ptr.To(false), Serving: ptr.To(false), Terminating: ptr.To(true)},
	}
	for state, conditions := range tests {
		e := ips(1, 1)[0]
		e.State = state
		plan, err := want(0, on(ports(http), e)).Plan(nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(conditions, plan.Writes[0].Slice.Endpoints[0].Conditions); diff != "" {
			t.Errorf("%s (-want +got):\n%s", state, diff)
		}
	}
}

// Slices of the producer's own that somebody else had a hand in.
func TestPlanAdoptsWhatBearsItsName(t *testing.T) {
	mine := func(name string, change func(*discovery.EndpointSlice)) *discovery.EndpointSlice {
		s := &discovery.EndpointSlice{
			ObjectMeta:  metav1.ObjectMeta{Namespace: "shop", Name: name, Labels: map[string]string{discovery.LabelServiceName: "prices", discovery.LabelManagedBy: me}},
			AddressType: discovery.AddressTypeIPv4,
			Ports:       []discovery.EndpointPort{{Name: ptr.To("http"), Port: ptr.To[int32](8080)}},
			Endpoints:   []discovery.Endpoint{{Addresses: []string{"10.0.0.1"}}},
		}
		if change != nil {
			change(s)
		}
		return s
	}
	desired := want(0, on(ports(http), ips(1, 1)...))
	owned := desired
	owned.Owner = &metav1.OwnerReference{APIVersion: "v1", Kind: "Service", Name: "prices", UID: "new"}
	labelled := desired
	labelled.Labels = map[string]string{"team": "shop"}

	tests := []struct {
		name     string
		desired  Desired
		existing *discovery.EndpointSlice
		verbs    string
	}{
		{"a missing condition means what is desired (S4)", desired, mine("a", nil), ""},
		{"others' labels and annotations stay", desired, mine("a", func(s *discovery.EndpointSlice) { s.Labels["x"] = "y"; s.Annotations = map[string]string{"x": "y"} }), ""},
		{"a wrong state is put right", desired, mine("a", func(s *discovery.EndpointSlice) { s.Endpoints[0].Conditions.Ready = ptr.To(false) }), "update"},
		{"only the first address counts (S3)", desired, mine("a", func(s *discovery.EndpointSlice) { s.Endpoints[0].Addresses = []string{"10.0.0.1", "10.0.0.9"} }), "update"},
		{"an endpoint without an address goes", desired, mine("a", func(s *discovery.EndpointSlice) { s.Endpoints = append(s.Endpoints, discovery.Endpoint{}) }), "update"},
		{"a port without a number is put right", desired, mine("a", func(s *discovery.EndpointSlice) { s.Ports[0].Port = nil }), "update"},
		{"an address of no family goes", desired, mine("a", func(s *discovery.EndpointSlice) { s.AddressType = discovery.AddressTypeFQDN }), "create delete"},
		{"an empty slice is filled", desired, mine("a", func(s *discovery.EndpointSlice) { s.Endpoints, s.Ports = nil, nil }), "update"},
		{"a label that is missing is put on", labelled, mine("a", nil), "update"},
		{"the owner of a Service made anew is put right", owned, mine("a", func(s *discovery.EndpointSlice) {
			s.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Service", Name: "prices", UID: types.UID("old")}}
		}), "update"},
		{"one that is being deleted holds nothing for long", desired, mine("a", func(s *discovery.EndpointSlice) { s.DeletionTimestamp = ptr.To(metav1.NewTime(time.Unix(1, 0))) }), "create"},
		{"another producer's is not touched", desired, mine("a", func(s *discovery.EndpointSlice) { s.Labels[discovery.LabelManagedBy] = "other" }), "create"},
		{"one without a producer is not touched", desired, mine("a", func(s *discovery.EndpointSlice) { delete(s.Labels, discovery.LabelManagedBy) }), "create"},
		{"another Service's is not touched", desired, mine("a", func(s *discovery.EndpointSlice) { s.Labels[discovery.LabelServiceName] = "other" }), "create"},
		{"another namespace's is not touched", desired, mine("a", func(s *discovery.EndpointSlice) { s.Namespace = "other" }), "create"},
		{"nothing is no slice", desired, nil, "create"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := tt.existing.DeepCopy()
			plan, err := tt.desired.Plan([]*discovery.EndpointSlice{tt.existing})
			if err != nil {
				t.Fatal(err)
			}
			var verbs []string
			for _, w := range plan.Writes {
				verbs = append(verbs, string(w.Verb))
			}
			if got := strings.Join(verbs, " "); got != tt.verbs {
				t.Errorf("writes %q, want %q:\n%s", got, tt.verbs, plan)
			}
			if diff := cmp.Diff(before, tt.existing); diff != "" {
				t.Errorf("the slice that was read is changed (S19):\n%s", diff)
			}
		})
	}
}

func TestPlanGivesTheControllersHints(t *testing.T) {
	d := want(0, on(ports(http), Endpoint{Addr: netip.MustParseAddr("10.0.0.1"), Zone: "a", Node: "n1"}, Endpoint{Addr: netip.MustParseAddr("10.0.0.2"), Zone: "b", State: NotReady}))
	for distribution, hints := range map[string]*discovery.EndpointHints{
		"":               nil,
		"PreferSameZone": {ForZones: []discovery.ForZone{{Name: "a"}}},
		"PreferSameNode": {ForZones: []discovery.ForZone{{Name: "a"}}, ForNodes: []discovery.ForNode{{Name: "n1"}}},
	} {
		d.TrafficDistribution = distribution
		plan, err := d.Plan(nil)
		if err != nil {
			t.Fatal(err)
		}
		endpoints := plan.Writes[0].Slice.Endpoints
		if diff := cmp.Diff(hints, endpoints[0].Hints); diff != "" {
			t.Errorf("%q (-want +got):\n%s", distribution, diff)
		}
		if endpoints[1].Hints != nil {
			t.Errorf("%q: an endpoint that is not ready has hints", distribution)
		}
	}
}
