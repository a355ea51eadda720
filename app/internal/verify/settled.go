package verify

import "time"

// Changed returns when the set of active addresses last changed while it was
// looked at; zero if it did not.
func (r *Report) Changed() time.Time { return r.Slices.Changed }

// Interrupt notes why it ended before everything was seen. What was found stays
// found; that all is equal cannot be said any more.
func (r *Report) Interrupt(why string) {
	r.Interrupted = true
	r.Reasons = append(r.Reasons, why)
	if r.Outcome == Equal {
		r.Outcome = Undetermined
	}
}

// Add takes in what another part came to, which is not one of the report's own.
func (r *Report) Add(name string, o Outcome, reason string) {
	if o != Equal {
		r.Reasons = append(r.Reasons, name+": "+reason)
	}
	switch {
	case o == Different,
		// Where there was no other part, this one says all.
		o == Undetermined && r.Outcome == Equal,
		r.Outcome == Undetermined && len(r.Consumers)+len(r.Probes) == 0:
		r.Outcome = o
	}
}

// Agrees reports whether the last n views, all after a moment, show no
// difference.
func (r *ConsumerReport) Agrees(after time.Time, n int) bool { return countAfter(r.agreed, after) >= n }

// Decided reports whether more looks would tell no more than there is: a finding,
// or a consumer that has said nothing for longer than it may take to follow.
func (r *ConsumerReport) Decided(now, since time.Time, settle time.Duration) bool {
	return r.Outcome == Different || now.Sub(later(since, r.looked)) > settle
}

// Agrees reports whether the last n requests, all begun after a moment, were
// answered as they should be.
func (r *ProbeReport) Agrees(after time.Time, n int) bool { return countAfter(r.good, after) >= n }

// Decided reports whether more requests would tell no more than there is.
func (r *ProbeReport) Decided(now, since time.Time, settle time.Duration) bool {
	switch {
	case r.Outcome == Different, r.Unidentified > 0, r.Unjudged > 0:
		return true
	}
	return r.Identified == 0 && now.Sub(since) > settle
}

func countAfter(moments []time.Time, after time.Time) int {
	n := 0
	for _, m := range moments {
		if m.After(after) {
			n++
		}
	}
	return n
}

// Failed reports whether the command did not do what it was to do.
func (c *CommandReport) Failed() bool { return c.Problem != "" || c.ExitCode != 0 }
