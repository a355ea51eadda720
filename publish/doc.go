// Package publish brings the backends of a Service to a load balancer and keeps
// them there through every failure.
//
// An [Upstream] says which backends: of which Service and port, by which
// policy. A [Driver] says where to: one HAProxy backend, one rendered file. A
// [Publisher] is the loop between them: wait for the gate (S14), take what is
// desired now, observe the load balancer, plan, apply, and observe again, until
// a plan has nothing left to do. What differs after that is an error, and is
// retried with back-off. A [Fleet] runs many publishers and tells each when a
// slice of its Service changed.
//
// Guarantees:
//   - one writer a target: a publisher calls its driver from one goroutine;
//   - nothing is published before the gate is open, and nothing because of an
//     error: a failed read keeps what is there (S15);
//   - new backends come in before old ones go out;
//   - a change that means nothing to an upstream sends nothing (S18);
//   - what was last applied is on disk, so that a start without an API server
//     can put it back into a load balancer that lost it, and changes nothing
//     that works.
package publish
