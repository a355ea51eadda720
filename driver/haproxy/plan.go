package haproxy

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/publish"
)

const (
	// settle is how long a server stays drained, or in maintenance, before the
	// next step. A connection given to a server just before it was drained may
	// not be counted yet. HAProxy reports whole seconds, cut off: 2 of them are
	// at least one. Until then a plan waits, so that after an Apply the next
	// plan is empty.
	settle = 2 * time.Second
	// never is when to look again at what only another set can change.
	never = time.Hour
	// poll is how soon it is worth looking again at connections that can end at
	// any time.
	poll = time.Second
)

// ErrUnreachable is what Apply returns when there are active backends and HAProxy
// can reach none of them: the upstream has the wrong port.
var ErrUnreachable = errors.New("no active backend can be reached over TCP")

// Plan says what to send so that HAProxy's backend has desired. It is pure.
// observed must come from Observe of this driver.
//
// What cannot be done does not stop the rest. A backend that HAProxy cannot
// reach (a protocol other than TCP, port 0) is left out and named by Waiting,
// and is not an error as long as another backend can be reached: nobody who may
// write a slice may be able to stop an upstream. Backends for which no slot is
// left are an error, which Apply returns after it did the rest.
func (d *Driver) Plan(desired publish.Desired, observed publish.Observed) publish.Ops {
	o := &ops{backend: d.config.Backend, options: d.options}
	seen, ok := observed.(*Observed)
	if !ok || seen == nil {
		o.problem(fmt.Errorf("haproxy: plan: a %T is not what this driver's Observe returns", observed))
		return o
	}
	active := d.places(o, desired.Active, nil)
	draining := d.places(nil, desired.Draining, active)
	if len(active) == 0 && len(desired.Active) > 0 {
		o.problem(fmt.Errorf("haproxy: backend %s: %w (%s)", d.config.Backend, ErrUnreachable, o.waiting[0]))
	}
	if d.config.Mode == Slots {
		d.planSlots(o, active, draining, seen, desired.DrainTimeout)
	} else {
		d.planDynamic(o, active, draining, seen, desired.DrainTimeout)
	}
	if d.config.ServersFile != "" {
		if file := d.renderServersFile(active); string(file.content) != string(seen.file) || seen.file == nil {
			o.file = file
		}
	}
	o.sort()
	return o
}

// A place is where the server of a backend is to be.
type place struct {
	name string // "" in Slots mode
	addr netip.AddrPort
}

// places turns backends into places, one for each address and port: what differs
// only in the name of its port is one server. Those in taken are left out. What
// HAProxy cannot have is named in o, unless that is nil.
func (d *Driver) places(o *ops, backends []endpointset.Backend, taken []place) []place {
	known := make(map[netip.AddrPort]bool, len(backends)+len(taken))
	names := make(map[string]netip.AddrPort, len(backends))
	for _, p := range taken {
		known[p.addr] = true
		names[p.name] = p.addr
	}
	places := make([]place, 0, len(backends))
	for _, b := range backends {
		p := place{addr: netip.AddrPortFrom(b.Addr.Unmap(), b.Number)}
		if why := unreachable(b); why != "" {
			if o != nil {
				o.wait(never, "%s is left out: %s", b.Endpoint(), why)
			}
			continue
		}
		if known[p.addr] {
			continue
		}
		known[p.addr] = true
		if d.config.Mode == Dynamic {
			p.name = d.name(p.addr, d.options)
			if other, collides := names[p.name]; collides {
				// Never merged: one of the two would get the other's traffic.
				if o != nil {
					o.wait(never, "%s is left out: it would have the name of %s, %s", p.addr, other, p.name)
				}
				continue
			}
			names[p.name] = p.addr
		}
		places = append(places, p)
	}
	return places
}

// unreachable says why HAProxy cannot send TCP connections to b, "" if it can.
func unreachable(b endpointset.Backend) string {
	switch {
	case b.Protocol != "" && b.Protocol != "TCP":
		return fmt.Sprintf("its protocol is %.20q, and HAProxy's servers speak TCP", b.Protocol)
	case !b.Addr.IsValid() || b.Addr.Zone() != "" || b.Number == 0:
		return "it is no address with a port"
	}
	return ""
}

