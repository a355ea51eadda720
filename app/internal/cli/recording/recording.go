// Package recording is what the commands that write or read a recording share.
package recording

import (
	"context"
	"errors"
	"fmt"

	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/app/internal/timeline/store"
)

// CloseRecording closes a recording and returns err with what that adds to it: a
// writer that has failed says so again.
func Close(ctx context.Context, w *store.Writer, err error) error {
	if closing := w.Close(context.WithoutCancel(ctx)); !errors.Is(err, closing) {
		return errors.Join(err, closing)
	}
	return err
}

// Opened is a recording that is open for reading.
type Opened struct {
	*store.Reader
	// Name is the recording's in messages.
	Name string
	Info store.Info
}

// OpenRecording opens a recording. The caller closes it.
func Open(ctx context.Context, name string) (*Opened, error) {
	reader, err := store.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	name = store.DisplayName(name)
	info, err := reader.Info(ctx)
	if err != nil {
		reader.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &Opened{reader, name, info}, nil
}

// History reads what a filter's times need. No events are an error with the exit
// code for "unknown".
func (r *Opened) History(ctx context.Context, filter timeline.Filter) (*timeline.History, error) {
	var b timeline.Builder
	n := 0
	for ev, err := range r.Events(ctx, filter.Since, filter.Until) {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Name, err)
		}
		b.Add(ev)
		n++
	}
	if n == 0 {
		return nil, command.WithExit(command.ExitUnknown, fmt.Errorf("%s holds no events in that time", r.Name))
	}
	until := r.Info.Until
	if !filter.Until.IsZero() && filter.Until.Before(until) {
		until = filter.Until
	}
	return b.Build(until), nil
}
