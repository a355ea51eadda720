package endpointset

import (
	"net/netip"
	"slices"
)

// Options restrict what an [Index] believes. The zero value believes every
// manager and every address except those that can never be a backend:
// loopback, link-local, multicast, broadcast and unspecified ones.
//
// What is not believed stays visible: it is among a selection's excluded
// backends, with the reason.
type Options struct {
	// Managers are the accepted values of the label
	// endpointslice.kubernetes.io/managed-by. Empty accepts all, and slices
	// without the label.
	Managers []string
	// CIDRs are the networks that backends may be in. Empty accepts all.
	CIDRs []netip.Prefix
	// Families are the accepted IP families. Empty accepts both.
	Families []Family
}

// refuseManager reports whether a slice of this manager is not believed.
func (o *Options) refuseManager(manager string) bool {
	return len(o.Managers) > 0 && !slices.Contains(o.Managers, manager)
}

// refuseAddr reports whether an address is not believed. Everybody who may
// write a slice can point a Service anywhere (CVE-2021-25740); the API server
// refuses some of these addresses too, but a file or another producer need
// not.
func (o *Options) refuseAddr(addr netip.Addr) bool {
	if addr.IsLoopback() || addr.IsUnspecified() || addr.IsMulticast() ||
		addr.IsLinkLocalUnicast() || addr == broadcast {
		return true
	}
	if len(o.Families) > 0 && !slices.Contains(o.Families, FamilyOf(addr)) {
		return true
	}
	if len(o.CIDRs) == 0 {
		return false
	}
	return !slices.ContainsFunc(o.CIDRs, func(p netip.Prefix) bool { return p.Contains(addr) })
}

var broadcast = netip.AddrFrom4([4]byte{255, 255, 255, 255})
