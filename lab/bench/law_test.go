package bench

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/proxy"

	"github.com/slicewright/slicewright/endpointset"
)

var seed = flag.Uint64("seed", 0, "seed of the generated Services; 0 takes a new one")

// Policy kube-proxy, with hints, gives new connections to exactly those to which
// kube-proxy's own code gives them: at least 100,000 Services, port by port and
// family by family (S9, S10, S11).
func TestPolicyKubeProxyEqualsKubeProxy(t *testing.T) {
	const services = 100_000
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	t.Logf("again with: go test ./bench -run %s -seed %d", t.Name(), *seed)
	klog.SetLogger(logr.Discard()) // kube-proxy's code says what it ignores

	g := newGenerator(*seed)
	ix := endpointset.NewIndex(endpointset.Options{})
	ports := newServicePorts(t)
	seen := coverage{triples: map[[3]byte]int{}}
	for seen.compared < services {
		g.nextService()
		first := g.slices()
		last := g.laterSlices(first)
		if contradictory(last) {
			// Which record kube-proxy takes depends on the order of a map then.
			seen.leftOut++
			if seen.leftOut > services {
				t.Fatalf("%d of %d Services were left out", seen.leftOut, seen.leftOut+seen.compared)
			}
			continue
		}
		theirs := newKubeProxies()
		theirs.apply(nil, first)
		theirs.apply(first, last)
		replace(ix, first)
		for _, es := range first {
			if !slices.ContainsFunc(last, func(l *discoveryv1.EndpointSlice) bool { return l.Name == es.Name }) {
				ix.Delete(endpointset.SliceKey{Namespace: es.Namespace, Name: es.Name})
			}
		}
		for _, es := range last {
			ix.Apply(ix.Parse(es))
		}

		at := g.location()
		sel := ix.Service(endpointset.ServiceKey{Namespace: "t", Name: g.service}).Select(endpointset.Query{Policy: endpointset.PolicyKubeProxy, Location: at})
		want, got := theirs.choose(ports, at), chosen(sel)
		for group := range maps.Keys(merged(want, got)) {
			if !slices.Equal(want[group], got[group]) {
				t.Fatalf("at zone %q, node %q, %s: kube-proxy gives new connections to %v, we to %v\n%s",
					at.Zone, at.Node, group, want[group], got[group], describe(last))
			}
		}
		seen.note(last, sel)
	}
	seen.check(t)
}

// chosen returns the active addresses by port and family.
func chosen(sel endpointset.Selection) map[string][]string {
	byGroup := map[string][]string{}
	for _, b := range sel.Active {
		group := groupName(b.PortName, b.Protocol, b.Family().String())
		byGroup[group] = append(byGroup[group], b.Endpoint())
	}
	for _, addresses := range byGroup {
		slices.Sort(addresses) // kube-proxy's order is that of the text
	}
	return byGroup
}

func groupName(port, protocol, family string) string {
	return fmt.Sprintf("port %q/%s/%s", port, protocol, family)
}

func merged(a, b map[string][]string) map[string][]string {
	both := maps.Clone(a)
	maps.Copy(both, b)
	return both
}

// kubeProxies are the two halves of a kube-proxy, one for each family.
type kubeProxies [2]struct {
	addressType discoveryv1.AddressType
	tracker     *proxy.EndpointsChangeTracker
	endpoints   proxy.EndpointsMap
}

func newKubeProxies() *kubeProxies {
	var k kubeProxies
	for i, family := range []corev1.IPFamily{corev1.IPv4Protocol, corev1.IPv6Protocol} {
		k[i].addressType = discoveryv1.AddressType(family)
		k[i].tracker = proxy.NewEndpointsChangeTracker(family, "n1", nil, nil)
		k[i].endpoints = proxy.EndpointsMap{}
	}
	return &k
}

// apply takes the step from one list of slices to the next.
func (k *kubeProxies) apply(before, after []*discoveryv1.EndpointSlice) {
	for i := range k {
		for _, es := range before {
			if !slices.ContainsFunc(after, func(a *discoveryv1.EndpointSlice) bool { return a.Name == es.Name }) {
				k[i].tracker.EndpointSliceUpdate(es, true)
			}
		}
		for _, es := range after {
			k[i].tracker.EndpointSliceUpdate(es, false)
		}
		k[i].endpoints.Update(k[i].tracker)
	}
}

// choose returns what kube-proxy would give new connections to.
func (k *kubeProxies) choose(ports servicePorts, at endpointset.Location) map[string][]string {
	byGroup := map[string][]string{}
	for i := range k {
		for name, endpoints := range k[i].endpoints {
			cluster, _, _, _ := proxy.CategorizeEndpoints(endpoints, ports[i], at.Node, map[string]string{corev1.LabelTopologyZone: at.Zone})
			for _, ep := range cluster {
				group := groupName(name.Port, string(name.Protocol), string(k[i].addressType))
				byGroup[group] = append(byGroup[group], ep.String())
			}
		}
	}
	for _, addresses := range byGroup {
		slices.Sort(addresses)
	}
	return byGroup
}

// servicePorts is, for each family, a port of a Service with traffic policy
// Cluster, which is all that the choice takes from it.
type servicePorts [2]proxy.ServicePort

