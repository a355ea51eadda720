package publish

import "time"

// Phase says in a word how an upstream's target is doing.
type Phase string

// The phases.
const (
	// PhaseWaiting: the gate is not open, nothing has been published yet.
	PhaseWaiting Phase = "waiting"
	// PhaseUnknown: no slice has named the upstream's Service or port since the
	// start. The target is left alone (S21).
	PhaseUnknown Phase = "unknown"
	// PhasePublished: what is desired was read back from the target.
	PhasePublished Phase = "published"
	// PhaseFailing: the last attempt failed and is repeated.
	PhaseFailing Phase = "failing"
	// PhaseHolding: no backends are left and the last ones are kept, as
	// configured.
	PhaseHolding Phase = "holding"
)

// Phases returns all phases, in the order in which a target goes through them.
func Phases() []Phase {
	return []Phase{PhaseWaiting, PhaseUnknown, PhasePublished, PhaseFailing, PhaseHolding}
}

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
	// Warning is what is likely a mistake in the configuration. In the phase
	// "unknown" it is the reason.
	Warning string `json:"warning,omitempty"`
	// Pending is what cannot be done yet, such as deleting a server that holds
	// connections, or a reload that comes too soon after the last one.
	Pending []string `json:"pending,omitempty"`
	// Foreign is what the target has that is not ours. It is left alone.
	Foreign []string `json:"foreign,omitempty"`
}
