package endpointset_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/slicewright/slicewright/endpointset"
)

// The generators draw from small pools, so that slices meet often: the same
// address in two slices, two Pods with one address, a slice that changes hands.

func someBool(t *rapid.T, name string) *bool {
	return rapid.SampledFrom([]*bool{nil, new(true), new(false)}).Draw(t, name)
}

func someEndpoint(t *rapid.T, family discoveryv1.AddressType) discoveryv1.Endpoint {
	addresses := []string{"10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.10", "172.16.0.1"}
	if family == discoveryv1.AddressTypeIPv6 {
		addresses = []string{"2001:db8::1", "2001:db8::2", "fd00::1"}
	}
	odd := []string{"", "nonsense", "127.0.0.1", "169.254.1.1", "224.0.0.1", "0.0.0.0", "::1", "fe80::1%eth0", "::ffff:10.0.0.1", "010.0.0.1"}
	ep := discoveryv1.Endpoint{
		Addresses: rapid.SliceOfN(rapid.SampledFrom(append(addresses, addresses...)), 0, 2).Draw(t, "addresses"),
		Conditions: discoveryv1.EndpointConditions{
			Ready: someBool(t, "ready"), Serving: someBool(t, "serving"), Terminating: someBool(t, "terminating"),
		},
	}
	if rapid.IntRange(0, 9).Draw(t, "oddAddress") == 0 {
		ep.Addresses = []string{rapid.SampledFrom(odd).Draw(t, "odd")}
	}
	if zone := rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "zone"); zone != "" {
		ep.Zone = &zone
	}
	if node := rapid.SampledFrom([]string{"", "n1", "n2"}).Draw(t, "node"); node != "" {
		ep.NodeName = &node
	}
	if uid := rapid.SampledFrom([]string{
		"-", "", "u1", "u2",
		"7e3c5e19-44fb-4075-8b5d-da675b548488", "e66e14ba-be18-47cb-8819-1a0867197af6", "00000000-0000-0000-0000-000000000000",
	}).Draw(t, "uid"); uid != "-" {
		ep.TargetRef = &corev1.ObjectReference{Kind: "Pod", Namespace: "t", Name: "pod-" + uid, UID: types.UID(uid)}
	}
	if rapid.Bool().Draw(t, "hinted") {
		ep.Hints = &discoveryv1.EndpointHints{}
		for _, z := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b"}), 0, 2).Draw(t, "forZones") {
			ep.Hints.ForZones = append(ep.Hints.ForZones, discoveryv1.ForZone{Name: z})
		}
		for _, n := range rapid.SliceOfN(rapid.SampledFrom([]string{"n1", "n2"}), 0, 2).Draw(t, "forNodes") {
			ep.Hints.ForNodes = append(ep.Hints.ForNodes, discoveryv1.ForNode{Name: n})
		}
	}
	return ep
}

func somePort(t *rapid.T) discoveryv1.EndpointPort {
	return discoveryv1.EndpointPort{
		Name:        rapid.SampledFrom([]*string{nil, new(""), new("http"), new("admin")}).Draw(t, "portName"),
		Protocol:    rapid.SampledFrom([]*corev1.Protocol{nil, new(corev1.ProtocolTCP), new(corev1.ProtocolUDP)}).Draw(t, "protocol"),
		Port:        rapid.SampledFrom([]*int32{nil, new(int32(0)), new(int32(-1)), new(int32(70000)), new(int32(80)), new(int32(80)), new(int32(8080)), new(int32(8080))}).Draw(t, "number"),
		AppProtocol: rapid.SampledFrom([]*string{nil, nil, new("kubernetes.io/h2c")}).Draw(t, "appProtocol"),
	}
}

