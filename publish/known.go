package publish

import (
	"fmt"
	"maps"
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
	return p.upstream.notThere(set)
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

// notThere says that the Service has endpoints and none of its slices has the
// upstream's port, "" if that is not so.
func (u *Upstream) notThere(set *endpointset.Set) string {
	ports, endpoints := map[string]bool{}, 0
	for _, s := range set.Slices() {
		endpoints += s.Len()
		for _, port := range s.Ports() {
			if u.isAt(port) {
				return ""
			}
			ports[fmt.Sprintf("%q/%s", port.Name, port.Protocol)] = true
		}
	}
	switch {
	case endpoints == 0:
		return ""
	case len(ports) == 0:
		return fmt.Sprintf("Service %s has no backend at port %q/%s; its slices have no port with a number", u.Service, u.Port, u.protocol())
	}
	return fmt.Sprintf("Service %s has no backend at port %q/%s; its slices have the ports %s",
		u.Service, u.Port, u.protocol(), listed(slices.Sorted(maps.Keys(ports))))
}

// listed joins names for a sentence. Whoever may write slices decides how many
// there are, so they are bounded.
func listed(names []string) string {
	const most = 20
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}
