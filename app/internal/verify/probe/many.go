package probe

import (
	"context"
	"sync"
	"time"

	"github.com/slicewright/slicewright/app/internal/verify"
)

// Many makes n probes, at most parallel of them at once (1 if it is less), and
// returns the answers in the order in which the probes began. After ctx has
// ended no probe begins. Probes on their way may end, each within its own
// time-out, because a probe that we broke off ourselves would count as failed.
func Many(ctx context.Context, prober verify.Prober, n, parallel int) []verify.Answer {
	answers := make([]verify.Answer, 0, max(0, n))
	slots := make(chan struct{}, max(1, parallel))
	var wait sync.WaitGroup
	let := context.WithoutCancel(ctx)
	for i := range n {
		select {
		case <-ctx.Done():
		case slots <- struct{}{}:
		}
		if ctx.Err() != nil {
			break
		}
		answers = answers[:i+1] // the capacity is there: nothing moves
		answer := &answers[i]
		wait.Go(func() {
			defer func() { <-slots }()
			*answer = prober.Probe(let)
		})
	}
	wait.Wait()
	return answers
}

// Rate bounds Continuous.
type Rate struct {
	// Every is the time from the beginning of one probe to that of the next; 0
	// means 100 ms.
	Every time.Duration
	// Parallel is how many may be on their way at once; 0 means 16. At that bound
	// the next probe waits.
	Parallel int
}

// Continuous probes until ctx ends, and lets those on their way end. deliver gets
// each answer when it is there, in the order in which they ended, one call after
// another. It returns how many probes did not begin in their time because the
// bound was reached: with a target that does not answer the rate is not what was
// asked for.
func Continuous(ctx context.Context, prober verify.Prober, rate Rate, deliver func(verify.Answer)) (late int) {
	if rate.Every <= 0 {
		rate.Every = 100 * time.Millisecond
	}
	if rate.Parallel <= 0 {
		rate.Parallel = 16
	}
	slots := make(chan struct{}, rate.Parallel)
	answers := make(chan verify.Answer)
	var wait, delivering sync.WaitGroup
	delivering.Go(func() {
		for a := range answers {
			deliver(a)
		}
	})
	defer delivering.Wait()
	defer close(answers)
	defer wait.Wait()

	let := context.WithoutCancel(ctx)
	ticker := time.NewTicker(rate.Every)
	defer ticker.Stop()
	for {
		select {
		case slots <- struct{}{}:
		default:
			late++
			select {
			case <-ctx.Done():
				return late
			case slots <- struct{}{}:
			}
		}
		if ctx.Err() != nil {
			return late
		}
		wait.Go(func() {
			a := prober.Probe(let)
			<-slots
			answers <- a
		})
		select {
		case <-ctx.Done():
			return late
		case <-ticker.C:
		}
	}
}
