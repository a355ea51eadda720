package address

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// None is how the empty set is written.
const None = "none"

// Parse lists the addresses of ranges, in order and each once; "none" gives
// no addresses.
func Parse(text string) ([]netip.Addr, error) {
	if text == None {
		return nil, nil
	}
	ranges, err := ParseRanges(text)
	if err != nil {
		return nil, err
	}
	var all []netip.Addr
	for _, r := range ranges {
		all = append(all, r.All()...)
	}
	slices.SortFunc(all, netip.Addr.Compare)
	return slices.Compact(all), nil
}

// Format writes addresses as Parse reads them, neighbours as
// one range. They must be in order.
func Format(all []netip.Addr) string {
	if len(all) == 0 {
		return None
	}
	var parts []string
	for i := 0; i < len(all); {
		last := i
		for last+1 < len(all) && all[last].Next() == all[last+1] {
			last++
		}
		parts = append(parts, Range{First: all[i], Last: all[last]}.String())
		i = last + 1
	}
	return strings.Join(parts, ",")
}

// Compare says how got differs from want; nil if it does not. Both
// must be in order.
func Compare(want, got []netip.Addr) error {
	missing := Without(want, got)
	extra := Without(got, want)
	if len(missing) == 0 && len(extra) == 0 {
		return nil
	}
	return fmt.Errorf("%d addresses instead of %d; missing %s; too many %s", len(got), len(want), Format(missing), Format(extra))
}

// Without returns all but these. Both must be in order.
func Without(all, these []netip.Addr) []netip.Addr {
	return slices.DeleteFunc(slices.Clone(all), func(a netip.Addr) bool {
		_, found := slices.BinarySearchFunc(these, a, netip.Addr.Compare)
		return found
	})
}
