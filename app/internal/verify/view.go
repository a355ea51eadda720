package verify

import (
	"context"
	"net/netip"
	"time"
)

// Use is what a consumer does with a backend that it has.
type Use uint8

// The uses. The zero value is not a use.
const (
	// New: it is a candidate for new connections.
	New Use = iota + 1
	// Draining: it keeps the connections that it has and gets no new ones.
	Draining
	// Idle: the consumer has it and gives it nothing: down, in maintenance, or
	// failing a health check.
	Idle
)

var useNames = [...]string{"", "new", "draining", "idle"}

// String returns "new", "draining" or "idle".
func (u Use) String() string {
	if int(u) < len(useNames) && u > 0 {
		return useNames[u]
	}
	return "unknown"
}

// MarshalText implements encoding.TextMarshaler.
func (u Use) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

// Unknown means a number that a consumer does not tell.
const Unknown = -1

// Member is one backend as a consumer has it.
type Member struct {
	// Address is where the consumer connects to. Its port is 0 where the consumer
	// knows addresses alone, as DNS does.
	Address netip.AddrPort
	Use     Use
	// Open is how many connections or sessions it has open, Total how many it
	// ever had; Unknown where the consumer does not tell.
	Open, Total int64
	// Detail is the consumer's own word for the state, "" if it has none.
	Detail string
}

// View is what a consumer had at a moment. A consumer without a backend has no
// Members; a consumer that could not be asked has no View.
type View struct {
	// At is when the consumer was asked; what it answered was true between At and
	// At plus the time that the answer took.
	At time.Time
	// Members are in no particular order and may repeat an address.
	Members []Member
}

// Observer reads a consumer's own view.
type Observer interface {
	// Observe asks the consumer once. An error means that the view is unknown: it
	// is never an empty view. It changes nothing in the consumer.
	Observe(ctx context.Context) (View, error)
	// String names the consumer as the user did: "haproxy:/run/haproxy.sock/web".
	String() string
}
