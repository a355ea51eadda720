package audit

import (
	"runtime"
	"strings"
	"time"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// Options bound and direct a scan. The zero value is ready for use.
type Options struct {
	// ExcludeUserAgents are products ("kubectl") or prefixes of user agents
	// ("Prometheus/2.") whose requests are left out and counted.
	ExcludeUserAgents []string
	// MaxLine is the longest line that is read whole, in bytes; 0 is 8 MiB. Of
	// longer ones only the beginning is read.
	MaxLine int
	// Workers decode at the same time; 0 is one a processor.
	Workers int
	// GapAfter is the silence from which on the log counts as interrupted; 0 is
	// one hour.
	GapAfter time.Duration
}

func (o Options) withDefaults() Options {
	if o.MaxLine <= 0 {
		o.MaxLine = 8 << 20
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.GapAfter <= 0 {
		o.GapAfter = time.Hour
	}
	return o
}

// excluded says whether requests under this user agent are left out.
func (o Options) excluded(userAgent string) bool {
	name, _ := product(userAgent)
	if name == evidence.UserAgent || name == "kubectl-"+evidence.UserAgent {
		return true
	}
	for _, x := range o.ExcludeUserAgents {
		if x != "" && (x == name || strings.HasPrefix(userAgent, x)) {
			return true
		}
	}
	return false
}

// Result is what a scan returns.
type Result struct {
	Findings []evidence.Finding
	Coverage evidence.Coverage
	Totals   Totals
}

// Totals count all requests for Endpoints in the log that were let through,
// excluded user agents included: what the API server's own metrics count too.
type Totals struct {
	// Requests counts by verb. A watch counts when it has ended, as in
	// apiserver_request_total.
	Requests map[string]int
	// Self is the share that the API server asked of itself.
	Self map[string]int
	// OpenWatches have begun and not ended in the log.
	OpenWatches int
	// First and Last are the window of the log; zero if nothing was read.
	First, Last time.Time
	// Interruptions counts the silences in between of more than [Options.GapAfter].
	Interruptions int
}
