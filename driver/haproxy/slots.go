package haproxy

import (
	"errors"
	"fmt"
	"net/netip"
	"time"
)

// ErrNotEnoughSlots is what Apply returns when there are more backends than
// slots. Those that fit are served.
var ErrNotEnoughSlots = errors.New("not enough slots")

// planSlots fills the servers that HAProxy made at start. A slot belongs to the
// address that it has, unless it is free; a slot in use never changes its address,
// so a connection never finds itself at another backend.
func (d *Driver) planSlots(o *ops, active, draining []place, seen *Observed, timeout time.Duration) {
	wanted := make(map[netip.AddrPort]bool, len(active))
	for _, p := range active {
		wanted[p.addr] = true
	}
	drains := make(map[netip.AddrPort]bool, len(draining))
	for _, p := range draining {
		drains[p.addr] = true
	}
	serves := make(map[netip.AddrPort]bool, len(active))
	var free []*Server
	var leaving int
	for _, s := range holders(seen.Servers) {
		switch {
		case wanted[s.Addr] && !serves[s.Addr]:
			serves[s.Addr] = true
			if s.State != Ready {
				o.add(verbReady, s.Name)
			}
		case drains[s.Addr] && s.State != Maint:
			planDraining(o, s, timeout)
		case s.State == Maint && s.Sessions == 0:
			free = append(free, s)
		default:
			leaving++
			planSlotLeaving(o, s, timeout)
		}
	}
	missing := 0
	for _, p := range active {
		switch {
		case serves[p.addr]:
		case len(free) == 0:
			missing++
		default:
			o.commands = append(o.commands, command{verb: verbAddr, server: free[0].Name, addr: p.addr})
			o.add(verbHealthUp, free[0].Name)
			o.add(verbReady, free[0].Name)
			free = free[1:]
		}
	}
	if missing > 0 {
		o.problem(fmt.Errorf("haproxy: backend %s: %w: %d of %d active backends have none, for all %d slots %s1, %s2, … are in use (%d by servers that are leaving): raise server-template to at least %d",
			d.config.Backend, ErrNotEnoughSlots, missing, len(active), len(seen.Servers),
			d.config.SlotPrefix, d.config.SlotPrefix, leaving, len(seen.Servers)+missing))
	}
}

// holders puts the slots in use before those in maintenance, so that when two
// have the same address the one in use keeps it. The order is stable.
func holders(slots []Server) []*Server {
	list := make([]*Server, 0, len(slots))
	for _, inUse := range []State{Ready, Drain, Maint} {
		for i := range slots {
			if slots[i].State == inUse {
				list = append(list, &slots[i])
			}
		}
	}
	return list
}

// planSlotLeaving takes a slot out, one step nearer with each plan. In
// maintenance without sessions it is free.
func planSlotLeaving(o *ops, s *Server, timeout time.Duration) {
	switch {
	case s.State == Ready:
		o.add(verbDrain, s.Name)
		o.wait(settle, "%s (%s) drains", s.Name, s.Addr)
	case s.State == Drain && s.Since < settle:
		o.wait(settle-s.Since, "%s (%s) is drained for less than %v", s.Name, s.Addr, settle)
	case s.Sessions > 0 && !expired(s, timeout):
		o.wait(min(poll, remaining(s, timeout)), "%s (%s) drains: %d sessions", s.Name, s.Addr, s.Sessions)
	default:
		if s.State == Drain {
			o.add(verbMaint, s.Name)
		}
		if s.Sessions > 0 {
			o.add(verbShutdown, s.Name)
			o.wait(settle, "%s (%s) ends its %d sessions, for %v have passed", s.Name, s.Addr, s.Sessions, timeout)
		}
	}
}
