package watch

import "time"

// Health is the state of the watch of one namespace.
type Health struct {
	// Namespace is "" for a watch of all.
	Namespace string
	// Synced is true when the initial list has been handled. It stays true through
	// errors, since what was read stays valid until something newer is read.
	Synced bool
	// Degraded is true when the last attempt to list or watch failed, when a watch
	// ended with an error, and when the API server said nothing for too long. The
	// index keeps what it had (S15).
	Degraded bool
	// Since is when Degraded last changed; zero before the first answer.
	Since time.Time
	// Heard is when the API server last said anything: an answer, an event, or a
	// bookmark, of which it sends about one a minute. Zero before the first.
	Heard time.Time
	// Err is why it is degraded, nil if it is not.
	Err error
}