func newServicePorts(t *testing.T) servicePorts {
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "t", Name: "web"},
		Spec: corev1.ServiceSpec{
			ClusterIP: "10.96.0.10", ClusterIPs: []string{"10.96.0.10", "fd00:96::10"},
			IPFamilies: []corev1.IPFamily{corev1.IPv4Protocol, corev1.IPv6Protocol},
			Ports:      []corev1.ServicePort{{Name: "http", Protocol: corev1.ProtocolTCP, Port: 80}},
		},
	}
	var ports servicePorts
	for i, family := range service.Spec.IPFamilies {
		tracker := proxy.NewServiceChangeTracker(family, nil, nil)
		tracker.Update(nil, service)
		all := proxy.ServicePortMap{}
		all.Update(tracker)
		if len(all) != 1 {
			t.Fatalf("kube-proxy made %d ports of a Service with one", len(all))
		}
		for _, port := range all {
			ports[i] = port
		}
		if !ports[i].UsesClusterEndpoints() || ports[i].UsesLocalEndpoints() {
			t.Fatal("the Service is not one of traffic policy Cluster alone")
		}
	}
	return ports
}

// coverage counts what the generated Services were like: a law that never met
// the interesting cases proves little.
type coverage struct {
	compared, leftOut                  int
	fallback, several, ipv6, duplicate int
	narrowed, unhinted, nothing        int
	triples                            map[[3]byte]int
}

func (c *coverage) note(last []*discoveryv1.EndpointSlice, sel endpointset.Selection) {
	c.compared++
	hinted := false
	for _, es := range last {
		if es.AddressType == discoveryv1.AddressTypeIPv6 {
			c.ipv6++
		}
		for i := range es.Endpoints {
			e := &es.Endpoints[i]
			hinted = hinted || e.Hints != nil
			c.triples[[3]byte{text(e.Conditions.Ready), text(e.Conditions.Serving), text(e.Conditions.Terminating)}]++
		}
	}
	count := func(is bool, n *int) {
		if is {
			*n++
		}
	}
	count(sel.Fallback, &c.fallback)
	count(len(last) > 1, &c.several)
	count(!hinted, &c.unhinted)
	count(len(sel.Active) == 0, &c.nothing)
	count(slices.ContainsFunc(sel.Excluded, func(x endpointset.Exclusion) bool { return x.Reason == endpointset.ReasonOutsideTopology }), &c.narrowed)
	count(slices.ContainsFunc(sel.Diagnostics, func(d endpointset.Diagnostic) bool { return d.Code == endpointset.CodeDuplicate }), &c.duplicate)
}

func (c *coverage) check(t *testing.T) {
	t.Logf("%d Services compared, %d left out because slices contradict each other: %d with several slices, %d with duplicates, %d fell back, %d kept in a zone or node, %d without hints, %d with nothing to choose; %d IPv6 slices",
		c.compared, c.leftOut, c.several, c.duplicate, c.fallback, c.narrowed, c.unhinted, c.nothing, c.ipv6)
	if len(c.triples) != 27 {
		t.Errorf("%d of the 27 combinations of conditions occurred", len(c.triples))
	}
	for name, n := range map[string]int{
		"several slices": c.several, "duplicates": c.duplicate, "fallback": c.fallback, "topology": c.narrowed,
		"no hints": c.unhinted, "nothing to choose": c.nothing, "IPv6": c.ipv6,
	} {
		if n < c.compared/100 {
			t.Errorf("%s: only %d of %d Services", name, n, c.compared)
		}
	}
}

// contradictory reports whether two records say different things about one
// backend. It compares as texts, so that two spellings of one thing are left
// out too.
func contradictory(all []*discoveryv1.EndpointSlice) bool {
	said := map[string]string{}
	for _, es := range all {
		for _, p := range es.Ports {
			if p.Port == nil {
				continue
			}
			for i := range es.Endpoints {
				e := &es.Endpoints[i]
				if len(e.Addresses) == 0 {
					continue
				}
				backend := fmt.Sprint(*p.Name, *p.Protocol, *p.Port, e.Addresses[0])
				record := describeEndpoint(e)
				if before, again := said[backend]; again && before != record {
					return true
				}
				said[backend] = record
			}
		}
	}
	return false
}

func describe(all []*discoveryv1.EndpointSlice) string {
	var lines string
	for _, es := range all {
		lines += fmt.Sprintf("%s %s", es.Name, es.AddressType)
		for _, p := range es.Ports {
			number := int32(-1)
			if p.Port != nil {
				number = *p.Port
			}
			lines += fmt.Sprintf(" %q/%s/%d", *p.Name, *p.Protocol, number)
		}
		lines += "\n"
		for i := range es.Endpoints {
			lines += fmt.Sprintf("  %v %s\n", es.Endpoints[i].Addresses, describeEndpoint(&es.Endpoints[i]))
		}
	}
	return lines
}

// describeEndpoint gives conditions in the notation of docs/semantics.md, and
// the hints.
func describeEndpoint(e *discoveryv1.Endpoint) string {
	c := e.Conditions
	record := fmt.Sprintf("%c/%c/%c", text(c.Ready), text(c.Serving), text(c.Terminating))
	if e.Hints != nil {
		record += fmt.Sprint(" for ", e.Hints.ForZones, e.Hints.ForNodes)
	}
	return record
}

func text(condition *bool) byte {
	switch {
	case condition == nil:
		return '-'
	case *condition:
		return 'T'
	}
	return 'F'
}
