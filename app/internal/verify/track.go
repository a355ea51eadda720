package verify

import (
	"slices"
	"time"
)

// track is a value over time: each step holds until the next one. Before the
// first step it is the zero value.
type track[T comparable] []step[T]

type step[T comparable] struct {
	at    time.Time
	value T
}

// set notes that the value is v from a moment on, which must not be before the
// last step. Of one moment the last word counts.
func (t *track[T]) set(at time.Time, v T) {
	steps := *t
	if n := len(steps); n > 0 && !steps[n-1].at.Before(at) {
		steps = steps[:n-1]
	}
	var was T
	if n := len(steps); n > 0 {
		was = steps[n-1].value
	}
	if was != v {
		steps = append(steps, step[T]{at, v})
	}
	*t = steps
}

// last returns the index of the step that holds at a moment, -1 before all.
func (t track[T]) last(at time.Time) int {
	n, _ := slices.BinarySearchFunc(t, at, func(s step[T], at time.Time) int {
		if s.at.After(at) {
			return 1
		}
		return -1
	})
	return n - 1
}

// at returns the value at a moment.
func (t track[T]) at(at time.Time) T {
	if i := t.last(at); i >= 0 {
		return t[i].value
	}
	var zero T
	return zero
}

// within reports whether the value was one that fits at any time from a to b,
// both included.
func (t track[T]) within(a, b time.Time, fits func(T) bool) bool {
	if fits(t.at(a)) {
		return true
	}
	for i := t.last(a) + 1; i < len(t) && !t[i].at.After(b); i++ {
		if fits(t[i].value) {
			return true
		}
	}
	return false
}

// span is a period; a zero to means that it has not ended.
type span struct {
	from, to time.Time
	why      string
}

// ends returns when it ended, or until.
func (s span) ends(until time.Time) time.Time {
	if s.to.IsZero() {
		return until
	}
	return s.to
}
