package verify

import (
	"net/netip"
	"slices"
	"time"
)

// Opened is how many connections a consumer opened to an address between two
// looks at it, by its own count.
type Opened struct {
	Address      netip.AddrPort
	After, Until time.Time
	Count        int64
}

// Counter finds out from one view to the next what a consumer opened. The zero
// value has seen nothing. It is not safe for concurrent use.
type Counter struct {
	at     time.Time
	totals map[netip.AddrPort]int64
}

// Add takes the next view and returns what was opened since the one before,
// sorted by address. A count that shrank began again: the consumer restarted,
// and what it counted since is the least that it opened. An address that is new
// in the view is counted from its second view on, since nobody knows since when
// it counts.
func (c *Counter) Add(v View) []Opened {
	totals := make(map[netip.AddrPort]int64, len(v.Members))
	for _, m := range v.Members {
		if m.Total >= 0 {
			totals[unmapped(m.Address)] += m.Total
		}
	}
	var opened []Opened
	for key, total := range totals {
		was, ok := c.totals[key]
		if total < was {
			was = 0
		}
		if ok && total > was {
			opened = append(opened, Opened{key, c.at, v.At, total - was})
		}
	}
	c.at, c.totals = v.At, totals
	slices.SortFunc(opened, func(a, b Opened) int { return a.Address.Compare(b.Address) })
	return opened
}
