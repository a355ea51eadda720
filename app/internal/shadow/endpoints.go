package shadow

//lint:file-ignore SA1019 the deprecated API is what this file reads

import (
	"cmp"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	netutils "k8s.io/utils/net"

	"github.com/slicewright/slicewright/endpointset"
)

// lockAnnotation marks an Endpoints object as the lock of a leader election. It is
// LeaderElectionRecordAnnotationKey of k8s.io/client-go/tools/leaderelection/resourcelock,
// copied because that package brings all of client-go.
const lockAnnotation = "control-plane.alpha.kubernetes.io/leader"

// capacity is how many addresses the endpoints controller puts into an object.
const capacity = 1000

// old is an Endpoints object as it is compared.
type old struct {
	exists bool
	// ready is whether each backend gets connections. Not ready anywhere is not
	// ready, as mirroring reads it.
	ready map[endpointset.ID]bool
	addrs map[netip.Addr]bool
	// families have at least one address.
	families              map[endpointset.Family]bool
	truncated, lock, skip bool
}

func readEndpoints(e *corev1.Endpoints) old {
	o := old{ready: map[endpointset.ID]bool{}, addrs: map[netip.Addr]bool{}, families: map[endpointset.Family]bool{}}
	if e == nil {
		return o
	}
	o.exists = true
	o.truncated = e.Annotations[corev1.EndpointsOverCapacity] == "truncated"
	_, o.lock = e.Annotations[lockAnnotation]
	o.skip = e.Labels[discovery.LabelSkipMirror] == "true"
	for i := range e.Subsets {
		subset := &e.Subsets[i]
		for _, a := range subset.Addresses {
			o.add(a.IP, subset.Ports, true)
		}
		for _, a := range subset.NotReadyAddresses {
			o.add(a.IP, subset.Ports, false)
		}
	}
	return o
}

// add leaves out what is no address: the API server takes none, and a consumer
// of Endpoints could not use it.
func (o *old) add(text string, ports []corev1.EndpointPort, ready bool) {
	addr, ok := netip.AddrFromSlice(netutils.ParseIPSloppy(text)) // with leading zeros, as Endpoints may have them
	if !ok {
		return
	}
	addr = addr.Unmap()
	o.addrs[addr] = true
	o.families[endpointset.FamilyOf(addr)] = true
	for _, p := range ports {
		if p.Port < 1 || p.Port > 65535 {
			continue
		}
		id := endpointset.ID{PortName: p.Name, Protocol: cmp.Or(string(p.Protocol), "TCP"), Addr: addr, Number: uint16(p.Port)}
		was, seen := o.ready[id]
		o.ready[id] = ready && (was || !seen)
	}
}