func someSlice(t *rapid.T, version int) *discoveryv1.EndpointSlice {
	es := &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "t",
			Name:      rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "slice"),
			Labels:    map[string]string{},
		},
		AddressType: rapid.SampledFrom([]discoveryv1.AddressType{"IPv4", "IPv4", "IPv4", "IPv6", "FQDN", ""}).Draw(t, "addressType"),
	}
	if rapid.IntRange(0, 9).Draw(t, "versioned") > 0 {
		es.ResourceVersion = strconv.Itoa(version)
	}
	if service := rapid.SampledFrom([]string{"web", "web", "web", "other", ""}).Draw(t, "service"); service != "" {
		es.Labels[discoveryv1.LabelServiceName] = service
	}
	if manager := rapid.SampledFrom([]string{"", "endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io", "mine"}).Draw(t, "manager"); manager != "" {
		es.Labels[discoveryv1.LabelManagedBy] = manager
	}
	if trigger := rapid.SampledFrom([]string{"", "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z", "yesterday"}).Draw(t, "trigger"); trigger != "" {
		es.Annotations = map[string]string{corev1.EndpointsLastChangeTriggerTime: trigger}
	}
	for range rapid.IntRange(0, 3).Draw(t, "ports") {
		es.Ports = append(es.Ports, somePort(t))
	}
	for range rapid.IntRange(0, 6).Draw(t, "endpoints") {
		es.Endpoints = append(es.Endpoints, someEndpoint(t, es.AddressType))
	}
	return es
}

func someOptions(t *rapid.T) endpointset.Options {
	options := endpointset.Options{}
	if rapid.IntRange(0, 3).Draw(t, "restricted") == 0 {
		options.Managers = []string{"endpointslice-controller.k8s.io", "mine"}
	}
	return options
}

func serviceKey(name string) endpointset.ServiceKey {
	return endpointset.ServiceKey{Namespace: "t", Name: name}
}

func sliceKey(es *discoveryv1.EndpointSlice) endpointset.SliceKey {
	return endpointset.SliceKey{Namespace: es.Namespace, Name: es.Name}
}

// A world is an index beside the plain facts: the slices that are left, and the
// sets as the changes alone make them.
type world struct {
	options endpointset.Options
	ix      *endpointset.Index
	left    map[endpointset.SliceKey]*discoveryv1.EndpointSlice
	sets    map[endpointset.ServiceKey]map[endpointset.ID]endpointset.Backend
}

func newWorld(options endpointset.Options) *world {
	return &world{
		options: options,
		ix:      endpointset.NewIndex(options),
		left:    map[endpointset.SliceKey]*discoveryv1.EndpointSlice{},
		sets:    map[endpointset.ServiceKey]map[endpointset.ID]endpointset.Backend{},
	}
}

// fold adds changes to the sets and fails on one that does not fit.
func (w *world) fold(t *rapid.T, changes []endpointset.Change) {
	for _, c := range changes {
		if c.Empty() {
			t.Fatalf("an empty change for %s", c.Service)
		}
		if n := len(c.Added()) + len(c.Removed()) + len(c.Updated()); n != c.Len() {
			t.Fatalf("a change of %d backends counts %d", n, c.Len())
		}
		set := w.sets[c.Service]
		if set == nil {
			set = map[endpointset.ID]endpointset.Backend{}
			w.sets[c.Service] = set
		}
		for _, b := range c.Removed() {
			if diff := cmp.Diff(set[b.ID], b, exactly); diff != "" {
				t.Fatalf("removed is not what was there:\n%s", diff)
			}
			delete(set, b.ID)
		}
		for _, u := range c.Updated() {
			if diff := cmp.Diff(set[u.New.ID], u.Old, exactly); diff != "" {
				t.Fatalf("updated is not what was there:\n%s", diff)
			}
			if cmp.Equal(u.Old, u.New, exactly) {
				t.Fatalf("an update without a difference: %v", u.New)
			}
			set[u.New.ID] = u.New
		}
		for _, b := range c.Added() {
			if _, there := set[b.ID]; there {
				t.Fatalf("added twice: %v", b)
			}
			set[b.ID] = b
		}
	}
}

var exactly = cmp.Options{cmpopts.EquateComparable(endpointset.ID{}), cmpopts.EquateEmpty()}

