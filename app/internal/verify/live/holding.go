package live

import (
	"context"
	"net/netip"
	"time"

	"github.com/slicewright/slicewright/app/internal/verify/hold"
)

// hold opens the long connections and waits until each has been answered or given
// up. The function that it returns says goodbye to those that are open then, and
// judges; it is nil if no connections are to be held.
func (r *Runner) hold(ctx context.Context) (done func() *Held) {
	if len(r.config.Hold) == 0 {
		return func() *Held { return nil }
	}
	r.config.Say("opening the connections to hold")
	// The end of ctx is no end that a backend made.
	holding, cancel := context.WithCancel(context.WithoutCancel(ctx))
	opened, report := make(chan struct{}), make(chan hold.Report, 1)
	go func() { report <- hold.Run(holding, r.config.Hold, func(hold.Report) { close(opened) }) }()
	select {
	case <-opened:
	case <-ctx.Done():
	}
	return func() *Held {
		now := time.Now()
		cancel()
		got := <-report
		r.mu.Lock()
		defer r.mu.Unlock()
		return held(got, r.left, now)
	}
}

// left returns when a holder stopped being active. One that does not tell its
// port, or another, is taken by its address. It is called with mu.
func (r *Runner) left(who netip.AddrPort, since time.Time) time.Time {
	if left := r.log.Left(who, since); !left.IsZero() {
		return left
	}
	return r.log.Left(netip.AddrPortFrom(who.Addr(), 0), since)
}
