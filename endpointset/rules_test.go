package endpointset_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/slicewright/slicewright/endpointset"
)

func TestAbsentConditions(t *testing.T) {
	for _, c := range []struct {
		absent discoveryv1.EndpointConditions
		want   endpointset.Conditions
	}{
		{discoveryv1.EndpointConditions{}, endpointset.Conditions{Ready: true, Serving: true}},
		{discoveryv1.EndpointConditions{Ready: new(false), Serving: new(false), Terminating: new(true)}, endpointset.Conditions{Terminating: true}},
		{discoveryv1.EndpointConditions{Ready: new(true), Serving: new(true), Terminating: new(false)}, endpointset.Conditions{Ready: true, Serving: true}},
	} {
		if diff := cmp.Diff(c.want, endpointset.ConditionsOf(c.absent)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.absent, diff)
		}
	}
}

func TestFamilyOfAddressType(t *testing.T) {
	for text, want := range map[discoveryv1.AddressType]endpointset.Family{"IPv4": endpointset.IPv4, "IPv6": endpointset.IPv6, "FQDN": 0, "": 0} {
		if got := endpointset.FamilyOfAddressType(text); got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
}

// Who speaks does not depend on the order of the records.
func TestSpeaker(t *testing.T) {
	up := endpointset.Conditions{Ready: true, Serving: true}
	down := endpointset.Conditions{Serving: true, Terminating: true}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name          string
		speaks, other endpointset.Record
	}{
		{"the newer record of one target", endpointset.Record{Conditions: down, TargetUID: "u", Slice: "b", ResourceVersion: "10"}, endpointset.Record{Conditions: up, TargetUID: "u", Slice: "a", ResourceVersion: "9"}},
		{"the target that does not terminate", endpointset.Record{Conditions: up, TargetUID: "u", Slice: "b", ResourceVersion: "9"}, endpointset.Record{Conditions: down, TargetUID: "v", Slice: "a", ResourceVersion: "10"}},
		{"a version before none", endpointset.Record{Slice: "b", ResourceVersion: "1"}, endpointset.Record{Slice: "a", ResourceVersion: "x1"}},
		{"the later trigger", endpointset.Record{Slice: "b", Trigger: at}, endpointset.Record{Slice: "a"}},
		{"the smaller slice name", endpointset.Record{Slice: "a"}, endpointset.Record{Slice: "b"}},
		{"the earlier of one slice", endpointset.Record{Slice: "a"}, endpointset.Record{Slice: "a", Order: 1}},
	} {
		first, last := endpointset.Speaker([]endpointset.Record{c.speaks, c.other}), endpointset.Speaker([]endpointset.Record{c.other, c.speaks})
		if first != 0 || last != 1 {
			t.Errorf("%s: %d and %d speak, want 0 and 1", c.name, first, last)
		}
	}
	if got := endpointset.Speaker(nil); got != -1 {
		t.Errorf("of no record %d speaks", got)
	}
}