// check compares the index with a from-scratch fold of what is left, taken in
// an order of its own, and with the sum of the changes.
func (w *world) check(t *rapid.T) {
	fresh := endpointset.NewIndex(w.options)
	left := slices.Collect(maps.Values(w.left))
	rand.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
	for _, es := range left {
		fresh.Apply(fresh.Parse(es))
	}
	if diff := cmp.Diff(fresh.Services(), w.ix.Services(), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("services (-from scratch +index):\n%s", diff)
	}
	for _, name := range []string{"web", "other"} {
		key := serviceKey(name)
		want, got := fresh.Service(key).Backends(), w.ix.Service(key).Backends()
		if diff := cmp.Diff(want, got, exactly); diff != "" {
			t.Fatalf("%s (-from scratch +index):\n%s", key, diff)
		}
		if !slices.IsSortedFunc(got, func(a, b endpointset.Backend) int { return a.ID.Compare(b.ID) }) {
			t.Fatalf("%s is not in order: %v", key, got)
		}
		summed := slices.SortedFunc(maps.Values(w.sets[key]), func(a, b endpointset.Backend) int { return a.ID.Compare(b.ID) })
		if diff := cmp.Diff(got, summed, exactly); diff != "" {
			t.Fatalf("%s (-index +sum of changes):\n%s", key, diff)
		}
		for _, policy := range endpointset.Policies() {
			if diff := cmp.Diff(fresh.Service(key).Select(endpointset.Query{Policy: policy}), w.ix.Service(key).Select(endpointset.Query{Policy: policy}), exactly); diff != "" {
				t.Fatalf("%s under %s (-from scratch +index):\n%s", key, policy, diff)
			}
		}
	}
	w.ix.CheckInvariants(t)
}

// Whatever the events and their order, the set is that of the slices that are
// left, and the changes add up to it.
func TestSetEqualsFoldOfWhatIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(someOptions(t))
		version := 0
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				version++
				es := someSlice(t, version)
				w.left[sliceKey(es)] = es
				before := es.DeepCopy()
				w.fold(t, w.ix.Apply(w.ix.Parse(es)))
				if diff := cmp.Diff(before, es); diff != "" {
					t.Fatalf("the object was modified (S19):\n%s", diff)
				}
				if again := w.ix.Apply(w.ix.Parse(es.DeepCopy())); len(again) != 0 {
					t.Fatalf("the same event again changed %v", again)
				}
			},
			"touch": func(t *rapid.T) {
				// A write that changes only what has no meaning. It may change who
				// speaks where two slices disagree (S6), never which backends there are.
				for key, es := range w.left {
					version++
					es = es.DeepCopy()
					es.ResourceVersion = strconv.Itoa(version)
					es.Labels["note"] = strconv.Itoa(version)
					w.left[key] = es
					changes := w.ix.Apply(w.ix.Parse(es))
					for _, c := range changes {
						if len(c.Added())+len(c.Removed()) > 0 {
							t.Fatalf("a write without meaning changed the backends: %v", c)
						}
					}
					w.fold(t, changes)
					break
				}
			},
			"delete": func(t *rapid.T) {
				name := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "gone")
				key := endpointset.SliceKey{Namespace: "t", Name: name}
				delete(w.left, key)
				w.fold(t, w.ix.Delete(key))
				if again := w.ix.Delete(key); len(again) != 0 {
					t.Fatalf("the same deletion again changed %v", again)
				}
			},
			"relist": func(t *rapid.T) {
				version++
				listed := map[endpointset.SliceKey]*discoveryv1.EndpointSlice{}
				for key, es := range w.left {
					if rapid.Bool().Draw(t, "kept") {
						listed[key] = es
					}
				}
				if rapid.Bool().Draw(t, "missed") {
					es := someSlice(t, version)
					listed[sliceKey(es)] = es
				}
				w.left = listed
				all := slices.Collect(maps.Values(listed))
				if rapid.Bool().Draw(t, "listedTwice") {
					// Of slices with one name the last in the list counts.
					if es := someSlice(t, version); listed[sliceKey(es)] != nil {
						all = slices.Insert(all, 0, es)
					}
				}
				w.fold(t, w.ix.Replace("", parsed(w.ix, all)))
				if again := w.ix.Replace("", parsed(w.ix, all)); len(again) != 0 {
					t.Fatalf("the same list again changed %v (S16)", again)
				}
			},
			"": func(t *rapid.T) { w.check(t) },
		})
	})
}