// planDynamic adds and deletes servers.
func (d *Driver) planDynamic(o *ops, active, draining []place, seen *Observed, timeout time.Duration) {
	have := make(map[string]*Server, len(seen.Servers))
	for i := range seen.Servers {
		have[seen.Servers[i].Name] = &seen.Servers[i]
	}
	var used ids // read when a server is added: most plans add none
	stays := make(map[string]bool, len(active))
	for _, p := range active {
		stays[p.name] = true
		if have[p.name] == nil {
			if used == nil {
				used = idsOf(seen.Servers, seen.foreign)
			}
			o.commands = append(o.commands, command{verb: verbAdd, server: p.name, addr: p.addr, id: used.take(p.name)})
		}
		d.planActive(o, p, have[p.name])
	}
	for _, p := range draining {
		stays[p.name] = true
		// One that HAProxy does not have has no connections to keep.
		if s := have[p.name]; s != nil {
			planDraining(o, s, timeout)
		}
	}
	for i := range seen.Servers {
		if s := &seen.Servers[i]; !stays[s.Name] {
			planLeaving(o, s, timeout)
		}
	}
}

// planActive makes the server at p take connections; s is nil if it was just
// added.
func (d *Driver) planActive(o *ops, p place, s *Server) {
	if s == nil {
		s = &Server{Addr: p.addr}
	}
	if s.Addr != p.addr {
		// Someone changed it. The name says where it belongs.
		o.commands = append(o.commands, command{verb: verbAddr, server: p.name, addr: p.addr})
	}
	if d.config.Server.Check && !s.Checking {
		o.add(verbEnableHealth, p.name)
	}
	if s.State != Ready {
		o.add(verbReady, p.name)
	}
}

// planDraining keeps a server of a backend that is terminating (S12): no new
// connections, the open ones live on until the timeout. It is not deleted.
func planDraining(o *ops, s *Server, timeout time.Duration) {
	switch {
	case s.State == Ready:
		o.add(verbDrain, s.Name)
		if timeout > 0 {
			o.wait(timeout+poll, "%s (%s) drains", s.Name, s.Addr)
		}
	case s.Sessions == 0 || timeout == 0:
	case expired(s, timeout):
		if s.State == Drain {
			o.add(verbMaint, s.Name)
		}
		o.add(verbShutdown, s.Name)
	default:
		o.wait(remaining(s, timeout), "%s (%s) drains: %d sessions", s.Name, s.Addr, s.Sessions)
	}
}

// planLeaving takes a server out, one step nearer with each plan.
func planLeaving(o *ops, s *Server, timeout time.Duration) {
	switch {
	case s.State == Ready:
		o.add(verbDrain, s.Name)
		o.wait(settle, "%s (%s) drains", s.Name, s.Addr)
	case s.Since < settle:
		o.wait(settle-s.Since, "%s (%s) is in state %s for less than %v", s.Name, s.Addr, s.State, settle)
	case s.Sessions > 0 && !expired(s, timeout):
		o.wait(min(poll, remaining(s, timeout)), "%s (%s) drains: %d sessions", s.Name, s.Addr, s.Sessions)
	case s.Sessions > 0 && s.State == Drain:
		o.add(verbMaint, s.Name)
		o.add(verbShutdown, s.Name)
		o.wait(settle, "%s (%s) ends its %d sessions, for %v have passed", s.Name, s.Addr, s.Sessions, timeout)
	case s.Idle > 0 && s.Sessions == 0 && s.State == Maint:
		// HAProxy is closing them, for maintenance has begun.
		o.wait(poll, "%s (%s) closes %d idle connections", s.Name, s.Addr, s.Idle)
	default:
		if s.State == Drain {
			o.add(verbMaint, s.Name)
		}
		if s.Sessions > 0 {
			o.add(verbShutdown, s.Name)
		}
		o.add(verbDelete, s.Name)
	}
}

// expired reports that a server has been in its state for longer than timeout.
// Seconds come cut off: one less is sure to have passed.
func expired(s *Server, timeout time.Duration) bool {
	return timeout > 0 && s.Since-time.Second >= timeout
}

// remaining is when expired will hold.
func remaining(s *Server, timeout time.Duration) time.Duration {
	if timeout == 0 {
		return poll
	}
	return max(timeout+time.Second-s.Since, time.Second/10)
}
