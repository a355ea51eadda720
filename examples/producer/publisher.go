package main

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/slicewright/slicewright/producer"
)

const (
	// settle is how long a file must rest before it is read: an editor or a
	// copy writes it in pieces.
	settle = 200 * time.Millisecond
	// resync puts right what somebody else did to the slices.
	resync = time.Minute
	// retry is how long to wait after the API server could not be reached.
	retry = 5 * time.Second
)

// publisher keeps the slices as the file says.
type publisher struct {
	file    string
	desired producer.Desired // without endpoints
	writer  *producer.Writer
	legacy  *producer.Legacy // nil when there is nothing to retire
	retired bool
	log     *slog.Logger
}

// run publishes until ctx ends. Only what makes it useless ends it earlier.
func (p *publisher) run(ctx context.Context) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch %s: %w", p.file, err)
	}
	defer watcher.Close()
	// The folder, not the file: who writes well writes another file and renames it.
	if err := watcher.Add(filepath.Dir(p.file)); err != nil {
		return fmt.Errorf("watch %s: %w", p.file, err)
	}
	next := time.NewTimer(0)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-watcher.Errors:
			p.log.Warn("events of the file may be missing", "error", err)
			next.Reset(settle)
		case event := <-watcher.Events:
			// A mounted ConfigMap changes by the link ..data in its folder. Others'
			// files do not count: a busy folder would put the reading off for ever.
			if name := filepath.Base(event.Name); name == filepath.Base(p.file) || name == "..data" {
				next.Reset(settle)
			}
		case <-next.C:
			wait := resync
			if err := p.publish(ctx); err != nil {
				p.log.Error("what was published stays", "error", err)
				wait = retry
			}
			next.Reset(wait)
		}
	}
}

// publish reads the file and brings the slices to what it says, then retires
// the Endpoints object.
func (p *publisher) publish(ctx context.Context) error {
	endpoints, err := read(p.file)
	if err != nil {
		return err
	}
	desired := p.desired
	desired.Subsets = []producer.Subset{{Ports: p.desired.Subsets[0].Ports, Endpoints: endpoints}}
	result, err := p.writer.Sync(ctx, desired)
	if err != nil {
		return err
	}
	if result.Writes() > 0 {
		p.log.Info("published", "service", desired.Service, "endpoints", len(endpoints),
			"creates", result.Creates, "updates", result.Updates, "deletes", result.Deletes)
	}
	if p.legacy == nil || p.retired {
		return nil
	}
	if err := p.writer.Retire(ctx, desired, *p.legacy); err != nil {
		return err
	}
	p.retired = true
	p.log.Info("the Endpoints object is retired", "service", desired.Service)
	return nil
}
