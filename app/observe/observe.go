// Package observe looks at consumers of a Service from outside: which addresses
// a consumer has for new connections, and which address answers one.
//
// It is for programs that judge consumers, such as Slicewright's lab. The
// specs are those of slicewright verify; docs/verify.md lists them. Observers
// and probers keep nothing between two looks and may be used by several
// goroutines.
package observe

import (
	"context"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/observe"
	"github.com/slicewright/slicewright/app/internal/verify/probe"
)

type (
	// Observer reads what a consumer has at this moment.
	Observer = verify.Observer
	// View is the answer of an Observer.
	View = verify.View
	// Prober makes one new connection with one request.
	Prober = verify.Prober
	// Answer is the result of a Prober.
	Answer = verify.Answer
	// ProbeOptions are the options of NewProber.
	ProbeOptions = probe.Options
)

// New is the use of a member that may get new connections.
const New = verify.New

// Failures of a request that callers tell apart.
const (
	// Refused is a connection that was refused or reset before it was made.
	Refused = verify.Refused
	// Status is an HTTP answer with a status that counts as failed.
	Status = verify.Status
)

// NewObserver returns the observer of a spec, such as
// "haproxy:unix:///run/haproxy.sock#backend". The error says which part of the
// spec is wrong.
func NewObserver(spec string) (Observer, error) { return observe.Parse(spec) }

// NewProber returns the prober of a spec, such as "http://10.0.0.1:80/". The
// error says which part of the spec is wrong.
func NewProber(spec string, options ProbeOptions) (Prober, error) { return probe.Parse(spec, options) }

// Many makes n requests, at most atOnce of them at a time, and returns the
// answers in the order in which the requests began. After the end of ctx no new
// request begins.
func Many(ctx context.Context, target Prober, n, atOnce int) []Answer {
	return probe.Many(ctx, target, n, atOnce)
}
