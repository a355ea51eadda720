package experiment

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/slicewright/slicewright/lab/address"
	"github.com/slicewright/slicewright/lab/probe"
)

// answers is who answered through a load balancer.
type answers struct {
	requests int // in all rounds
	last     probe.Report
	took     time.Duration
}

// exactly waits until exactly these addresses answer at a URL: each of them has
// since the last request that went wrong, and in a whole round none went wrong,
// that is, no request failed or was answered by another address. If no address
// may answer, every request of a round has to fail.
//
// It does not count on round robin: a load balancer that chooses at random needs
// more rounds to show all. most is how many servers there may have been: a round
// has to be long enough to meet a server that should be gone.
func (e *experiment) exactly(ctx context.Context, url string, want []netip.Addr, most int) (answers, error) {
	within, cancel := context.WithTimeout(ctx, e.Patience)
	defer cancel()
	start := time.Now()
	var a answers
	seen := map[netip.Addr]bool{}
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		a.last = probe.Many(ctx, url, roundOf(max(most, len(want))))
		a.requests += len(a.last.Answers)
		a.took = time.Since(start)
		wrong := difference(want, a.last)
		if wrong != "" {
			clear(seen)
		} else {
			pause = time.Millisecond // only more requests will do
			for _, from := range a.last.Addresses() {
				seen[from] = true
			}
			if len(seen) == len(want) {
				return a, nil
			}
		}
		if within.Err() != nil {
			if ctx.Err() != nil {
				return a, context.Cause(ctx)
			}
			if wrong == "" {
				missing := address.Without(want, slices.SortedFunc(maps.Keys(seen), netip.Addr.Compare))
				wrong = fmt.Sprintf("%d of %d addresses never answered (%s)", len(missing), len(want), address.Format(missing))
			}
			return a, short("after %s, of %d requests %s", e.Patience, len(a.last.Answers), wrong)
		}
		select {
		case <-within.Done():
		case <-time.After(pause):
		}
	}
}

// roundOf is how many requests show every one of n servers, and those that are
// too many.
func roundOf(n int) int { return max(2*n, 20) }

// difference says what went wrong in a round, "" for nothing.
func difference(want []netip.Addr, r probe.Report) string {
	var wrong []string
	if len(want) > 0 && r.Failed() > 0 {
		wrong = append(wrong, fmt.Sprintf("%d failed%s", r.Failed(), because(r)))
	}
	if strangers := address.Without(r.Addresses(), want); len(strangers) > 0 {
		wrong = append(wrong, fmt.Sprintf("%d other addresses answered (%s)", len(strangers), address.Format(strangers)))
	}
	if len(wrong) > 0 {
		if missing := address.Without(want, r.Addresses()); len(missing) > 0 {
			wrong = append(wrong, fmt.Sprintf("%d of %d addresses did not answer (%s)", len(missing), len(want), address.Format(missing)))
		}
	}
	return strings.Join(wrong, ", ")
}

// because gives the most frequent reason of the failures.
func because(r probe.Report) string {
	most, count := "", 0
	for failure, n := range r.Failures() {
		if n > count || n == count && failure < most {
			most, count = failure, n
		}
	}
	if most == "" {
		return ""
	}
	return " (" + firstLine(most) + ")"
}

// follows is the evidence that a consumer's load balancer has exactly a set.
func (e *experiment) follows(ctx context.Context, s *side, want []netip.Addr, ev *evidence, when string) error {
	s.most = max(s.most, len(want))
	a, err := e.exactly(ctx, s.url, want, s.most)
	if missing := (shortfall{}); errors.As(err, &missing) {
		return short("%s, through %s: %w", when, s.name, err)
	}
	if err != nil {
		return err
	}
	took := a.took.Round(10 * time.Millisecond)
	if len(want) == 0 {
		ev.saw("%s: none of %d requests through %s was answered by a backend%s. Seen after %s.", when, len(a.last.Answers), s.name, because(a.last), took)
		return nil
	}
	ev.saw("%s: %d addresses answered through %s (%s), no other did, and of the last %d requests none failed. Seen after %s and %d requests.",
		when, len(want), s.name, address.Format(want), len(a.last.Answers), took, a.requests)
	return nil
}

// parse reads ranges that the experiment itself wrote.
func parse(ranges ...string) []netip.Addr {
	all, err := address.Parse(strings.Join(ranges, ","))
	if err != nil {
		panic(err)
	}
	return all
}
