package verify

import "time"

// convergence is how long a consumer took to follow one change of the active
// addresses, or several that came before it had followed the first.
type convergence struct {
	Changes     int
	First, Last time.Time
	// Equal is the first view after which the consumer agreed with the slices until
	// their next change; zero if it never agreed. The consumer can have agreed
	// earlier, by the time between two views.
	Equal time.Time
}

// took is the time from the last change to the view that agreed.
func (c *convergence) took() time.Duration {
	if c.Equal.IsZero() {
		return 0
	}
	return c.Equal.Sub(c.Last)
}

// convergences follow the changes of the slices that a consumer could follow:
// those after its first view.
func (l *Log) convergences(c *consumer, differences []difference, until time.Time) []convergence {
	if len(c.looks) == 0 {
		return nil
	}
	unknown := l.unknown(c, until)
	agreed := agreements(c.looks, differences)
	var all []convergence
	next := before(l.changes, c.looks[0])
	pending := false
	for i, at := range c.looks {
		for ; next < len(l.changes) && !l.changes[next].After(at); next++ {
			if !pending {
				all = append(all, convergence{First: l.changes[next]})
				pending = true
			}
			now := &all[len(all)-1]
			now.Changes++
			now.Last = l.changes[next]
		}
		if len(all) == 0 || within(unknown, at) {
			continue
		}
		now := &all[len(all)-1]
		switch {
		case !agreed[i]:
			pending, now.Equal = true, time.Time{}
		case pending:
			pending, now.Equal = false, at
		}
	}
	// Changes after the last view are not followed yet.
	for ; next < len(l.changes); next++ {
		if !pending {
			all = append(all, convergence{First: l.changes[next]})
			pending = true
		}
		all[len(all)-1].Changes++
		all[len(all)-1].Last = l.changes[next]
	}
	return all
}

// agreements says of each look whether no difference covers it.
func agreements(looks []time.Time, differences []difference) []bool {
	// +1 where a difference begins, -1 behind its last look.
	delta := make([]int, len(looks)+1)
	for i := range differences {
		d := &differences[i]
		from, to := before(looks, d.From), before(looks, d.Seen)
		if from < len(looks) && to >= from {
			delta[from]++
			delta[min(to, len(looks)-1)+1]--
		}
	}
	agreed := make([]bool, len(looks))
	sum := 0
	for i := range looks {
		sum += delta[i]
		agreed[i] = sum == 0
	}
	return agreed
}
