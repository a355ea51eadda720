package timeline

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/slicewright/slicewright/endpointset"
)

// SliceHeader is what a slice says once for all its endpoints. It is comparable.
type SliceHeader struct {
	Key endpointset.SliceKey
	UID string
	// Service is the service-name label, "" without one (S1).
	Service     string
	ManagedBy   string
	AddressType string
	// Ports is the JSON text of the ports in the slice's order, made by portsText.
	Ports string
}

// ServiceKey returns the Service that the slice belongs to, if any.
func (h SliceHeader) ServiceKey() (endpointset.ServiceKey, bool) {
	return endpointset.ServiceKey{Namespace: h.Key.Namespace, Name: h.Service}, h.Service != ""
}

// PortList returns the ports with defaults filled in (S2); a port without a
// number has Number 0.
func (h SliceHeader) PortList() []endpointset.Port {
	var ports []port
	if err := json.Unmarshal([]byte(h.Ports), &ports); err != nil {
		return nil
	}
	list := make([]endpointset.Port, 0, len(ports))
	for _, p := range ports {
		protocol := p.Protocol
		if protocol == "" {
			protocol = "TCP"
		}
		list = append(list, endpointset.Port{Name: p.Name, Protocol: protocol, Number: p.Number, AppProtocol: p.App})
	}
	return list
}

// port is the stored form of a slice's port.
type port struct {
	Name     string `json:"name,omitempty"`
	Protocol string `json:"protocol,omitempty"`
	Number   uint16 `json:"port,omitempty"`
	App      string `json:"appProtocol,omitempty"`
}

// EntryKey names an endpoint within one slice. Order within a slice has meaning
// only between entries of one address (S6), so those are counted.
type EntryKey struct {
	Address string
	N       int
}

// Endpoint is one endpoint as one slice gives it. It is comparable.
type Endpoint struct {
	EndpointRecord
	Conditions
}

// EndpointRecord is what seldom changes of an endpoint.
type EndpointRecord struct {
	// Addresses are all that were written, joined by commas; only the first has
	// meaning (S3).
	Addresses  string
	Hostname   string
	Node, Zone string
	ForZones   string // zone hints, joined by commas
	ForNodes   string // node hints, joined by commas
	Target     endpointset.Target
}

// Address returns the first address as it was written, "" without one.
func (r EndpointRecord) Address() string {
	first, _, _ := strings.Cut(r.Addresses, ",")
	return listUnescape.Replace(first)
}

// EndpointChange is what one write did to one endpoint of a slice.
type EndpointChange struct {
	EntryKey
	Removed bool
	// Endpoint is what it is now; for a removed one, what it was.
	Endpoint Endpoint
}

// SliceChange is one write of a slice, as the difference to what it was before.
type SliceChange struct {
	SliceHeader
	ResourceVersion string
	// Written is the newest time among the managed fields, and Triggered the
	// annotation last-change-trigger-time; zero where the API does not say.
	Written, Triggered time.Time
	// Endpoints are only those that changed.
	Endpoints []EndpointChange
}

// Slice is the state of one slice.
type Slice struct {
	SliceHeader
	ResourceVersion    string
	Written, Triggered time.Time
	Entries            map[EntryKey]Endpoint
}

// headerOf reads a slice's header.
func headerOf(s *discoveryv1.EndpointSlice) SliceHeader {
	return SliceHeader{
		Key:         endpointset.SliceKey{Namespace: s.Namespace, Name: s.Name},
		UID:         string(s.UID),
		Service:     s.Labels[discoveryv1.LabelServiceName],
		ManagedBy:   s.Labels[discoveryv1.LabelManagedBy],
		AddressType: string(s.AddressType),
		Ports:       portsText(s.Ports),
	}
}

func portsText(ports []discoveryv1.EndpointPort) string {
	if len(ports) == 0 {
		return "[]"
	}
	list := make([]port, 0, len(ports))
	for _, p := range ports {
		var q port
		if p.Name != nil {
			q.Name = *p.Name
		}
		if p.Protocol != nil && *p.Protocol != "TCP" {
			q.Protocol = string(*p.Protocol)
		}
		if p.Port != nil && *p.Port > 0 && *p.Port <= 65535 {
			q.Number = uint16(*p.Port)
		}
		if p.AppProtocol != nil {
			q.App = *p.AppProtocol
		}
		list = append(list, q)
	}
	text, err := json.Marshal(list)
	if err != nil { // strings and numbers always marshal
		panic(fmt.Sprintf("timeline: ports: %v", err))
	}
	return string(text)
}

// entriesOf reads a slice's endpoints.
func entriesOf(s *discoveryv1.EndpointSlice) map[EntryKey]Endpoint {
	entries := make(map[EntryKey]Endpoint, len(s.Endpoints))
	for i := range s.Endpoints {
		e := endpointOf(&s.Endpoints[i])
		key := EntryKey{Address: e.Address()}
		for _, taken := entries[key]; taken; _, taken = entries[key] {
			key.N++
		}
		entries[key] = e
	}
	return entries
}

func endpointOf(e *discoveryv1.Endpoint) Endpoint {
	out := Endpoint{Conditions: Conditions{
		Ready:       ConditionOf(e.Conditions.Ready),
		Serving:     ConditionOf(e.Conditions.Serving),
		Terminating: ConditionOf(e.Conditions.Terminating),
	}}
	out.Addresses = joinList(e.Addresses)
	if e.Hostname != nil {
		out.Hostname = *e.Hostname
	}
	if e.NodeName != nil {
		out.Node = *e.NodeName
	}
	if e.Zone != nil {
		out.Zone = *e.Zone
	}
	if e.Hints != nil {
		out.ForZones = joinNames(e.Hints.ForZones, func(z discoveryv1.ForZone) string { return z.Name })
		out.ForNodes = joinNames(e.Hints.ForNodes, func(n discoveryv1.ForNode) string { return n.Name })
	}
	if t := e.TargetRef; t != nil {
		out.Target = endpointset.Target{Kind: t.Kind, Namespace: t.Namespace, Name: t.Name, UID: string(t.UID)}
	}
	return out
}

// Lists are kept as one text, which is comparable and reads well in SQL. A
// comma inside a name is no legal name anywhere, but must not split it.
var (
	listEscape   = strings.NewReplacer("%", "%25", ",", "%2C")
	listUnescape = strings.NewReplacer("%25", "%", "%2C", ",")
)

func joinList(names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return listEscape.Replace(names[0])
	}
	escaped := make([]string, len(names))
	for i, n := range names {
		escaped[i] = listEscape.Replace(n)
	}
	return strings.Join(escaped, ",")
}

func joinNames[T any](list []T, name func(T) string) string {
	names := make([]string, len(list))
	for i, x := range list {
		names[i] = name(x)
	}
	return joinList(names)
}

// splitList is the inverse of joinList, but for a list of one empty name.
func splitList(text string) []string {
	if text == "" {
		return nil
	}
	names := strings.Split(text, ",")
	for i, n := range names {
		names[i] = listUnescape.Replace(n)
	}
	return names
}
