package follow

import (
	"sync"
	"time"
)

// Health is how well a [Follower] knows what the API server has.
type Health struct {
	// Synced is true when the first full list has been handled. It stays true
	// through errors: what was read is valid until something newer is read.
	Synced bool
	// Degraded is true when the last call failed, when a watch ended with an
	// error, or when nothing was heard for too long. The store keeps what it had
	// (S15).
	Degraded bool
	// Since is when Degraded last changed; zero before the first answer.
	Since time.Time
	// Heard is when the API server last said anything: an answer, an event or a
	// bookmark. Zero before the first.
	Heard time.Time
	// Err is why it is degraded, nil if it is not.
	Err error
}

// state is a Health and those that are told of it.
type state struct {
	changed func(Health) // nil is not called

	telling sync.Mutex // held while changed is called, so that the last call tells the newest

	mu     sync.Mutex // guards health
	health Health
}

func (s *state) get() Health {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.health
}

// update changes the health, and tells if Synced or Degraded is another.
func (s *state) update(change func(*Health)) {
	s.telling.Lock()
	defer s.telling.Unlock()
	s.mu.Lock()
	before := s.health
	change(&s.health)
	after := s.health
	s.mu.Unlock()
	if s.changed != nil && (before.Synced != after.Synced || before.Degraded != after.Degraded) {
		s.changed(after)
	}
}

// heard notes that the API server said something.
func (s *state) heard() {
	s.mu.Lock()
	now := time.Now()
	s.health.Heard = now
	settled := !s.health.Degraded && !s.health.Since.IsZero()
	s.mu.Unlock()
	if settled {
		return // nearly always: an event costs no more than this
	}
	s.update(func(h *Health) {
		if h.Degraded || h.Since.IsZero() {
			h.Degraded, h.Since, h.Err = false, now, nil
		}
	})
}

// heardPart notes that a part of a list came in, which does not end a failure: the
// rest may be missing again.
func (s *state) heardPart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.health.Heard = time.Now()
}

// failed notes why nothing is heard.
func (s *state) failed(err error) {
	s.update(func(h *Health) {
		h.Err = err
		if !h.Degraded {
			h.Degraded, h.Since = true, time.Now()
		}
	})
}

// synced notes that a full list has been handled.
func (s *state) synced() {
	now := time.Now()
	s.update(func(h *Health) {
		h.Synced, h.Heard, h.Err = true, now, nil
		if h.Degraded || h.Since.IsZero() {
			h.Degraded, h.Since = false, now
		}
	})
}
