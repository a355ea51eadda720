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
// publish/publishtest has the tests that every driver has to pass.
type Driver interface {
	// Target names what the driver writes, such as
	// "haproxy:/run/haproxy/admin.sock/reports". It never changes. Two upstreams
	// with one Target would undo each other's work, and [NewFleet] refuses them.
	Target() string
	// Observe reads what the load balancer has now. An error means that nothing
	// is known, which is not the same as empty (S15).
	Observe(ctx context.Context) (Observed, error)
	// Plan says what has to be sent so that the load balancer has desired. It
	// is pure: no input or output, no clock, and it changes neither argument.
	// New backends come in before old ones go out. What another driver observed
	// gives a plan whose Apply returns an error that names the wrong type.
	Plan(desired Desired, observed Observed) Ops
	// Apply sends ops in their order, and returns the error of a plan that
	// could not do everything. It is idempotent: applied twice, the load
	// balancer is as if applied once. It stops at the first failure and returns
	// it with what was done before. It never waits for a time to come: what has
	// to wait is in Ops.Waiting. It returns soon after ctx has ended.
	Apply(ctx context.Context, ops Ops) (Result, error)
}

// Observed is what a load balancer had when it was read.
type Observed interface {
	// Ours counts the backends that this driver put there and that may get a
	// new connection.
	Ours() int
	// Foreign lists what is there and is not ours, a line each for people. It
	// is left alone.
	Foreign() []string
}

// Ops is what a driver is about to do. It is in one of three states:
//   - Empty: the load balancer has what is desired. Something can still wait,
//     such as the deletion of a drained server; new connections do not notice.
//   - Len above 0: there is something to send. Apply sends it.
//   - Neither: nothing can be sent now. Apply returns what is wrong with the plan,
//     or nil when it only has to wait, as for the smallest time between two
//     reloads. The loop then waits, and plans again with what is desired then.
type Ops interface {
	// Empty reports that the load balancer has what is desired.
	Empty() bool
	// Len counts the writes that Apply will make.
	Len() int
	// String is exactly what will be sent; "" for nothing.
	String() string
	// Waiting says what cannot be done yet, a line each for people, and how long
	// until it is worth another look. Nothing waits when what is empty.
	Waiting() (what []string, again time.Duration)
}

// Result is what Apply did.
type Result struct {
	// Writes counts the operations carried out.
	Writes int
}

// Desired is what a load balancer has to have: the backends of one port of one
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
