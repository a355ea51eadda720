package timeline_test

import (
	"fmt"
	"net/netip"
	"strconv"
	"testing"
	"time"

	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	corev1 "k8s.io/api/core/v1"

	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/app/internal/timeline/timelinetest"
	"github.com/slicewright/slicewright/endpointset"
)

// drawSlice draws a slice of few names, addresses and targets, so that moves,
// duplicates and reused addresses are common.
func drawSlice(t *rapid.T, version int) *discoveryv1.EndpointSlice {
	condition := rapid.SampledFrom([]*bool{nil, new(bool), func() *bool { b := true; return &b }()})
	port, name := int32(8080), "http"
	obj := &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "t", Name: rapid.SampledFrom([]string{"s1", "s2", "s3"}).Draw(t, "slice"),
			ResourceVersion: strconv.Itoa(version),
			Labels:          map[string]string{},
		},
		AddressType: discoveryv1.AddressTypeIPv4,
		Ports:       []discoveryv1.EndpointPort{{Name: &name, Port: &port}},
	}
	if service := rapid.SampledFrom([]string{"web", "web", "web", "other", ""}).Draw(t, "service"); service != "" {
		obj.Labels[discoveryv1.LabelServiceName] = service
	}
	for range rapid.IntRange(0, 4).Draw(t, "endpoints") {
		e := discoveryv1.Endpoint{
			Addresses:  []string{fmt.Sprintf("10.0.0.%d", rapid.IntRange(1, 3).Draw(t, "address"))},
			Conditions: discoveryv1.EndpointConditions{Ready: condition.Draw(t, "ready"), Serving: condition.Draw(t, "serving"), Terminating: condition.Draw(t, "terminating")},
		}
		if uid := rapid.SampledFrom([]string{"", "u1", "u2"}).Draw(t, "uid"); uid != "" {
			e.TargetRef = &corev1.ObjectReference{Kind: "Pod", Namespace: "t", Name: "pod-" + uid, UID: types.UID(uid)}
		}
		obj.Endpoints = append(obj.Endpoints, e)
	}
	return obj
}

// TestStateIsTheFoldOfItsChanges: applying differences gives what the whole
// objects would, as package endpointset sees them.
func TestStateIsTheFoldOfItsChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		state := timeline.NewState()
		whole := map[string]*discoveryv1.EndpointSlice{}
		var b timeline.Builder
		for i := range rapid.IntRange(1, 12).Draw(t, "events") {
			obj := drawSlice(t, i+1)
			ev := timeline.Event{Seq: int64(i + 1), At: timelinetest.Start.Add(time.Duration(i) * time.Second)}
			if rapid.IntRange(0, 3).Draw(t, "delete") == 0 {
				ev.Op, ev.Slice = timeline.Deleted, state.SliceEnd(endpointset.SliceKey{Namespace: "t", Name: obj.Name})
				delete(whole, obj.Name)
			} else {
				ev.Op, ev.Slice = timeline.Modified, state.SliceChange(obj)
				whole[obj.Name] = obj
			}
			if ev.Slice == nil {
				continue
			}
			state.Apply(ev)
			b.Add(ev)
		}
		want := endpointset.NewIndex(endpointset.Options{})
		for _, obj := range whole {
			want.Apply(want.Parse(obj))
		}
		for _, name := range []string{"web", "other"} {
			key := endpointset.ServiceKey{Namespace: "t", Name: name}
			got, expected := fmt.Sprint(timeline.Index(state).Service(key).Backends()), fmt.Sprint(want.Service(key).Backends())
			if got != expected {
				t.Fatalf("%s:\nfold  %s\nwhole %s", key, got, expected)
			}
		}
		lanesAgree(t, b.Build(time.Time{}), want)
	})
}

// lanesAgree: who speaks for an address in a lane is who speaks for the backend
// in package endpointset (S6).
func lanesAgree(t *rapid.T, h *timeline.History, index *endpointset.Index) {
	for _, svc := range h.Services {
		backends := map[netip.Addr]endpointset.Backend{}
		for _, b := range index.Service(svc.Key).Backends() {
			backends[b.Addr] = b
		}
		for _, lane := range svc.Lanes {
			b, there := backends[netip.MustParseAddr(lane.Address)]
			last := &lane.Spans[len(lane.Spans)-1]
			if last.Open != there {
				t.Fatalf("%s %s: open %v, backend there %v", svc.Key, lane.Address, last.Open, there)
			}
			if !there {
				continue
			}
			if p := last.Speaker(); p.Effective() != b.Conditions || p.Slice != b.Slice || p.Target.UID != b.Target.UID {
				t.Fatalf("%s %s: lane says %s of %s in %s, endpointset %+v of %s in %s", svc.Key, lane.Address,
					p.Conditions, p.Target.UID, p.Slice, b.Conditions, b.Target.UID, b.Slice)
			}
		}
	}
}

// TestRestatedStateIsTheSame: a segment that begins with what was is as good as
// all that came before it.
func TestRestatedStateIsTheSame(t *testing.T) {
	state := timeline.NewState()
	for _, ev := range timelinetest.Rollout() {
		state.Apply(ev)
		again := timeline.NewState()
		for _, r := range state.Restate() {
			again.Apply(r)
		}
		if fmt.Sprintf("%+v", again.Restate()[0]) == "" || len(again.Restate()) != len(state.Restate()) {
			t.Fatalf("after event %d: %d facts, restated %d", ev.Seq, len(state.Restate()), len(again.Restate()))
		}
		for key, s := range state.Slices {
			if fmt.Sprint(s.Object()) != fmt.Sprint(again.Slices[key].Object()) {
				t.Fatalf("after event %d slice %s differs", ev.Seq, key)
			}
		}
	}
}
