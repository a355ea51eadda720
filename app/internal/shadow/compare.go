package shadow

//lint:file-ignore SA1019 the deprecated API is what this file reads

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"

	"github.com/slicewright/slicewright/endpointset"
)

// Input is what is known of one Service at one moment. What is nil was not
// looked at, and classes that need it are not given for want of it.
type Input struct {
	Service endpointset.ServiceKey
	// Endpoints is the object with the Service's name, nil if it does not
	// exist.
	Endpoints *corev1.Endpoints
	// Slices may hold those of other Services; they are left out.
	Slices []*discovery.EndpointSlice
	// Object is the Service; Gone says that it was looked for and is not there.
	Object *corev1.Service
	Gone   bool
	// Pods are the Pods of the namespace by each of their addresses.
	Pods map[netip.Addr]Pod
	// Nodes are all Nodes there are.
	Nodes map[string]bool
	// Reference, when not nil, is compared with instead of the Endpoints: for
	// Services where no equality can be expected. True is ready.
	Reference map[endpointset.ID]bool
}

// Pod is what a comparison needs of a Pod.
type Pod struct {
	Name, Node string
}

// Side says where a backend is.
type Side string

// The sides of a difference.
const (
	OnlyOld   Side = "only-endpoints" // or only in the reference
	OnlySlice Side = "only-slices"
	// Both have it, and say different things of its readiness.
	Both Side = "readiness"
)

// Difference is one backend of which the sources differ.
type Difference struct {
	endpointset.ID
	Side  Side
	Class Class
	// Ready is what the side that has it says; for Both what the slices say.
	Ready bool
	// Because says in a sentence what the class was concluded from.
	Because string
}

// Finding is something about the Service as a whole.
type Finding struct {
	Class   Class
	Message string
}

// Comparison is the difference between the two sources at one moment.
type Comparison struct {
	Service endpointset.ServiceKey
	// Reference is set when Old is the reference's and not the Endpoints'.
	Reference bool
	// Old and New count the backends of each side.
	Old, New int
	// Differences are in the order of S8.
	Differences []Difference
	Findings    []Finding
}

// Equal reports that there is nothing to look at.
func (c Comparison) Equal() bool {
	return !slices.ContainsFunc(c.Differences, func(d Difference) bool { return !d.Class.Expected() }) &&
		!slices.ContainsFunc(c.Findings, func(f Finding) bool { return !f.Class.Expected() })
}

// Count returns how many differences there are of each class.
func (c Comparison) Count() map[Class]int {
	count := map[Class]int{}
	for _, d := range c.Differences {
		count[d.Class]++
	}
	for _, f := range c.Findings {
		count[f.Class]++
	}
	return count
}

// Compare brings both sources to the same keys and classifies every difference.
func Compare(in Input) Comparison {
	c := comparer{in: in, old: readEndpoints(in.Endpoints), addrs: map[netip.Addr]bool{}, ported: map[netip.Addr]bool{}, managers: map[string]int{}}
	if in.Reference != nil {
		c.old.ready, c.Reference = in.Reference, true
	}
	c.readSlices()
	c.compare()
	c.findings()
	return c.Comparison
}

type comparer struct {
	Comparison
	in       Input
	old      old
	backends map[endpointset.ID]endpointset.Backend // of the slices
	addrs    map[netip.Addr]bool                    // of the slices, with or without a port
	ported   map[netip.Addr]bool                    // of the slices, with a port
	managers map[string]int                         // slices by their managed-by
	own      []*discovery.EndpointSlice             // the Service's slices
}

func (c *comparer) readSlices() {
	c.Service = c.in.Service
	c.backends = map[endpointset.ID]endpointset.Backend{}
	ix := endpointset.NewIndex(endpointset.Options{})
	for _, s := range c.in.Slices {
		if s == nil || s.Namespace != c.Service.Namespace || s.Labels[discovery.LabelServiceName] != c.Service.Name {
			continue
		}
		c.own = append(c.own, s)
		c.managers[s.Labels[discovery.LabelManagedBy]]++
		ix.Apply(ix.Parse(s))
		for i := range s.Endpoints {
			if a := s.Endpoints[i].Addresses; len(a) > 0 {
				if addr, err := netip.ParseAddr(a[0]); err == nil {
					c.addrs[addr] = true
				}
			}
		}
	}
	for _, b := range ix.Service(c.Service).Backends() {
		c.backends[b.ID] = b
		c.ported[b.Addr] = true
	}
	c.Old, c.New = len(c.old.ready), len(c.backends)
}

func (c *comparer) compare() {
	for id, ready := range c.old.ready {
		if b, ok := c.backends[id]; !ok {
			c.add(Difference{ID: id, Side: OnlyOld, Ready: ready}, c.onlyOld)
		} else if b.Ready != ready {
			c.add(Difference{ID: id, Side: Both, Ready: b.Ready}, c.readiness)
		}
	}
	for id, b := range c.backends {
		if _, ok := c.old.ready[id]; !ok {
			c.add(Difference{ID: id, Side: OnlySlice, Ready: b.Ready}, c.onlySlice)
		}
	}
	slices.SortFunc(c.Differences, func(a, b Difference) int {
		return cmp.Or(a.ID.Compare(b.ID), cmp.Compare(a.Side, b.Side))
	})
}

