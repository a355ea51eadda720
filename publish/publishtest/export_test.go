package publishtest

import "context"

// Exec gives the load balancer one command.
func (b *Balancer) Exec(ctx context.Context, command string) error { return b.exec(ctx, command) }
