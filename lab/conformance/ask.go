package conformance

import (
	"context"
	"maps"
	"net/netip"
	"slices"

	"github.com/slicewright/slicewright/app/observe"
)

// asked is what came of a number of new connections.
type asked struct {
	seen     []netip.AddrPort
	requests int
	failed   int
	failures map[string]int
}

const (
	// perBatch new connections are made before anybody looks at the answers.
	perBatch = 16
	// whenNone is how many are made where none may be answered.
	whenNone = 12
	// atOnce is how many are open at the same time.
	atOnce = 4
)

// ask makes new connections until everybody wanted has answered, and then more
// to see who else does. A balancer that picks at random with k backends misses
// one of them in n connections with a chance of (1-1/k)^n: after 8(k+4) without a
// new face that is below 1 in 2000, and nobody else is waited for. Unless
// thorough, it ends with the first answer or failure that is wrong.
func ask(ctx context.Context, target observe.Prober, want []netip.AddrPort, thorough bool) asked {
	result := asked{failures: map[string]int{}}
	seen := map[netip.AddrPort]bool{}
	batch := func(n int) {
		for _, a := range observe.Many(ctx, target, n, atOnce) {
			result.requests++
			if a.Failure != "" {
				result.failed++
				result.failures[failureText(a)]++
				continue
			}
			seen[a.From] = true
		}
	}
	wrong := func() bool {
		if len(want) > 0 && result.failed > 0 {
			return true
		}
		for from := range seen {
			if _, ok := slices.BinarySearchFunc(want, from, netip.AddrPort.Compare); !ok {
				return true
			}
		}
		return false
	}
	missing := func() bool {
		return slices.ContainsFunc(want, func(a netip.AddrPort) bool { return !seen[a] })
	}
	if len(want) == 0 {
		batch(whenNone)
	}
	for quiet := 0; missing() && quiet < 8*(len(seen)+4) && ctx.Err() == nil; {
		before := len(seen)
		batch(perBatch)
		quiet += perBatch
		if len(seen) > before {
			quiet = 0
		}
		if !thorough && wrong() {
			break
		}
	}
	if thorough || !wrong() && !missing() {
		for quiet := 0; quiet < 3*len(seen)+perBatch && len(seen) > 0 && ctx.Err() == nil; {
			before := len(seen)
			batch(perBatch)
			quiet += perBatch
			if len(seen) > before {
				quiet = 0
			}
		}
	}
	result.seen = slices.SortedFunc(maps.Keys(seen), netip.AddrPort.Compare)
	return result
}

func failureText(a observe.Answer) string {
	if a.Failure == observe.Status {
		return string(a.Failure) + " " + a.Detail
	}
	return string(a.Failure)
}
