// Package address reads and writes sets of IP addresses as people write them:
// "10.42.0.1-10.42.0.240,10.43.0.7".
package address

import (
	"fmt"
	"net/netip"
	"strings"
)

// Range is a run of addresses of one family, both ends included.
type Range struct {
	First, Last netip.Addr
}

// String is "first-last", or the address alone.
func (r Range) String() string {
	if r.First == r.Last {
		return r.First.String()
	}
	return r.First.String() + "-" + r.Last.String()
}

// Contains reports whether a lies in the range.
func (r Range) Contains(a netip.Addr) bool {
	return a.BitLen() == r.First.BitLen() && r.First.Compare(a) <= 0 && a.Compare(r.Last) <= 0
}

// MaxRange bounds how many addresses All lists.
const MaxRange = 1 << 16

// All lists the range's addresses, at most 65,536 of them.
func (r Range) All() []netip.Addr {
	var all []netip.Addr
	for a := r.First; len(all) < MaxRange; a = a.Next() {
		all = append(all, a)
		if a == r.Last {
			break
		}
	}
	return all
}

// ParseRanges reads ranges with commas between: "10.42.0.7", "10.42.0.1-10.42.0.9",
// "10.43.0.0/24", "10.42.0.7,fd42::7". Of a prefix, the addresses between the
// first and the last are taken.
func ParseRanges(text string) ([]Range, error) {
	var ranges []Range
	for part := range strings.SplitSeq(text, ",") {
		r, err := parseRange(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		ranges = append(ranges, r)
	}
	return ranges, nil
}

func parseRange(text string) (Range, error) {
	if prefix, err := netip.ParsePrefix(text); err == nil {
		return insidePrefix(prefix)
	}
	first, last, isRange := strings.Cut(text, "-")
	if !isRange {
		last = first
	}
	a, err := parseAddress(first)
	if err != nil {
		return Range{}, err
	}
	b, err := parseAddress(last)
	if err != nil {
		return Range{}, err
	}
	if a.BitLen() != b.BitLen() || a.Compare(b) > 0 {
		return Range{}, fmt.Errorf("%q: the first address is not before the last", text)
	}
	return Range{a, b}, nil
}

// insidePrefix leaves out the network's and the broadcast address.
func insidePrefix(prefix netip.Prefix) (Range, error) {
	prefix = prefix.Masked()
	first := prefix.Addr()
	if prefix.IsSingleIP() {
		return Range{first, first}, nil
	}
	last := first.AsSlice()
	for bit := prefix.Bits(); bit < first.BitLen(); bit++ {
		last[bit/8] |= 0x80 >> (bit % 8)
	}
	end, _ := netip.AddrFromSlice(last)
	if first.Next() == end {
		return Range{first, end}, nil
	}
	return Range{first.Next(), end.Prev()}, nil
}

func parseAddress(text string) (netip.Addr, error) {
	a, err := netip.ParseAddr(strings.TrimSpace(text))
	if err != nil || a.Zone() != "" {
		return netip.Addr{}, fmt.Errorf("%q is no IP address", text)
	}
	// What the API server refuses in an EndpointSlice is of no use in a Pod.
	if a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsMulticast() || a.IsUnspecified() {
		return netip.Addr{}, fmt.Errorf("%s cannot be a Pod's address", a)
	}
	return a.Unmap(), nil
}
