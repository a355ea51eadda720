package publish

import (
	"encoding/binary"
	"hash"
	"hash/fnv"
	"time"

	"github.com/slicewright/slicewright/endpointset"
)

// Upstream says which backends a load balancer has to have.
type Upstream struct {
	// Name is the upstream's own, unique in a configuration.
	Name    string
	Service endpointset.ServiceKey
	// Port is the name of the slices' port, "" for the unnamed one.
	Port string
	// Protocol is the port's, "" for TCP.
	Protocol string
	// Policy is who gets new connections, "" for [endpointset.PolicyReady].
	Policy   endpointset.Policy
	Location endpointset.Location
	// HoldEmpty keeps the last backends when no backend is left. The default
	// publishes the empty set, because that is the truth (S15).
	HoldEmpty bool
	// DrainTimeout bounds how long a draining backend keeps its connections; 0
	// is until they end.
	DrainTimeout time.Duration
}

// protocol returns the port's protocol.
func (u *Upstream) protocol() string {
	if u.Protocol == "" {
		return "TCP"
	}
	return u.Protocol
}

// choose applies the upstream to the Service's set. warning is not empty when
// the Service has backends and no backend has the upstream's port.
func (u *Upstream) choose(set *endpointset.Set) (sel endpointset.Selection, warning string) {
	sel = set.Select(endpointset.Query{
		Policy: u.Policy, Location: u.Location, Port: endpointset.PortNamed(u.Port), Protocol: u.protocol(),
	})
	if ports := set.Ports(); sel.Len() == 0 && len(ports) > 0 {
		warning = u.missing(ports)
	}
	return sel, warning
}

// desired makes a driver's input of a selection.
func (u *Upstream) desired(sel endpointset.Selection) Desired {
	return Desired{
		Upstream:     u.Name,
		Service:      u.Service,
		Port:         u.Port,
		Active:       sel.Active,
		Draining:     sel.Draining,
		Fallback:     sel.Fallback,
		DrainTimeout: u.DrainTimeout,
	}
}

// Hash is equal for two desired states that mean the same. The slice that
// speaks for a backend is not in it: an endpoint that moves from slice to slice
// changes nothing (S18).
func (d *Desired) Hash() uint64 {
	h := fnv.New64a()
	hashBackends(h, d.Active)
	hashBackends(h, d.Draining)
	return h.Sum64()
}

func hashBackends(h hash.Hash64, backends []endpointset.Backend) {
	hashNumber(h, uint64(len(backends)))
	for i := range backends {
		b := &backends[i]
		for _, s := range []string{
			b.PortName, b.Protocol, b.AppProtocol, b.Zone, b.Node,
			b.Target.Kind, b.Target.Namespace, b.Target.Name, b.Target.UID,
		} {
			hashString(h, s)
		}
		addr := b.Addr.As16()
		h.Write(addr[:])
		hashNumber(h, uint64(b.Family()))
		hashNumber(h, uint64(b.Number))
		hashNumber(h, conditionBits(b.Conditions))
		for _, names := range [][]string{b.ForZones, b.ForNodes} {
			hashNumber(h, uint64(len(names)))
			for _, name := range names {
				hashString(h, name)
			}
		}
	}
}

func hashString(h hash.Hash64, s string) {
	hashNumber(h, uint64(len(s))) // so that "ab","c" differs from "a","bc"
	h.Write([]byte(s))
}

// hashOf returns the hash of a single string.
func hashOf(s string) uint64 {
	h := fnv.New64a()
	hashString(h, s)
	return h.Sum64()
}

func hashNumber(h hash.Hash64, n uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	h.Write(b[:])
}

func conditionBits(c endpointset.Conditions) uint64 {
	var bits uint64
	for i, set := range []bool{c.Ready, c.Serving, c.Terminating} {
		if set {
			bits |= 1 << i
		}
	}
	return bits
}
