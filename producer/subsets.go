package producer

//lint:file-ignore SA1019 the deprecated API is what this file reads

import (
	"cmp"
	"fmt"
	"net/netip"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	netutils "k8s.io/utils/net"

	"github.com/slicewright/slicewright/endpointset"
)

// reader reads the subsets of one Endpoints object and remembers what is wrong
// with it, and what a person should know.
type reader struct {
	doc      *document
	at       path
	name     endpointset.ServiceKey
	problems problems
	warnings []warning
}

type warning struct {
	at   path
	text string
}

func (r *reader) problem(at path, format string, args ...any) {
	r.problems.add(r.doc.errorf(r.doc.lineOf(at), "endpoints %s: %w", r.name, fmt.Errorf(format, args...)))
}

func (r *reader) warn(at path, format string, args ...any) {
	r.warnings = append(r.warnings, warning{at, fmt.Sprintf(format, args...)})
}

// record is an address of a subset as it was read.
type record struct {
	at       path
	ready    bool
	endpoint Endpoint
}

// carriage is one port of one record. The zero port means a record without
// ports.
type carriage struct {
	key  recordKey
	port endpointset.Port
}

// subsets turns Endpoints subsets into subsets of slices: each address and port
// is in exactly one of them, however often and in whatever company the Endpoints
// have it. An address that is ready in one place and not in another is not: that
// is how the mirroring controller reads it, which made the slices so far.
func (r *reader) subsets(from []corev1.EndpointSubset) []Subset {
	ports := make([][]endpointset.Port, len(from))
	records := make([][]record, len(from))
	unready := map[carriage]bool{}
	states := map[carriage]bool{}
	for i := range from {
		at := r.at.with("subsets", i)
		ports[i] = r.ports(from[i].Ports, at)
		records[i] = r.records(&from[i], at)
		for _, rec := range records[i] {
			for _, port := range ports[i] {
				c := carriage{rec.endpoint.key(), identity(port)}
				if was, ok := states[c]; ok && was != rec.ready {
					r.warn(rec.at, "%s with port %s is both ready and not ready: not ready is taken, as mirroring does", rec.endpoint.Addr, portText(port))
				}
				states[c] = rec.ready
				unready[c] = unready[c] || !rec.ready
			}
		}
	}

	var subsets []Subset
	place := map[portKey]int{} // in subsets
	written := map[carriage]bool{}
	for i := range from {
		for _, rec := range records[i] {
			var left [2][]endpointset.Port // ready, not ready
			for _, port := range ports[i] {
				c := carriage{rec.endpoint.key(), identity(port)}
				if !written[c] {
					written[c] = true
					state := NotReady
					if !unready[c] {
						state = Ready
					}
					left[state] = append(left[state], port)
				}
			}
			for state, these := range left {
				for _, group := range unique(these) {
					e := rec.endpoint
					e.State = State(state)
					key := keyOfPorts(group)
					at, ok := place[key]
					if !ok {
						at = len(subsets)
						place[key] = at
						subsets = append(subsets, Subset{Ports: group})
					}
					subsets[at].Endpoints = append(subsets[at].Endpoints, e)
				}
			}
		}
	}
	return named(subsets)
}

// unique splits ports so that no name is twice in one set, which a slice cannot
// have and Endpoints can (dns over TCP and UDP), and none is too large. No ports
// at all, which is one zero port here, is one set.
func unique(ports []endpointset.Port) [][]endpointset.Port {
	var sets [][]endpointset.Port
	var names []map[string]bool
	for _, port := range ports {
		i := 0
		for i < len(sets) && (names[i][port.Name] || len(sets[i]) == MaxPorts) {
			i++
		}
		if i == len(sets) {
			sets, names = append(sets, nil), append(names, map[string]bool{})
		}
		sets[i] = append(sets[i], port)
		names[i][port.Name] = true
	}
	return sets
}