// What is selected comes from the slices, and all that comes from the slices is
// somewhere in the selection: active, draining or excluded, in one of them.
func TestSelectionSplitsTheSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ix := endpointset.NewIndex(someOptions(t))
		carried := map[endpointset.ID]bool{}
		for i := range rapid.IntRange(1, 4).Draw(t, "slices") {
			es := someSlice(t, i+1)
			es.Name = fmt.Sprintf("s%d", i)
			es.Labels[discoveryv1.LabelServiceName] = "web"
			ix.Apply(ix.Parse(es))
			for _, b := range soloBackends(es) {
				carried[b] = true
			}
		}
		set := ix.Service(serviceKey("web"))
		policy := rapid.SampledFrom(endpointset.Policies()).Draw(t, "policy")
		at := endpointset.Location{
			Zone:     rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "zone"),
			Node:     rapid.SampledFrom([]string{"", "n1", "n2", "n3"}).Draw(t, "node"),
			Topology: rapid.SampledFrom([]endpointset.Topology{endpointset.TopologyAny, endpointset.TopologyHints, endpointset.TopologyZone, endpointset.TopologyNode}).Draw(t, "topology"),
			Mode:     rapid.SampledFrom([]endpointset.Mode{"", endpointset.ModePrefer, endpointset.ModeRequire}).Draw(t, "mode"),
		}
		sel := set.Select(endpointset.Query{Policy: policy, Location: at})

		seen := map[endpointset.ID]endpointset.State{}
		note := func(b endpointset.Backend, state endpointset.State) {
			if before, twice := seen[b.ID]; twice {
				t.Fatalf("%v is %s and %s", b.ID, before, state)
			}
			if !carried[b.ID] {
				t.Fatalf("%v is %s and in no slice", b.ID, state)
			}
			seen[b.ID] = state
		}
		for _, b := range sel.Active {
			note(b, endpointset.StateActive)
			if b.Refused != "" {
				t.Fatalf("%v is active and not believed", b)
			}
		}
		for _, b := range sel.Draining {
			note(b, endpointset.StateDraining)
			if !b.Terminating {
				t.Fatalf("%v drains and does not terminate", b)
			}
		}
		for _, x := range sel.Excluded {
			note(x.Backend, endpointset.StateExcluded)
			if x.Reason == "" {
				t.Fatalf("%v is excluded without a reason", x)
			}
		}
		if len(seen) != len(carried) {
			t.Fatalf("%d backends are in the slices, %d in the selection", len(carried), len(seen))
		}
		if verdicts := sel.Explain(); len(verdicts) != len(carried) {
			t.Fatalf("%d backends, %d verdicts", len(carried), len(verdicts))
		} else {
			for _, v := range verdicts {
				if v.State != seen[v.ID] || v.Rule == "" || v.Because == "" {
					t.Fatalf("%v: the verdict %s by %q because %q does not fit %s", v.ID, v.State, v.Rule, v.Because, seen[v.ID])
				}
			}
		}
		// Nothing eligible is missing: without topology, active is exactly what
		// the policy's own sentence says, group by group.
		if at.Topology == endpointset.TopologyAny {
			for _, b := range set.Backends() {
				want := b.Refused == "" && sentence(policy, b, set.Backends())
				if got := seen[b.ID] == endpointset.StateActive; got != want {
					t.Fatalf("%s: %+v active is %v, want %v", policy, b, got, want)
				}
			}
		}
	})
}

