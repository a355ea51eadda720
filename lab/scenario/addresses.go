package scenario

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/slicewright/slicewright/lab/kubelet"
)

// parseAddresses lists the addresses of ranges, in order and each once; "none"
// is none.
func parseAddresses(text string) ([]netip.Addr, error) {
	if text == "none" {
		return nil, nil
	}
	ranges, err := kubelet.ParseRanges(text)
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

// formatAddresses writes addresses as parseAddresses reads them, neighbours as
// one range. They must be in order.
func formatAddresses(all []netip.Addr) string {
	if len(all) == 0 {
		return "none"
	}
	var parts []string
	for i := 0; i < len(all); {
		last := i
		for last+1 < len(all) && all[last].Next() == all[last+1] {
			last++
		}
		parts = append(parts, kubelet.Range{First: all[i], Last: all[last]}.String())
		i = last + 1
	}
	return strings.Join(parts, ",")
}

// compareAddresses says how got differs from want; nil if it does not. Both
// must be in order.
func compareAddresses(want, got []netip.Addr) error {
	missing := without(want, got)
	extra := without(got, want)
	if len(missing) == 0 && len(extra) == 0 {
		return nil
	}
	return fmt.Errorf("%d addresses instead of %d; missing %s; too many %s", len(got), len(want), formatAddresses(missing), formatAddresses(extra))
}

func without(all, these []netip.Addr) []netip.Addr {
	return slices.DeleteFunc(slices.Clone(all), func(a netip.Addr) bool {
		_, found := slices.BinarySearchFunc(these, a, netip.Addr.Compare)
		return found
	})
}
