package producer

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"

	discovery "k8s.io/api/discovery/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/slicewright/slicewright/endpointset"
)

// Plan returns the writes that make the own ones among existing say what is
// desired. Slices of others, of another Service or namespace may be among
// existing and are ignored. The error is that of Validate: what cannot be
// published as a whole is not published in part.
//
// Among all plans that leave each endpoint where it is, this one has the fewest
// writes, as long as no endpoint has to change its slice:
//
//	slices that hold something wrong, unwanted or twice, or have other metadata
//	+ the slices that are missing for new endpoints, after those have filled the
//	  room that the first ones leave, up to MaxEndpoints
//
// Endpoints whose set of ports changes while their slice's does not have to
// move. They go only into slices that lose nothing that moves, so that one
// order of the writes is right for all; that can cost a create.
func (d Desired) Plan(existing []*discovery.EndpointSlice) (Plan, error) {
	if err := d.Validate(); err != nil {
		return Plan{}, err
	}
	var creates, gaining, losing, deletes []Write
	own := d.own(existing)
	for _, family := range []endpointset.Family{endpointset.IPv4, endpointset.IPv6} {
		p := newPlanner(d, family, own[family])
		p.match()
		p.place()
		for _, s := range p.fresh {
			creates = append(creates, Write{Verb: Create, Slice: d.rendered(nil, s)})
		}
		for _, s := range p.shelves {
			switch {
			case s.pooled():
				deletes = append(deletes, Write{Verb: Delete, Slice: s.slice, Old: s.slice})
			case s.dirty && s.loses:
				losing = append(losing, Write{Verb: Update, Slice: d.rendered(s.slice, s), Old: s.slice})
			case s.dirty:
				gaining = append(gaining, Write{Verb: Update, Slice: d.rendered(s.slice, s), Old: s.slice})
			}
		}
	}
	// Own slices of a type without meaning (S3) can hold nothing of ours.
	for _, s := range own[0] {
		deletes = append(deletes, Write{Verb: Delete, Slice: s, Old: s})
	}
	return Plan{slices.Concat(creates, gaining, losing, deletes)}, nil
}

// own picks the producer's slices out, by family; family 0 has the slices
// whose address type is neither IPv4 nor IPv6. A slice that is being deleted
// is left out: it counts for its readers until it is gone (S17), but nothing
// can be kept in it.
func (d Desired) own(existing []*discovery.EndpointSlice) map[endpointset.Family][]*discovery.EndpointSlice {
	usable := map[endpointset.Family][]*discovery.EndpointSlice{}
	for _, s := range existing {
		switch {
		case s == nil || s.Namespace != d.Service.Namespace ||
			s.Labels[discovery.LabelServiceName] != d.Service.Name ||
			s.Labels[discovery.LabelManagedBy] != d.ManagedBy:
		case s.DeletionTimestamp != nil:
		default:
			f := endpointset.FamilyOfAddressType(s.AddressType)
			usable[f] = append(usable[f], s)
		}
	}
	for _, list := range usable {
		slices.SortFunc(list, func(a, b *discovery.EndpointSlice) int { return cmp.Compare(a.Name, b.Name) })
	}
	return usable
}

// planner plans the slices of one family.
type planner struct {
	max     int
	family  endpointset.Family
	groups  []*group // in the order of their keys
	shelves []*shelf // the existing slices, by name
	fresh   []*shelf // the slices to create
}

// group is the desired endpoints that have equal ports.
type group struct {
	key     portKey
	ports   []endpointset.Port
	entries []*entry // in order
	byKey   map[recordKey]*entry
	byAddr  map[netip.Addr][]*entry
}

// entry is one desired endpoint of a group.
type entry struct {
	key    recordKey
	want   discovery.Endpoint
	placed bool
	// moves is set when a reader has something of the entry now, in a slice that
	// will not have it any more.
	moves bool
}

// shelf is a slice with what is going to be in it.
type shelf struct {
	slice   *discovery.EndpointSlice // nil for one to be created
	ports   portKey                  // what it has now
	group   *group                   // what it will hold; nil for nothing so far
	entries []*entry
	dirty   bool
	// loses is set when its write takes away something that must be elsewhere.
	loses bool
}

// pooled reports that nothing keeps the slice: it can be made into any other
// slice of its family, or goes.
func (s *shelf) pooled() bool { return len(s.entries) == 0 }

