package serve

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/slicewright/slicewright/app/internal/find/audit/live"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/registry"
	"github.com/slicewright/slicewright/app/internal/find/registry/registryfile"
)

// registryKeeper writes what the recorder knows into the registry file.
type registryKeeper struct {
	path     string // "" without a file
	recorder *live.Recorder
	running  *running
}

// run writes after each interval in which something was recorded, until ctx ends.
func (k *registryKeeper) run(ctx context.Context, interval time.Duration, log *slog.Logger) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	written := uint64(0)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := k.recorder.Changed()
		if now == written {
			continue
		}
		// A disk that is full now may not be in a minute: batches are refused
		// meanwhile, and nothing is lost by going on.
		if err := errors.Join(k.write(), k.recorder.Checkpoint()); err != nil {
			log.Error("could not write", "error", err)
			continue
		}
		written = now
	}
}

// registry joins the live findings with what the file has. The file is read each
// time: people write into it while this runs.
func (k *registryKeeper) registry() (*registry.Registry, error) {
	result := k.recorder.Result()
	k.running.name(result.Findings)
	now := registry.Build(result.Findings, []evidence.Coverage{result.Coverage})
	if k.path == "" {
		return now, nil
	}
	kept, err := registryfile.LoadIfExists(k.path)
	if err != nil || kept == nil {
		return now, err
	}
	registry.Refresh(kept, now, evidence.SourceAudit)
	return kept, nil
}

func (k *registryKeeper) write() error {
	if k.path == "" {
		return nil
	}
	r, err := k.registry()
	if err != nil {
		return err
	}
	return registryfile.Save(k.path, r)
}