// A query for some ports and one family gives the part of the whole selection
// that is about them, and its backends in the order of S8.
func TestAQueryGivesItsPartOfTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ix := endpointset.NewIndex(someOptions(t))
		for i := range rapid.IntRange(1, 4).Draw(t, "slices") {
			es := someSlice(t, i+1)
			es.Name, es.Labels[discoveryv1.LabelServiceName] = fmt.Sprintf("s%d", i), "web"
			ix.Apply(ix.Parse(es))
		}
		set := ix.Service(serviceKey("web"))
		whole := endpointset.Query{Policy: rapid.SampledFrom(endpointset.Policies()).Draw(t, "policy")}
		part := whole
		part.Port = rapid.SampledFrom([]endpointset.PortName{{}, endpointset.PortNamed(""), endpointset.PortNamed("http"), endpointset.PortNamed("none")}).Draw(t, "port")
		part.Protocol = rapid.SampledFrom([]string{"", "TCP", "UDP"}).Draw(t, "protocol")
		part.Family = rapid.SampledFrom([]endpointset.Family{0, endpointset.IPv4, endpointset.IPv6}).Draw(t, "family")

		all, got := set.Select(whole), set.Select(part)
		other := func(b endpointset.Backend) bool {
			name, chosen := part.Port.Name()
			return chosen && b.PortName != name || part.Protocol != "" && b.Protocol != part.Protocol || part.Family != 0 && b.Family() != part.Family
		}
		want := all
		want.Query, want.Fallback = part, got.Fallback
		want.Active = slices.DeleteFunc(slices.Clone(all.Active), other)
		want.Draining = slices.DeleteFunc(slices.Clone(all.Draining), other)
		want.Excluded = slices.DeleteFunc(slices.Clone(all.Excluded), func(x endpointset.Exclusion) bool { return other(x.Backend) })
		if diff := cmp.Diff(want, got, exactly); diff != "" {
			t.Fatalf("%+v (-part of the whole +asked for):\n%s", part, diff)
		}
		terminating := slices.ContainsFunc(got.Active, func(b endpointset.Backend) bool { return b.Terminating })
		if got.Fallback && !terminating || !got.Fallback && terminating && whole.Policy == endpointset.PolicyReadyOrTerminating {
			t.Fatalf("fallback is %v, and a terminating backend is active: %v", got.Fallback, terminating)
		}

		var walked []endpointset.Verdict
		for b, state := range got.All() {
			walked = append(walked, endpointset.Verdict{Backend: b, State: state})
		}
		verdicts := got.Explain()
		for i := range verdicts {
			verdicts[i] = endpointset.Verdict{Backend: verdicts[i].Backend, State: verdicts[i].State}
		}
		if diff := cmp.Diff(verdicts, walked, exactly); diff != "" {
			t.Fatalf("All (-explained +walked):\n%s", diff)
		}
	})
}

// sentence spells S9 and S10 out again, backend by backend.
func sentence(policy endpointset.Policy, b endpointset.Backend, all []endpointset.Backend) bool {
	first := func(b endpointset.Backend) bool {
		switch policy {
		case endpointset.PolicyKubeProxy:
			return b.Ready
		case endpointset.PolicyServing:
			return b.Serving && !b.Terminating
		case endpointset.PolicyNotTerminating:
			return !b.Terminating
		case endpointset.PolicyPublished:
			return true
		}
		return b.Ready && !b.Terminating
	}
	if first(b) {
		return true
	}
	if policy != endpointset.PolicyKubeProxy && policy != endpointset.PolicyReadyOrTerminating {
		return false
	}
	for _, other := range all {
		if other.PortName == b.PortName && other.Protocol == b.Protocol && other.Family() == b.Family() && other.Refused == "" && first(other) {
			return false
		}
	}
	return b.Serving && b.Terminating
}

// soloBackends are the identities that one slice carries, read off the object.
func soloBackends(es *discoveryv1.EndpointSlice) []endpointset.ID {
	ix := endpointset.NewIndex(endpointset.Options{})
	ix.Apply(ix.Parse(es))
	var ids []endpointset.ID
	for _, b := range ix.Service(serviceKey("web")).Backends() {
		ids = append(ids, b.ID)
	}
	return ids
}
