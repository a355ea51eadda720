package producer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	"k8s.io/utils/ptr"

	"github.com/slicewright/slicewright/endpointset"
)

// portKey names a set of ports whatever their order. Slices with equal keys can
// hold each other's endpoints.
type portKey string

// keyOfPorts quotes names, because the names in existing slices are untrusted
// text.
func keyOfPorts(ports []endpointset.Port) portKey {
	var b strings.Builder
	for _, p := range sortedPorts(ports) {
		fmt.Fprintf(&b, "%q/%q/%d/%q;", p.Name, p.Protocol, p.Number, p.AppProtocol)
	}
	return portKey(b.String())
}

// sortedPorts returns ports in a fixed order with the protocol filled in.
func sortedPorts(ports []endpointset.Port) []endpointset.Port {
	sorted := slices.Clone(ports)
	for i := range sorted {
		sorted[i].Protocol = cmp.Or(sorted[i].Protocol, "TCP")
	}
	slices.SortFunc(sorted, comparePorts)
	return sorted
}

func comparePorts(a, b endpointset.Port) int {
	return cmp.Or(
		cmp.Compare(a.Name, b.Name),
		cmp.Compare(a.Protocol, b.Protocol),
		cmp.Compare(a.Number, b.Number),
		cmp.Compare(a.AppProtocol, b.AppProtocol),
	)
}

// portsOf reads the ports of a slice by their meaning (S2). A port without a
// number keeps number 0, so that its slice equals no desired one.
func portsOf(slice *discovery.EndpointSlice) []endpointset.Port {
	ports := make([]endpointset.Port, len(slice.Ports))
	for i, p := range slice.Ports {
		ports[i] = endpointset.Port{
			Name:        ptr.Deref(p.Name, ""),
			Protocol:    string(ptr.Deref(p.Protocol, corev1.ProtocolTCP)),
			AppProtocol: ptr.Deref(p.AppProtocol, ""),
		}
		if n := ptr.Deref(p.Port, 0); n > 0 && n <= 65535 {
			ports[i].Number = uint16(n)
		}
	}
	return ports
}

func renderPorts(ports []endpointset.Port) []discovery.EndpointPort {
	rendered := make([]discovery.EndpointPort, len(ports))
	for i, p := range ports {
		rendered[i] = discovery.EndpointPort{
			Name:     ptr.To(p.Name),
			Protocol: ptr.To(corev1.Protocol(p.Protocol)),
			Port:     ptr.To(int32(p.Number)),
		}
		if p.AppProtocol != "" {
			rendered[i].AppProtocol = ptr.To(p.AppProtocol)
		}
	}
	return rendered
}

// identity is the part of a port that a backend's identity has (S5).
func identity(p endpointset.Port) endpointset.Port {
	return endpointset.Port{Name: p.Name, Protocol: cmp.Or(p.Protocol, "TCP"), Number: p.Number}
}

// portText is a port for people: "http:8080/TCP".
func portText(p endpointset.Port) string {
	text := fmt.Sprintf("%d/%s", p.Number, cmp.Or(p.Protocol, "TCP"))
	if p.Name != "" {
		text = p.Name + ":" + text
	}
	return text
}
