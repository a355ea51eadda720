package verify

import (
	"net/netip"
	"time"

	"github.com/slicewright/slicewright/endpointset"
)

// Standing is what the slices say of an address at a moment.
type Standing uint8

// The standings, from least to most.
const (
	// Absent: no slice of the Service has it. It is the zero value.
	Absent Standing = iota
	// Excluded: the slices have it, and it gets no connection: not ready, too far.
	Excluded
	// Terminating: open connections live on, new ones go elsewhere (S12).
	Terminating
	// Active: new connections may go there.
	Active
)

var standingNames = [...]string{"absent", "excluded", "terminating", "active"}

// String returns "absent", "excluded", "terminating" or "active".
func (s Standing) String() string {
	if int(s) < len(standingNames) {
		return standingNames[s]
	}
	return "unknown"
}

// MarshalText implements encoding.TextMarshaler.
func (s Standing) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Slices is what the slices of a Service say from a moment on. An address that
// is not in it is absent.
type Slices struct {
	At        time.Time
	Standings map[netip.AddrPort]Standing
	// Reasons say why an excluded address is excluded.
	Reasons map[netip.AddrPort]endpointset.Reason
}

// SlicesOf returns what a selection says. Backends that share address and port
// number, as two port names or protocols may, are one place to connect to; what
// is best for one of them holds.
func SlicesOf(at time.Time, sel endpointset.Selection) Slices {
	s := Slices{At: at, Standings: map[netip.AddrPort]Standing{}, Reasons: map[netip.AddrPort]endpointset.Reason{}}
	for i := range sel.Excluded {
		key := sel.Excluded[i].AddrPort()
		s.Standings[key], s.Reasons[key] = Excluded, sel.Excluded[i].Reason
	}
	for i := range sel.Draining {
		s.Standings[sel.Draining[i].AddrPort()] = Terminating
	}
	for i := range sel.Active {
		s.Standings[sel.Active[i].AddrPort()] = Active
	}
	return s
}

// said is a standing with its reason.
type said struct {
	standing Standing
	reason   endpointset.Reason
}

// byAddress adds to each address with a port the address alone, with port 0: it
// is how a consumer or an answer means it that knows no ports. Of several ports
// the best counts.
func byAddress[T any](m map[netip.AddrPort]T, less func(a, b T) bool) {
	alone := map[netip.AddrPort]T{}
	for key, value := range m {
		if key.Port() == 0 {
			continue
		}
		zero := netip.AddrPortFrom(key.Addr(), 0)
		if was, ok := alone[zero]; !ok || less(was, value) {
			alone[zero] = value
		}
	}
	for key, value := range alone {
		if was, ok := m[key]; !ok || less(was, value) {
			m[key] = value
		}
	}
}

// unmapped makes ::ffff:10.0.0.1 the IPv4 address that it is.
func unmapped(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap().WithZone(""), a.Port())
}
