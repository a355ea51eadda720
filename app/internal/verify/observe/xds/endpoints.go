package xds

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	corev3 "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	endpointv3 "github.com/envoyproxy/go-control-plane/envoy/config/endpoint/v3"

	"github.com/slicewright/slicewright/app/internal/verify"
)

// defaultOverprovisioning is Envoy's, in percent: a priority takes all traffic as
// long as 1/1.4 of its endpoints are healthy.
const defaultOverprovisioning = 140

// priority counts the endpoints of one priority.
type priority struct{ all, usable uint64 }

// members turns an assignment into members.
func members(assignment *endpointv3.ClusterLoadAssignment) ([]verify.Member, error) {
	needed := neededPriorities(assignment)
	var list []verify.Member
	for _, locality := range assignment.GetEndpoints() {
		if locality.GetLbConfig() != nil {
			return nil, errors.New("its endpoints are in other resources (LEDS), which are not read")
		}
		for _, e := range locality.GetLbEndpoints() {
			use, detail := use(e.GetHealthStatus())
			if use == verify.New && !needed[locality.GetPriority()] {
				use, detail = verify.Idle, fmt.Sprintf("%s, priority %d", detail, locality.GetPriority())
			}
			addresses, err := addresses(e)
			if err != nil && use == verify.Idle {
				continue // gets nothing, so it is nothing to compare
			} else if err != nil {
				return nil, err
			}
			for _, a := range addresses {
				list = append(list, verify.Member{Address: a, Use: use, Open: verify.Unknown, Total: verify.Unknown, Detail: detail})
			}
		}
	}
	return list, nil
}

// neededPriorities returns the priorities that get traffic: the first ones, as
// many as are needed to carry all of it. When none can, all do.
func neededPriorities(assignment *endpointv3.ClusterLoadAssignment) map[uint32]bool {
	counts := map[uint32]priority{}
	for _, locality := range assignment.GetEndpoints() {
		p := counts[locality.GetPriority()]
		for _, e := range locality.GetLbEndpoints() {
			p.all++
			if use, _ := use(e.GetHealthStatus()); use == verify.New {
				p.usable++
			}
		}
		counts[locality.GetPriority()] = p
	}
	factor := uint64(defaultOverprovisioning)
	if given := assignment.GetPolicy().GetOverprovisioningFactor(); given != nil {
		factor = uint64(given.GetValue())
	}
	needed := map[uint32]bool{}
	left := uint64(100)
	for _, number := range slices.Sorted(maps.Keys(counts)) {
		p := counts[number]
		if left == 0 {
			break
		}
		if p.usable > 0 {
			needed[number] = true
			left -= min(left, p.usable*factor/p.all)
		}
	}
	return needed
}

func use(health corev3.HealthStatus) (verify.Use, string) {
	switch health {
	case corev3.HealthStatus_HEALTHY, corev3.HealthStatus_UNKNOWN, corev3.HealthStatus_DEGRADED:
		return verify.New, health.String()
	case corev3.HealthStatus_DRAINING:
		return verify.Draining, health.String()
	}
	// UNHEALTHY, TIMEOUT, and what a later version may add.
	return verify.Idle, health.String()
}

// addresses returns an endpoint's address, and its further ones (of the other IP
// family, as a rule).
func addresses(e *endpointv3.LbEndpoint) ([]netip.AddrPort, error) {
	if e.GetEndpoint() == nil {
		return nil, fmt.Errorf("an endpoint is only the name %.80q", e.GetEndpointName())
	}
	all := []*corev3.Address{e.GetEndpoint().GetAddress()}
	for _, more := range e.GetEndpoint().GetAdditionalAddresses() {
		all = append(all, more.GetAddress())
	}
	var list []netip.AddrPort
	for _, a := range all {
		socket := a.GetSocketAddress()
		if socket == nil {
			return nil, errors.New("an endpoint is a unix socket or an internal listener: it cannot be held against slices")
		}
		ip, err := netip.ParseAddr(socket.GetAddress())
		if err != nil || ip.Zone() != "" {
			return nil, fmt.Errorf("the endpoint %.100q is no IP address: it cannot be held against slices", socket.GetAddress())
		}
		if n := socket.GetPortValue(); n == 0 || n > 65535 {
			return nil, fmt.Errorf("the endpoint %s has port %d", ip, n)
		}
		list = append(list, netip.AddrPortFrom(ip, uint16(socket.GetPortValue())))
	}
	return list, nil
}
