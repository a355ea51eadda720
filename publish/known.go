package publish

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slicewright/slicewright/endpointset"
)

// unknown says why nobody knows the upstream's Service or port, "" if somebody
// does (S21). They are known for good when, once since the start, a slice of the
// Service had the port, or the Service had slices and no endpoint, or when the
// state on disk says that they were published before.
//
// A name that nobody knows is more likely misspelt than empty, and an empty set
// would take all backends away from a load balancer that works.
func (p *Publisher) unknown(set *endpointset.Set) string {
	p.mu.Lock()
	known := p.known
	p.mu.Unlock()
	if known {
		return ""
	}
	all := set.Slices()
	if len(all) == 0 {
		return fmt.Sprintf("no EndpointSlice in namespace %s says service-name %q: is the name right, and has the Service a selector or a controller that writes its slices?",
			p.upstream.Service.Namespace, p.upstream.Service.Name)
	}
	endpoints := 0
	for _, s := range all {
		endpoints += s.Len()
		known = known || slices.ContainsFunc(s.Ports(), p.upstream.isAt)
	}
	if known || endpoints == 0 {
		p.setKnown(true)
		return ""
	}
	return p.upstream.missing(set.Ports())
}

func (p *Publisher) setKnown(known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known = known
}

// isAt reports whether a slice's port is the upstream's.
func (u *Upstream) isAt(port endpointset.Port) bool {
	return port.Name == u.Port && port.Protocol == u.protocol()
}

// missing says that the upstream's port is not among the ports of the Service.
func (u *Upstream) missing(ports []endpointset.Port) string {
	there := "its slices have no port with a number"
	if len(ports) > 0 {
		var names []string
		for _, port := range ports {
			names = append(names, fmt.Sprintf("%q/%s", port.Name, port.Protocol))
		}
		there = "its slices have the ports " + listed(slices.Compact(names))
	}
	return fmt.Sprintf("Service %s has no backend at port %q/%s; %s", u.Service, u.Port, u.protocol(), there)
}

// listed joins names for a sentence. Their number is limited, because
// everybody who may write slices decides how many there are.
func listed(names []string) string {
	const most = 20
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}
