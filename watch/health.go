package watch

import (
	"context"
	"log/slog"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Health is the state of the watch of one namespace.
type Health struct {
	// Namespace is "" for a watch of all.
	Namespace string
	// Synced: the initial list has been handled. It stays true through errors,
	// since what was read stays valid until something newer is read.
	Synced bool
	// Degraded: the last attempt to list or watch failed. The index keeps what
	// it had (S15).
	Degraded bool
	// Since is when Degraded last changed; zero before the first answer.
	Since time.Time
	// Err is why it is degraded.
	Err error
}

// A source is one namespace's watch and what is known about it.
type source struct {
	namespace string
	logger    *slog.Logger

	mu    sync.Mutex // guards state
	state Health
}

func newSource(namespace string, logger *slog.Logger) *source {
	name := namespace
	if name == "" {
		name = "(all)"
	}
	return &source{namespace: namespace, logger: logger.With("namespace", name), state: Health{Namespace: namespace}}
}

func (s *source) health() Health {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// observe notes the outcome of a call. It logs when the state changes, not at
// every retry.
func (s *source) observe(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return // we are the ones who ended the call
	}
	if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) || apierrors.IsInvalid(err) {
		// The watch's resourceVersion is compacted away, or the API server is
		// too old to stream a list and refuses to. A list follows at once, and
		// whether that works is what counts.
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	degraded := err != nil
	changed := degraded != s.state.Degraded
	s.state.Err = err
	if changed || s.state.Since.IsZero() {
		s.state.Degraded, s.state.Since = degraded, time.Now()
	}
	switch {
	case changed && degraded:
		s.logger.Warn("cannot read EndpointSlices: what was published stays, and it is tried again", "err", err)
	case changed:
		s.logger.Info("EndpointSlices can be read again")
	}
}

// listed notes that a full list has been handled.
func (s *source) listed(count int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.state.Synced {
		s.state.Synced = true
		s.logger.Info("the initial list of EndpointSlices is handled", "slices", count)
	}
}
