package scenario

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// patience is how long a condition may take to come true. Ten times what it
	// takes on a loaded machine, for a red run costs more than a slow one.
	patience = 90 * time.Second
	// pollInterval is how often a condition is looked at.
	pollInterval = 50 * time.Millisecond
)

// errFinal marks an error that no waiting will cure.
var errFinal = errors.New("will not come true")

// eventually returns nil once check does, or its last error when patience or
// ctx ends.
func eventually(ctx context.Context, check func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("not within %s", patience))
	defer cancel()
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	var last error
	for {
		err := check(ctx)
		if err == nil {
			return nil
		}
		if errors.Is(err, errFinal) {
			return err
		}
		// What the end of the time broke off says nothing about the condition.
		if last == nil || ctx.Err() == nil {
			last = err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", context.Cause(ctx), last)
		case <-ticker.C:
		}
	}
}
