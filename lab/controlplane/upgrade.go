package controlplane

import (
	"context"
	"slices"
)

// Upgrade stops the components, the API server's clients first, and starts those
// of other programs with the same data, certificates and flags; it returns once
// each says that it is ready. What was restarted with flags of its own is back at
// the lab's; kube-proxy is started again if it ran. After an error the control
// plane is down, or part of it is.
func (c *ControlPlane) Upgrade(ctx context.Context, programs Programs) error {
	c.mu.Lock()
	proxied := false
	for _, name := range slices.Backward(Names) {
		if p := c.processes[name]; p != nil {
			proxied = proxied || name == Proxy && p.Running()
			p.Stop(stopGrace)
		}
	}
	c.programs = programs
	c.mu.Unlock()
	batches := startOrder
	if proxied {
		batches = append(slices.Clone(batches), []string{Proxy})
	}
	return c.startBatches(ctx, batches)
}
