package publish

import (
	"context"
	"time"

	"github.com/slicewright/slicewright/endpointset"
)

// A Driver writes one upstream of one load balancer: one HAProxy backend, one
// rendered file. The loop calls its methods one at a time, never concurrently.
//
// A Driver keeps no memory that correctness depends on: what the load balancer
// has is what Observe reads, so that a restart of either side loses nothing.
type Driver interface {
	// Target names what the driver writes, such as
	// "haproxy:/run/haproxy/admin.sock/reports". Two upstreams with one Target
	// would fight, and configuration refuses them.
	Target() string
	// Capabilities says what the load balancer can do.
	Capabilities() Capabilities
	// Observe reads what the load balancer has now. An error means that nothing
	// is known, which is not the same as empty (S15).
	Observe(ctx context.Context) (Observed, error)
	// Plan says what has to be sent so that the load balancer has desired. It
	// is pure: no I/O, no clock; observed comes from the same driver's Observe.
	// New backends come in before old ones go out.
	Plan(desired Desired, observed Observed) Ops
	// Apply sends ops, in order. It is idempotent: applied twice, the load
	// balancer is as if applied once. It stops at the first failure and returns
	// it with what was done before.
	Apply(ctx context.Context, ops Ops) (Result, error)
}

// Capabilities say what a driver's load balancer can do.
type Capabilities struct {
	// Drain: a backend can refuse new connections and keep its open ones.
	Drain bool
	// AddAtRunTime: a backend can come without a reload.
	AddAtRunTime bool
	// SurvivesRestart: what was applied is still there after the load balancer
	// restarts.
	SurvivesRestart bool
}

// Observed is what a load balancer had when it was read.
type Observed interface {
	// Ours counts the backends that this driver put there and that may get a
	// new connection.
	Ours() int
	// Foreign lists what is there and is not ours; it is left alone.
	Foreign() []string
}

// Ops is what a driver is about to do.
type Ops interface {
	// Empty reports that nothing has to be sent.
	Empty() bool
	// Len counts the writes that Apply will make.
	Len() int
	// String is exactly what will be sent.
	String() string
	// Waiting says what cannot be done yet, such as deleting a server that
	// still holds connections, and how long until it is worth another look.
	// A plan that only waits is Empty and converged for new connections.
	Waiting() (what []string, again time.Duration)
}

// Result is what Apply did.
type Result struct {
	// Writes counts the operations carried out.
	Writes int
}

// Desired is what a load balancer shall have: the backends of one port of one
// Service, after a policy chose.
type Desired struct {
	// Upstream is the name in the configuration.
	Upstream string
	Service  endpointset.ServiceKey
	Port     string
	// Active get new connections; Draining keep their open ones and get none.
	// Both are in the order of S8 and share no ID.
	Active, Draining []endpointset.Backend
	// Fallback is set when Active holds terminating backends for want of
	// others (S10).
	Fallback bool
	// DrainTimeout bounds how long a draining backend may keep its
	// connections. 0 means until they end by themselves.
	DrainTimeout time.Duration
}
