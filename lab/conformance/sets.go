package conformance

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// block are the addresses of a scenario: 10.42.N.0/24 and fd42:N::/64. No two
// scenarios share one, so that what is left of one does not show in another.
type block struct {
	number    byte
	namespace string
}

func (b block) address(v6 bool, host int) netip.Addr {
	if v6 {
		return netip.AddrFrom16([16]byte{0: 0xfd, 1: 0x42, 3: b.number, 15: byte(host)})
	}
	return netip.AddrFrom4([4]byte{10, 42, b.number, byte(host)})
}

// set reads addresses and ports as scenarios write them (see Want), in order.
func (b block) set(text string) ([]netip.AddrPort, error) {
	if text == none {
		return nil, nil
	}
	var all []netip.AddrPort
	for part := range strings.SplitSeq(text, ",") {
		hosts, portText, hasPort := strings.Cut(part, "@")
		hosts, v6 := strings.CutPrefix(hosts, "6:")
		port := uint64(defaultPort)
		if hasPort {
			var err error
			if port, err = strconv.ParseUint(portText, 10, 16); err != nil {
				return nil, fmt.Errorf("%q: the port: %w", text, err)
			}
		}
		numbers, err := parseHosts(hosts)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", text, err)
		}
		for _, n := range numbers {
			all = append(all, netip.AddrPortFrom(b.address(v6, n), uint16(port)))
		}
	}
	return inOrder(all), nil
}

// parseHosts reads "1-100,103".
func parseHosts(text string) ([]int, error) {
	var all []int
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, err1 := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err1 != nil || err2 != nil || from < 1 || to > 254 || from > to {
			return nil, fmt.Errorf("%q is no range of the numbers 1 to 254", part)
		}
		for n := from; n <= to; n++ {
			all = append(all, n)
		}
	}
	return all, nil
}

func inOrder(all []netip.AddrPort) []netip.AddrPort {
	slices.SortFunc(all, netip.AddrPort.Compare)
	return slices.Compact(all)
}

// short writes a set as scenarios do: neighbours as ranges, the default port
// left out. Addresses outside the block are written in full.
func (b block) short(all []netip.AddrPort) string {
	if len(all) == 0 {
		return none
	}
	var parts []string
	for i := 0; i < len(all); {
		last := i
		for last+1 < len(all) && all[last].Addr().Next() == all[last+1].Addr() && all[last].Port() == all[last+1].Port() &&
			b.host(all[last+1].Addr()) != 0 {
			last++
		}
		parts = append(parts, b.part(all[i], all[last]))
		i = last + 1
	}
	return strings.Join(parts, ",")
}

func (b block) part(first, last netip.AddrPort) string {
	n := b.host(first.Addr())
	if n == 0 {
		return first.String()
	}
	text := strconv.Itoa(n)
	if first.Addr().Is6() {
		text = "6:" + text
	}
	if first != last {
		text += "-" + strconv.Itoa(b.host(last.Addr()))
	}
	if p := first.Port(); p != defaultPort && p != 0 {
		text += "@" + strconv.Itoa(int(p))
	}
	return text
}

// host is the last part of an address of the block, 0 for any other.
func (b block) host(a netip.Addr) int {
	bytes := a.AsSlice()
	n := int(bytes[len(bytes)-1])
	if n == 0 || b.address(a.Is6(), n) != a {
		return 0
	}
	return n
}
