package experiment

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/slicewright/slicewright/app/internal/cli/clitest"
)

// Ctrl-C ends a plan that waits for an API server.
func TestExperimentPlanIsInterrupted(t *testing.T) {
	client, asked := clitest.HangingCluster(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	began := time.Now()
	// The client's own time-out is half a minute.
	if _, err := planCluster(ctx, client); !errors.Is(err, context.Canceled) || time.Since(began) > 20*time.Second {
		t.Errorf("after %s it ended with %v", time.Since(began), err)
	}
}
