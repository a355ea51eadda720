package endpointset

import (
	"cmp"
	"net/netip"
	"strconv"
)

// ServiceKey names a Service.
type ServiceKey struct {
	Namespace, Name string
}

// String returns "namespace/name".
func (k ServiceKey) String() string { return k.Namespace + "/" + k.Name }

// compare orders by namespace, then by name.
func (k ServiceKey) compare(other ServiceKey) int {
	return cmp.Or(cmp.Compare(k.Namespace, other.Namespace), cmp.Compare(k.Name, other.Name))
}

// SliceKey names an EndpointSlice.
type SliceKey struct {
	Namespace, Name string
}

// String returns "namespace/name".
func (k SliceKey) String() string { return k.Namespace + "/" + k.Name }

// Family is an IP family. IPv4 and IPv6 backends are never merged (S3).
type Family uint8

// The families, in the order of S8.
const (
	IPv4 Family = 4
	IPv6 Family = 6
)

// String returns the API's addressType for the family.
func (f Family) String() string {
	switch f {
	case IPv4:
		return "IPv4"
	case IPv6:
		return "IPv6"
	}
	return "Family(" + strconv.Itoa(int(f)) + ")"
}

// FamilyOf returns the family of a valid, unmapped address.
func FamilyOf(a netip.Addr) Family {
	if a.Is4() {
		return IPv4
	}
	return IPv6
}

// Port is one port of an EndpointSlice. A missing name is "", a missing
// protocol is "TCP", and Number is never 0 (S2).
type Port struct {
	Name     string
	Protocol string
	Number   uint16
	// AppProtocol is what the producer says is spoken there, "" when it says
	// nothing. It is no part of a backend's identity.
	AppProtocol string
}

// ID is what makes a backend itself (S5), within one Service. The family is
// that of Addr. The zero value names no backend.
type ID struct {
	PortName string
	Protocol string
	Addr     netip.Addr
	Number   uint16
}

// Family returns the IP family of the backend.
func (id ID) Family() Family { return FamilyOf(id.Addr) }

// AddrPort returns where a connection to the backend goes.
func (id ID) AddrPort() netip.AddrPort { return netip.AddrPortFrom(id.Addr, id.Number) }

// Compare orders by port name, protocol, family, address as a number and port
// number (S8). It is 0 only for equal IDs.
func (id ID) Compare(other ID) int {
	return cmp.Or(
		cmp.Compare(id.PortName, other.PortName),
		cmp.Compare(id.Protocol, other.Protocol),
		id.Addr.Compare(other.Addr), // IPv4 sorts before IPv6
		cmp.Compare(id.Number, other.Number),
	)
}

// Conditions are an endpoint's, with the defaults for absent ones filled in:
// an absent ready or serving is true, an absent terminating is false (S4).
type Conditions struct {
	Ready, Serving, Terminating bool
}

// Target is the object behind an endpoint. It is the zero value for an
// endpoint without a targetRef.
type Target struct {
	Kind, Namespace, Name, UID string
}

// Backend is one place that a connection for a Service can go, as the record
// that speaks for it gives it (S6).
type Backend struct {
	ID
	Conditions
	AppProtocol string
	// Zone and Node are where the endpoint runs, "" when the slice does not say.
	Zone, Node string
	// ForZones and ForNodes are the topology hints, sorted. They are shared
	// between backends and must not be modified.
	ForZones, ForNodes []string
	Target             Target
	// Refused says why the backend is not believed, "" if it is. Such a backend
	// is never chosen.
	Refused Reason
	// Slice is the name of the EndpointSlice whose record speaks for the
	// backend. A backend that moves from slice to slice stays the same backend.
	Slice string
}

// Endpoint returns "ip:port", for IPv6 "[ip]:port".
func (b Backend) Endpoint() string { return b.AddrPort().String() }
