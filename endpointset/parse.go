package endpointset

import (
	"encoding/binary"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unique"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/slicewright/slicewright/internal/text"
)

// Parse takes from an EndpointSlice what a join needs. It changes nothing in the
// index; hand the result to [Index.Apply] or [Index.Replace] of the same index,
// whose [Options] decided what is believed.
//
// Parse never fails: what cannot be used is left out, piece by piece, and named
// in the diagnostics of the Service's [Set]. The object is only read (S19) and
// not kept. Parse of nil is nil.
func (ix *Index) Parse(es *discoveryv1.EndpointSlice) *Slice {
	if es == nil {
		return nil
	}
	manager := es.Labels[discoveryv1.LabelManagedBy]
	name, service := cloneNames(es.Name, es.Labels[discoveryv1.LabelServiceName])
	s := &Slice{
		key:     SliceKey{ix.names.handle(es.Namespace, &es.Namespace).Value(), name},
		service: service,
		trigger: parseTrigger(es.Annotations[corev1.EndpointsLastChangeTriggerTime]),
		manager: ix.names.handle(manager, &manager),
		family:  FamilyOfAddressType(es.AddressType),
		refused: ix.options.refuseManager(manager),
	}
	version := wellFormed(es.ResourceVersion)
	if s.family == 0 {
		s.version = strings.Clone(version)
		s.diagnose(CodeUnsupportedAddressType, "addressType %s has no defined meaning: none of its %d endpoints is used",
			text.Quote(string(es.AddressType)), len(es.Endpoints))
		return s
	}
	s.parsePorts(es, ix)
	s.parseEndpoints(es, version, ix)
	return s
}

// cloneNames returns copies of a slice's name and its Service's name. They
// share their bytes: the name of a slice begins, as a rule, with its Service's.
func cloneNames(name, service string) (string, string) {
	if strings.HasPrefix(name, service) {
		name = strings.Clone(name)
		return name, name[:len(service)]
	}
	both := name + service
	return both[:len(name)], both[len(name):]
}

func (s *Slice) diagnose(code Code, format string, args ...any) {
	s.found = append(s.found, Diagnostic{Code: code, Slice: s.key.Name, Message: fmt.Sprintf(format, args...)})
}

// parsePorts keeps the ports that have a number, each once, sorted.
func (s *Slice) parsePorts(es *discoveryv1.EndpointSlice, ix *Index) {
	var without tally
	s.ports = make([]unique.Handle[Port], 0, len(es.Ports))
	for i := range es.Ports {
		p := &es.Ports[i]
		port := Port{Name: deref(p.Name), Protocol: string(corev1.ProtocolTCP), AppProtocol: deref(p.AppProtocol)}
		if p.Protocol != nil && *p.Protocol != "" {
			port.Protocol = string(*p.Protocol)
		}
		number := deref(p.Port)
		if number < 1 || number > math.MaxUint16 {
			without.addf("port %s has the number %d", text.Quote(port.Name), number)
			continue
		}
		port.Number = uint16(number)
		s.ports = append(s.ports, ix.ports.handle(port.Name, &port))
	}
	slices.SortStableFunc(s.ports, comparePorts)
	s.ports = slices.CompactFunc(s.ports, func(a, b unique.Handle[Port]) bool { return comparePorts(a, b) == 0 })

	switch {
	case without.count > 0:
		s.diagnose(CodeNoPort, "%s: it gives no backend", without.text())
	case len(es.Ports) == 0 && len(es.Endpoints) > 0:
		// The controller's placeholder for a Service without Pods has no ports
		// and no endpoints either, and is nothing to report.
		s.diagnose(CodeNoPort, "the slice has no ports: none of its %d endpoints gives a backend", len(es.Endpoints))
	}
}

// comparePorts orders by what is part of a backend's identity.
func comparePorts(a, b unique.Handle[Port]) int {
	if a == b {
		return 0
	}
	p, q := a.Value(), b.Value()
	return ID{PortName: p.Name, Protocol: p.Protocol, Number: p.Number}.
		Compare(ID{PortName: q.Name, Protocol: q.Protocol, Number: q.Number})
}

