package probe

import (
	"context"
	"sync"
	"time"
)

// Continuous sends requests steadily until it is stopped.
type Continuous struct {
	cancel context.CancelFunc
	wait   sync.WaitGroup

	mu     sync.Mutex
	report Report // guarded by mu
}

// Start sends a request every interval, whether or not earlier ones have been
// answered, at most 64 at once.
func Start(url string, interval time.Duration) *Continuous {
	ctx, cancel := context.WithCancel(context.Background())
	c := &Continuous{cancel: cancel}
	c.wait.Go(func() { c.run(ctx, url, interval) })
	return c
}

// Stop sends no more requests, waits for the open ones and returns the report.
func (c *Continuous) Stop() Report {
	c.cancel()
	c.wait.Wait()
	return c.report
}

// Len counts the requests that have ended.
func (c *Continuous) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.report.Answers)
}

func (c *Continuous) run(ctx context.Context, url string, interval time.Duration) {
	client := newClient(timeout)
	slots := make(chan struct{}, 64)
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		slots <- struct{}{}
		c.wait.Go(func() {
			defer func() { <-slots }()
			// Not under ctx: a request that has begun may end, because a request
			// that we broke off ourselves would count as failed.
			a := ask(context.Background(), client, url)
			c.mu.Lock()
			defer c.mu.Unlock()
			c.report.Answers = append(c.report.Answers, a)
		})
	}
}
