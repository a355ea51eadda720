// Package pause waits for a time that can be cut short.
package pause

import (
	"context"
	"time"
)

// For waits for d and returns nil, or returns the error of ctx as soon as ctx has
// ended. It does not wait for zero or less, and then still returns the error of a
// context that has ended.
func For(ctx context.Context, d time.Duration) error {
	if d <= 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
