package verify

import (
	"context"
	"net/netip"
	"time"
)

// Failure says at which step a request failed.
type Failure string

// The failures. The zero value means no failure.
const (
	// Refused: the connection was refused or reset before it was made.
	Refused Failure = "refused"
	// Timeout: nothing came in time, at any step.
	Timeout Failure = "timeout"
	// Reset: the connection was made and ended before the answer did.
	Reset Failure = "reset"
	// TLS: the handshake failed.
	TLS Failure = "tls"
	// Status: an answer came, and it was an error of the load balancer or of the
	// backend, such as 503.
	Status Failure = "status"
	// Unidentified: an answer came, and it does not say who gave it.
	Unidentified Failure = "unidentified"
	// Other: everything else.
	Other Failure = "other"
)

// Answer is what became of one request over a connection of its own.
type Answer struct {
	// Began is just before the connection was opened, Ended when the answer was
	// read or given up.
	Began, Ended time.Time
	// From is the address of who answered, not of the load balancer. It is the
	// zero value when nobody did or when the answer does not tell; its port is 0
	// when the answer tells the address alone.
	From netip.AddrPort
	// Name is what who answered calls itself, a Pod's name for instance; "" if it
	// does not say.
	Name string
	// Failure is "" when there is an answer that tells who gave it.
	Failure Failure
	// Detail says more of a failure: the error, or the status line.
	Detail string
}

// Prober makes new connections to where clients connect to.
type Prober interface {
	// Probe makes one request over a new connection. A failed request is an
	// Answer with a Failure, not an error.
	Probe(ctx context.Context) Answer
	// String names the target as the user did: "http://10.0.0.1:8080/".
	String() string
}
