package publish

import "time"

// Phase says in a word how an upstream's target is doing.
type Phase string

// The phases.
const (
	// Waiting: the gate is not open, nothing has been published yet.
	Waiting Phase = "waiting"
	// Published: what is desired was read back from the target.
	Published Phase = "published"
	// Failing: the last attempt failed and is repeated.
	Failing Phase = "failing"
	// Holding: there are no backends left and the last ones are kept, as
	// configured.
	Holding Phase = "holding"
)

// Counts are numbers of backends.
type Counts struct {
	Active   int `json:"active"`
	Draining int `json:"draining"`
	Excluded int `json:"excluded"`
}

// Status is what a [Publisher] says of itself.
type Status struct {
	Upstream string `json:"upstream"`
	Service  string `json:"service"`
	Target   string `json:"target"`
	Phase    Phase  `json:"phase"`
	// Since is when the phase began.
	Since time.Time `json:"since"`
	// Desired is what the slices give now, Applied what was last read back.
	Desired Counts `json:"desired"`
	Applied Counts `json:"applied"`
	// Fallback: Desired.Active are terminating backends (S10).
	Fallback bool `json:"fallback"`
	// Generation counts the different states that were applied, over restarts.
	Generation uint64 `json:"generation"`
	// Hash names the state that was last applied.
	Hash string `json:"hash"`
	// LastSuccess is when the target was last read back and had what is
	// desired; zero if never.
	LastSuccess time.Time `json:"lastSuccess,omitzero"`
	LastError   string    `json:"lastError,omitempty"`
	// Warning is what is likely a mistake in the configuration.
	Warning string `json:"warning,omitempty"`
	// Pending is what cannot be done yet, such as deleting a server that holds
	// connections.
	Pending []string `json:"pending,omitempty"`
	// Foreign is what the target has that is not ours. It is left alone.
	Foreign []string `json:"foreign,omitempty"`
}
