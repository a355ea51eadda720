package verify

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/slicewright/slicewright/app/internal/cli/recording"
	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/app/internal/timeline/record"
	"github.com/slicewright/slicewright/app/internal/timeline/store"
	"github.com/slicewright/slicewright/app/internal/verify/live"
)

// maxUnrecorded is how many observations wait for the database: half a minute of
// what ten probes make. What does not fit is left out, and that is said.
const maxUnrecorded = 1 << 13

// verifyRecording records beside the verification, so that the timeline has the
// consumers above the slices. Its zero value records nothing.
type verifyRecording struct {
	name    string
	cancel  context.CancelFunc
	done    chan error
	leftOut *int
}

// startRecording begins to record, and has the verification say what it sees.
func (f *verifyFlags) startRecording(ctx context.Context, slices *verifySlices, config *live.Config) (*verifyRecording, error) {
	if f.record == "" {
		return &verifyRecording{}, nil
	}
	recording.IgnoreFileSizeSignal()
	scope := record.Scope{Namespace: slices.service.Namespace, Services: []string{slices.service.Name}}
	w, err := store.Create(ctx, f.record, store.Run{Source: slices.host, Scope: scope.String(), Started: time.Now()})
	if err != nil {
		return nil, fmt.Errorf("--record: %w", err)
	}
	observations := make(chan timeline.Observation, maxUnrecorded)
	leftOut := 0 // only Observed, whose calls follow one another, counts
	config.Observed = func(o timeline.Observation) {
		select {
		case observations <- o:
		default:
			leftOut++
		}
	}
	// Not ctx itself: what is seen last comes after its end.
	recordingTime, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r := &verifyRecording{name: store.DisplayName(f.record), cancel: cancel, done: make(chan error, 1), leftOut: &leftOut}
	cluster := record.Cluster{
		Client: slices.client, Scope: scope, Now: time.Now, Observations: observations, Log: slog.New(slog.DiscardHandler),
	}
	go func() {
		err := cluster.Record(recordingTime, w)
		r.done <- recording.Close(ctx, w, err)
	}()
	return r, nil
}

// stop ends the recording and waits until all is written.
func (r *verifyRecording) stop() error {
	if r.cancel == nil {
		return nil
	}
	r.cancel()
	if err := <-r.done; err != nil {
		return fmt.Errorf("record into %s: %w", r.name, err)
	}
	if *r.leftOut > 0 {
		return fmt.Errorf("record into %s: it was too slow for %d observations, which are not in it", r.name, *r.leftOut)
	}
	return nil
}