func (c *comparer) add(d Difference, classify func(endpointset.ID) (Class, string)) {
	d.Class, d.Because = c.whole(d.Side)
	if d.Class == "" {
		d.Class, d.Because = classify(d.ID)
	}
	c.Differences = append(c.Differences, d)
}

// whole is the class of every difference of a Service of which no equality can
// be expected, "" for any other.
func (c *comparer) whole(side Side) (Class, string) {
	switch {
	case c.in.Reference != nil && side == OnlyOld:
		return OnlyInReference, "the reference has it"
	case c.in.Reference != nil:
		return NotInReference, "the reference does not say so"
	case c.old.lock:
		return LeaderLock, "the Endpoints object is the lock of a leader election"
	case c.old.skip:
		return SkipMirror, "the Endpoints object asks not to be mirrored"
	}
	return "", ""
}

// onlyOld classifies a backend that only Endpoints have.
func (c *comparer) onlyOld(id endpointset.ID) (Class, string) {
	pod, isPod := c.in.Pods[id.Addr]
	switch {
	case c.addrs[id.Addr] && !c.ported[id.Addr]:
		return WithoutPorts, "the slices have the address and no port for it"
	case isPod && c.in.Nodes != nil && !c.in.Nodes[pod.Node]:
		return NodeMissing, fmt.Sprintf("Pod %s is on Node %q, which does not exist", pod.Name, pod.Node)
	case isPod:
		return SlicesBehind, fmt.Sprintf("Pod %s has the address", pod.Name)
	case c.in.Pods == nil:
		return EndpointsStale, "no slice has it; Pods were not looked at"
	}
	return EndpointsStale, "no slice and no Pod has it"
}

// onlySlice classifies a backend that only the slices have.
func (c *comparer) onlySlice(id endpointset.ID) (Class, string) {
	b := c.backends[id]
	switch {
	case !c.old.exists && c.custom():
		return CustomSlices, "producers of their own write the slices: " + strings.Join(c.producers(), ", ")
	case !c.old.exists:
		return NoEndpoints, "there is no Endpoints object"
	case b.Terminating:
		return Terminating, "it is terminating"
	case !c.old.families[id.Family()] && c.secondary(id.Family()):
		return SecondFamily, "the Endpoints hold the other family"
	case c.old.truncated && len(c.old.addrs) == capacity:
		return OverCapacity, fmt.Sprintf("the Endpoints were cut off at %d", capacity)
	case c.old.truncated:
		return TruncatedWrongly, fmt.Sprintf("the Endpoints say that they were cut off at %d, and hold %d", capacity, len(c.old.addrs))
	}
	return EndpointsBehind, "the Endpoints could hold it"
}

// secondary reports that Endpoints do not hold the family: the Service says
// which is its first, or else the addresses that they do hold.
func (c *comparer) secondary(f endpointset.Family) bool {
	if c.in.Object != nil && len(c.in.Object.Spec.IPFamilies) > 0 {
		return string(c.in.Object.Spec.IPFamilies[0]) != f.String()
	}
	return len(c.old.families) > 0
}

func (c *comparer) readiness(id endpointset.ID) (Class, string) {
	if c.backends[id].Terminating {
		return Terminating, "it is terminating"
	}
	return EndpointsBehind, "the Endpoints say otherwise"
}

const (
	managedByController = "endpointslice-controller.k8s.io"
	managedByMirroring  = "endpointslicemirroring-controller.k8s.io"
)

// custom reports that neither controller writes the slices.
func (c *comparer) custom() bool {
	return len(c.managers) > 0 && c.managers[managedByController] == 0 && c.managers[managedByMirroring] == 0
}

func (c *comparer) producers() []string {
	var names []string
	for name := range c.managers {
		names = append(names, fmt.Sprintf("%q", name))
	}
	slices.Sort(names)
	return names
}

// findings looks at the Service as a whole.
func (c *comparer) findings() {
	if m, n := c.managers[managedByMirroring], c.managers[managedByController]; m > 0 && n > 0 {
		c.find(MirroredBesideManaged, "%d slices are from mirroring and %d from the endpointslice controller", m, n)
	}
	if c.in.Gone && len(c.own) > 0 {
		c.find(OrphanSlices, "there are %d slices and no Service", len(c.own))
	}
	if c.old.truncated && len(c.old.addrs) != capacity {
		c.find(TruncatedWrongly, "the Endpoints say that they were cut off at %d, and hold %d addresses", capacity, len(c.old.addrs))
	}
	if c.in.Object == nil {
		return
	}
	var others []string
	for _, s := range c.own {
		for _, o := range s.OwnerReferences {
			if o.Kind == "Service" && o.APIVersion == "v1" && o.UID != c.in.Object.UID {
				others = append(others, s.Name)
			}
		}
	}
	if len(others) > 0 {
		slices.Sort(others)
		c.find(AnotherService, "%d slices belong to a Service of that name with another UID: %s", len(others), someOf(others))
	}
}

func (c *comparer) find(class Class, format string, args ...any) {
	c.Findings = append(c.Findings, Finding{class, fmt.Sprintf(format, args...)})
}

// someOf lists three names at most: a message is no dump.
func someOf(names []string) string {
	if len(names) > 3 {
		return fmt.Sprintf("%q and %d more", names[:3], len(names)-3)
	}
	return fmt.Sprintf("%q", names)
}
