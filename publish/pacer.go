package publish

import (
	"context"
	"time"
)

// A pacer lets the first change after a pause through at once and gathers those
// that follow: until none has come for a window, at most for the longest one.
type pacer struct {
	window, longest time.Duration
	last            time.Time // when the last publish ended
}

func newPacer(window, longest time.Duration) *pacer {
	return &pacer{window: window, longest: longest}
}

// published notes that a publish has ended.
func (p *pacer) published() { p.last = time.Now() }

// wait returns when it is time to publish the change that just came. more
// delivers those that come meanwhile. It returns false when ctx ended.
func (p *pacer) wait(ctx context.Context, more <-chan struct{}) bool {
	if time.Since(p.last) >= p.window {
		return true
	}
	quiet := time.NewTimer(p.window)
	defer quiet.Stop()
	latest := time.NewTimer(p.longest)
	defer latest.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-more:
			quiet.Reset(p.window)
		case <-quiet.C:
			return true
		case <-latest.C:
			return true
		}
	}
}
