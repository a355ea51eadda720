package sandbox

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"syscall"

	"github.com/vishvananda/netlink"
)

// Addresses puts addresses on the sandbox's lo, where programs can listen on
// them. An address can be held more than once: it goes when the last holder
// lets go, as a Pod may get the address of a Pod that is still terminating.
//
// The zero value is ready; methods may be called concurrently.
type Addresses struct {
	mu   sync.Mutex
	held map[netip.Addr]int // guarded by mu
}

// Add takes hold of a.
func (s *Addresses) Add(a netip.Addr) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[a] == 0 {
		if err := change(netlink.AddrAdd, a); err != nil && !errors.Is(err, syscall.EEXIST) {
			return fmt.Errorf("add address %s to lo: %w", a, err)
		}
	}
	if s.held == nil {
		s.held = map[netip.Addr]int{}
	}
	s.held[a]++
	return nil
}

// Remove lets go of a. Letting go of what is not held does nothing.
func (s *Addresses) Remove(a netip.Addr) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.held[a] {
	case 0:
		return nil
	case 1:
		delete(s.held, a)
		if err := change(netlink.AddrDel, a); err != nil && !errors.Is(err, syscall.EADDRNOTAVAIL) {
			return fmt.Errorf("remove address %s from lo: %w", a, err)
		}
	default:
		s.held[a]--
	}
	return nil
}

// Route sends prefix to lo, so that a connection to an address in it (a
// ClusterIP) leaves at all and packet filters can redirect it. source is the
// address that such connections come from.
func Route(prefix netip.Prefix, source netip.Addr) error {
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return fmt.Errorf("find lo: %w", err)
	}
	err = netlink.RouteReplace(&netlink.Route{
		LinkIndex: lo.Attrs().Index,
		Scope:     netlink.SCOPE_LINK,
		Dst:       &net.IPNet{IP: prefix.Addr().AsSlice(), Mask: net.CIDRMask(prefix.Bits(), prefix.Addr().BitLen())},
		Src:       source.AsSlice(),
	})
	if err != nil {
		return fmt.Errorf("route %s to lo: %w", prefix, err)
	}
	return nil
}

func change(do func(netlink.Link, *netlink.Addr) error, a netip.Addr) error {
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return fmt.Errorf("find lo: %w", err)
	}
	addr := &netlink.Addr{IPNet: &net.IPNet{IP: a.AsSlice(), Mask: net.CIDRMask(a.BitLen(), a.BitLen())}}
	if a.Is6() {
		// Nobody else is on this link: no wait for duplicate detection.
		addr.Flags = syscall.IFA_F_NODAD
	}
	return do(lo, addr)
}