// named takes the zero port, which meant no port, out again.
func named(subsets []Subset) []Subset {
	for i := range subsets {
		if len(subsets[i].Ports) == 1 && subsets[i].Ports[0].Number == 0 {
			subsets[i].Ports = nil
		}
	}
	return subsets
}

// ports reads the ports of a subset, without those that are there twice.
func (r *reader) ports(from []corev1.EndpointPort, at path) []endpointset.Port {
	if len(from) == 0 {
		r.warn(at, "a subset has no ports: its slice gives addresses to DNS, and no backends")
		return []endpointset.Port{{}}
	}
	var ports []endpointset.Port
	seen := map[endpointset.Port]bool{}
	for i, p := range from {
		at := at.with("ports", i)
		if p.Port < 1 || p.Port > 65535 {
			r.problem(at.with("port"), "port %d is not between 1 and 65535", p.Port)
			continue
		}
		port := endpointset.Port{Name: p.Name, Protocol: cmp.Or(string(p.Protocol), "TCP"), Number: uint16(p.Port)}
		if p.AppProtocol != nil {
			port.AppProtocol = *p.AppProtocol
		}
		if err := checkPort(port); err != nil {
			r.problem(at, "%w", err)
			continue
		}
		if !seen[identity(port)] {
			seen[identity(port)] = true
			ports = append(ports, port)
		}
	}
	return ports
}

func (r *reader) records(from *corev1.EndpointSubset, at path) []record {
	var records []record
	for _, list := range []struct {
		field     string
		ready     bool
		addresses []corev1.EndpointAddress
	}{
		{"addresses", true, from.Addresses},
		{"notReadyAddresses", false, from.NotReadyAddresses},
	} {
		for i := range list.addresses {
			at := at.with(list.field, i)
			if e, ok := r.address(&list.addresses[i], at); ok {
				records = append(records, record{at, list.ready, e})
			}
		}
	}
	return records
}

func (r *reader) address(from *corev1.EndpointAddress, at path) (Endpoint, bool) {
	e := Endpoint{Hostname: from.Hostname, Target: from.TargetRef}
	ip := netutils.ParseIPSloppy(from.IP) // Endpoints may have leading zeros, which slices may not
	if ip == nil {
		r.problem(at.with("ip"), "%q is no IP address", from.IP)
		return e, false
	}
	addr, _ := netip.AddrFromSlice(ip)
	e.Addr = addr.Unmap()
	if e.Addr.String() != strings.ToLower(from.IP) {
		r.warn(at.with("ip"), "%q is written as %s", from.IP, e.Addr)
	}
	if from.NodeName != nil {
		e.Node = *from.NodeName
	}
	if err := e.validate(); err != nil {
		r.problem(at, "%w", err)
		return e, false
	}
	return e, true
}

// lookAt warns of what the object as a whole says about itself.
func (r *reader) lookAt(endpoints *corev1.Endpoints) {
	meta := r.at.with("metadata")
	if endpoints.Annotations[corev1.EndpointsOverCapacity] == "truncated" {
		r.warn(meta.with("annotations"), "addresses are missing: the object was cut off at 1000 (annotation %s: truncated). Convert from where the addresses come from", corev1.EndpointsOverCapacity)
	}
	if by := endpoints.Labels[labelEndpointsManagedBy]; by != "" {
		r.warn(meta.with("labels"), "%q writes this object for a Service with a selector, whose slices the cluster writes too: do not apply these beside them", by)
	}
	if endpoints.Labels[discovery.LabelSkipMirror] == "true" {
		r.warn(meta.with("labels"), "it asks not to be mirrored (%s): somebody may write its slices already", discovery.LabelSkipMirror)
	}
	if len(endpoints.Subsets) == 0 {
		r.warn(meta, "it has no addresses, so there are no slices")
	}
	if msg := validation.IsDNS1035Label(endpoints.Name); len(msg) > 0 {
		r.warn(meta.with("name"), "no Service may have the name %q in every version of Kubernetes: %s", endpoints.Name, msg[0])
	}
}