func (s *shelf) room(limit int) int { return max(0, limit-len(s.entries)) }

func newPlanner(d Desired, family endpointset.Family, existing []*discovery.EndpointSlice) *planner {
	p := &planner{max: d.maxEndpoints(), family: family, groups: groupsOf(d, family)}
	for _, s := range existing {
		p.shelves = append(p.shelves, &shelf{
			slice: s,
			ports: keyOfPorts(portsOf(s)),
			dirty: !d.hasMetadata(s),
		})
	}
	return p
}

// groupsOf returns the desired endpoints of a family by their ports.
func groupsOf(d Desired, family endpointset.Family) []*group {
	byPorts := map[portKey]*group{}
	for _, subset := range d.Subsets {
		key := keyOfPorts(subset.Ports)
		g := byPorts[key]
		for _, e := range subset.Endpoints {
			if endpointset.FamilyOf(e.Addr.Unmap()) != family {
				continue
			}
			if g == nil {
				g = &group{key: key, ports: sortedPorts(subset.Ports), byKey: map[recordKey]*entry{}, byAddr: map[netip.Addr][]*entry{}}
				byPorts[key] = g
			}
			g.entries = append(g.entries, &entry{key: e.key(), want: e.render()})
		}
	}
	groups := slices.SortedFunc(maps.Values(byPorts), func(a, b *group) int { return cmp.Compare(a.key, b.key) })
	for _, g := range groups {
		slices.SortFunc(g.entries, func(a, b *entry) int { return a.key.compare(b.key) })
		g.index(d.TrafficDistribution)
	}
	return groups
}

func (g *group) index(distribution string) {
	wants := make([]discovery.Endpoint, len(g.entries))
	for i, e := range g.entries {
		wants[i] = e.want
	}
	addHints(distribution, wants)
	for i, e := range g.entries {
		e.want = wants[i]
		g.byKey[e.key] = e
		g.byAddr[e.key.addr] = append(g.byAddr[e.key.addr], e)
	}
}

// hasMetadata reports that a slice's metadata says what is desired.
func (d Desired) hasMetadata(s *discovery.EndpointSlice) bool {
	return contains(s.Labels, d.Labels) && contains(s.Annotations, d.Annotations) &&
		(d.Owner == nil || apiequality.Semantic.DeepEqual(s.OwnerReferences, []metav1.OwnerReference{*d.Owner}))
}

func contains(have, want map[string]string) bool {
	for k, v := range want {
		if got, ok := have[k]; (!ok || got != v) && !reserved(k) {
			return false
		}
	}
	return true
}

// reserved labels are the planner's: a desired label cannot give a slice to
// another Service or producer.
func reserved(label string) bool {
	return label == discovery.LabelServiceName || label == discovery.LabelManagedBy
}

// rendered returns what is sent for a shelf: a copy of the slice that was read,
// so that its name, resourceVersion and others' labels stay (S19: never the
// object itself), or a new one.
func (d Desired) rendered(old *discovery.EndpointSlice, s *shelf) *discovery.EndpointSlice {
	slice := &discovery.EndpointSlice{}
	if old != nil {
		slice = old.DeepCopy()
	} else {
		slice.GenerateName = d.Service.Name + "-"
		slice.Namespace = d.Service.Namespace
		slice.AddressType = discovery.AddressType(endpointset.FamilyOf(s.entries[0].key.addr).String())
	}
	slice.Labels = merged(slice.Labels, d.Labels)
	slice.Labels[discovery.LabelServiceName] = d.Service.Name
	slice.Labels[discovery.LabelManagedBy] = d.ManagedBy
	if len(d.Annotations) > 0 {
		slice.Annotations = merged(slice.Annotations, d.Annotations)
	}
	if d.Owner != nil {
		slice.OwnerReferences = []metav1.OwnerReference{*d.Owner}
	}
	if old == nil || s.ports != s.group.key {
		slice.Ports = renderPorts(s.group.ports)
	}
	slice.Endpoints = make([]discovery.Endpoint, len(s.entries))
	for i, e := range s.entries {
		e.want.DeepCopyInto(&slice.Endpoints[i])
	}
	return slice
}

func merged(have, want map[string]string) map[string]string {
	all := maps.Clone(have)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, want)
	return all
}
