package endpointset

import "strconv"

// Query is what is asked of a [Set]. The zero value asks for every port and both
// families under [PolicyReady], wherever a backend runs. Queries are comparable.
type Query struct {
	// Policy says which backends get new connections; "" is [PolicyReady].
	Policy Policy
	// Location says where the consumer runs; the zero value takes every place.
	Location Location
	// Port chooses ports by name; the zero value chooses every port.
	Port PortName
	// Protocol chooses ports by protocol, such as "TCP"; "" chooses every protocol.
	Protocol string
	// Family chooses one IP family; 0 chooses both.
	Family Family
}

// PortName chooses ports by their name. The zero value chooses every port.
//
// A plain string cannot say that: "" is the name of a Service's only port in
// Kubernetes, and a Service may have it beside named ones as far as slices are
// concerned. So "every port" is PortName{} and "the port without a name" is
// PortNamed("").
type PortName struct {
	name string
	one  bool
}

// PortNamed chooses the ports called name; "" is the name of an unnamed port.
func PortNamed(name string) PortName { return PortName{name, true} }

// Name returns the name that is chosen; chosen is false for every port.
func (p PortName) Name() (name string, chosen bool) { return p.name, p.one }

// Equal reports whether both choose the same ports, as == does. Packages that
// compare field by field, such as go-cmp, need it.
func (p PortName) Equal(other PortName) bool { return p == other }

// String returns the quoted name, or "every port".
func (p PortName) String() string {
	if !p.one {
		return "every port"
	}
	return strconv.Quote(p.name)
}

// Matches reports whether the query is about a backend: whether its port,
// protocol and family are chosen.
func (q Query) Matches(id ID) bool {
	return (!q.Port.one || q.Port.name == id.PortName) &&
		(q.Protocol == "" || q.Protocol == id.Protocol) &&
		(q.Family == 0 || q.Family == id.Family())
}