// parseEndpoints keeps the endpoints that have a usable address (S3), and all
// the text of the slice that no other slice has, in one piece.
func (s *Slice) parseEndpoints(es *discoveryv1.EndpointSlice, version string, ix *Index) {
	var invalid, extra tally
	prefix := namePrefix(es.Endpoints)
	s.records = make([]record, 0, len(es.Endpoints))
	sorted := true
	text := make([]byte, 0, 1024) // enough for most slices, and not on the heap
	text = append(text, version...)
	text = append(text, prefix...)
	own := len(text)
	// Once a slice: once an endpoint would be a twentieth of the time.
	ix.places.mu.Lock()
	defer ix.places.mu.Unlock()
	for i := range es.Endpoints {
		ep := &es.Endpoints[i]
		addr, ok := parseAddress(ep.Addresses, s.family)
		if !ok {
			invalid.addf("endpoint %d has %s", i, describe(ep.Addresses))
			continue
		}
		if len(ep.Addresses) > 1 {
			extra.addf("%s", addr)
		}
		p := placeOf(ep)
		r := record{addr: addr.As16(), flags: ConditionsOf(ep.Conditions).flags(), place: ix.places.handleLocked(p.node, &p)}
		if ix.options.refuseAddr(addr) {
			r.flags |= flagRefused
		}
		if ep.TargetRef != nil {
			text = r.setTarget(text, own, ep.TargetRef.Name[len(prefix):], string(ep.TargetRef.UID))
		}
		if n := len(s.records); n > 0 && r.addr.compare(s.records[n-1].addr) < 0 {
			sorted = false
		}
		s.records = append(s.records, r)
	}
	all := string(text)
	s.version, s.prefix, s.text = all[:len(version)], all[len(version):own], all[own:]
	if !sorted {
		sortRecords(s.records, s.family)
	}
	if cap(s.records) > len(s.records) {
		s.records = slices.Clone(s.records)
	}

	if invalid.count > 0 {
		s.diagnose(CodeInvalidAddress, "%s: not usable in an %s slice", invalid.text(), s.family)
	}
	if extra.count > 0 {
		s.diagnose(CodeExtraAddresses, "%s: only the first address of an endpoint has a meaning", extra.text())
	}
}

// sortRecords sorts by address. Records of one address stay in their order,
// which has a meaning (S6).
func sortRecords(records []record, family Family) {
	if family != IPv4 {
		slices.SortStableFunc(records, func(a, b record) int { return a.addr.compare(b.addr) })
		return
	}
	// Producers list endpoints in any order, so this is the common case. An IPv4
	// address and the record's place fit into one number; sorting numbers takes
	// a quarter of the time of moving records about.
	keys := make([]uint64, 0, 128) // for most slices not on the heap
	for i := range records {
		keys = append(keys, uint64(binary.BigEndian.Uint32(records[i].addr[12:]))<<32|uint64(i))
	}
	slices.Sort(keys)
	// Then each record goes to its place once, along the cycles of the order.
	from := func(i int) int { return int(uint32(keys[i])) }
	for start := range records {
		first, at := records[start], start
		for from(at) != start {
			source := from(at)
			records[at] = records[source]
			keys[at] = uint64(at)
			at = source
		}
		records[at] = first
		keys[at] = uint64(at)
	}
}

// namePrefix returns what the names of all targets begin with, as part of one
// of the names.
func namePrefix(endpoints []discoveryv1.Endpoint) string {
	prefix, seen := "", false
	for i := range endpoints {
		ref := endpoints[i].TargetRef
		switch {
		case ref == nil:
		case !seen:
			prefix, seen = ref.Name, true
		case !strings.HasPrefix(ref.Name, prefix):
			n := 0
			for n < len(prefix) && n < len(ref.Name) && prefix[n] == ref.Name[n] {
				n++
			}
			prefix = prefix[:n]
		}
	}
	return prefix
}

// setTarget puts the target's name, without the prefix, and UID into the
// record, with what does not fit into it appended to text, in which what
// records refer to begins at own.
func (r *record) setTarget(text []byte, own int, name, uid string) []byte {
	// The API allows 253 bytes; a file may hold anything, and what is cut
	// there is only a label for people.
	name = name[:min(len(name), math.MaxUint16)]
	if len(text)+len(name)+len(uid) > math.MaxUint32 {
		return text
	}
	r.flags |= flagTarget
	r.offset, r.length = uint32(len(text)-own), uint16(len(name))
	text = append(text, name...)
	if uuid, ok := parseUUID(uid); ok {
		r.uid = uuid
	} else if uid != "" {
		uid = uid[:min(len(uid), math.MaxUint16)]
		r.flags |= flagTextUID
		r.uid[0], r.uid[1] = byte(len(uid)>>8), byte(len(uid))
		text = append(text, uid...)
	}
	return text
}

// parseAddress returns the first address if it is one of the family. A zone,
// an IPv4 address in IPv6 clothing and leading zeros are refused, as the API
// server does.
func parseAddress(addresses []string, family Family) (netip.Addr, bool) {
	if len(addresses) == 0 {
		return netip.Addr{}, false
	}
	addr, err := netip.ParseAddr(addresses[0])
	if err != nil || addr.Zone() != "" || addr.Is4In6() || FamilyOf(addr) != family {
		return netip.Addr{}, false
	}
	return addr, true
}

func describe(addresses []string) string {
	if len(addresses) == 0 {
		return "no address"
	}
	return "the address " + text.Quote(addresses[0])
}

// wellFormed returns the resourceVersion if it can be compared, else "".
func wellFormed(version string) string {
	if _, err := resourceversion.CompareResourceVersion(version, version); err != nil {
		return ""
	}
	return version
}

func parseTrigger(s string) int64 {
	if s == "" {
		return 0
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return 0
	}
	return unixNano(t)
}

func deref[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
