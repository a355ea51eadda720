package verify

import (
	"net/netip"
	"time"
)

// consumer is what was seen of one consumer.
type consumer struct {
	// looks are when it answered, and bad when it did not.
	looks, bad []time.Time
	uses       map[netip.AddrPort]*track[Use]
	// words are the consumer's own for the state of an address, the last ones.
	words     map[netip.AddrPort]string
	addresses bool // it knows addresses without ports
	lastError string
	latest    View
	counter   Counter
	opened    []Opened
}

func newConsumer() *consumer {
	return &consumer{uses: map[netip.AddrPort]*track[Use]{}, words: map[netip.AddrPort]string{}}
}

// strength orders uses: of two entries for one address the one that gets new
// connections counts.
func strength(u Use) int {
	switch u {
	case New:
		return 3
	case Draining:
		return 2
	case Idle:
		return 1
	}
	return 0
}

func (c *consumer) viewed(v View) {
	now := make(map[netip.AddrPort]Use, len(v.Members))
	for _, m := range v.Members {
		key := unmapped(m.Address)
		if key.Port() == 0 {
			c.addresses = true
		}
		if was, ok := now[key]; !ok || strength(was) < strength(m.Use) {
			now[key] = m.Use
			c.words[key] = m.Detail
			c.words[netip.AddrPortFrom(key.Addr(), 0)] = m.Detail
		}
	}
	byAddress(now, func(a, b Use) bool { return strength(a) < strength(b) })
	for key, use := range now {
		if c.uses[key] == nil {
			c.uses[key] = new(track[Use])
		}
		c.uses[key].set(v.At, use)
	}
	for key, t := range c.uses {
		if _, ok := now[key]; !ok {
			t.set(v.At, 0)
		}
	}
	c.looks = append(c.looks, v.At)
	c.latest = v
}

func (c *consumer) failed(at time.Time, err error) {
	c.bad = append(c.bad, at)
	c.lastError = err.Error()
}

// gaps are the times for which nobody knows what the consumer had: longer than
// settle between two looks that it answered. A shorter time cannot hide a
// difference that lasts. The time before the first answer is not a gap:
// nothing had been seen yet that could have been lost.
func (c *consumer) gaps(settle time.Duration, until time.Time) []span {
	var gaps []span
	why := "it was not asked often enough"
	if len(c.bad) > 0 {
		why = c.lastError
	}
	for i, at := range c.looks {
		next, open := until, true
		if i+1 < len(c.looks) {
			next, open = c.looks[i+1], false
		}
		if next.Sub(at) <= settle {
			continue
		}
		gap := span{from: at, to: next, why: why}
		if open {
			gap.to = time.Time{}
		}
		gaps = append(gaps, gap)
	}
	return gaps
}
