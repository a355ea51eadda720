package apimetrics

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// Explained is what an audit log says of the same API servers. Refused requests
// are left out in it, since metrics do not count them.
type Explained struct {
	Requests    map[string]int
	Self        map[string]int
	OpenWatches int
	First, Last time.Time
}

// CrossCheck compares the API server's own counts with what an audit log
// explains. It names nobody.
type CrossCheck struct {
	// LiveWatches are open at the API server. ExplainedWatches is how many are
	// open in the audit log; -1 says that there was no audit log.
	LiveWatches      int           `json:"liveWatches"`
	ExplainedWatches int           `json:"explainedWatches"`
	Requests         []CheckedVerb `json:"requests"`
	Findings         []string      `json:"findings"`
	Queries          []Query       `json:"queries"`
}

// CheckedVerb is one verb's line of a cross-check.
type CheckedVerb struct {
	Verb string `json:"verb"`
	// Total is what the API server counted, Self what it asked of itself.
	Total int            `json:"total"`
	Codes map[string]int `json:"codes"`
	Self  int            `json:"self"`
	// Explained is what the audit log shows of the rest; -1 without a log.
	Explained int `json:"explained"`
}

// Query is a question to Prometheus that gives the same number.
type Query struct {
	Purpose string `json:"purpose"`
	PromQL  string `json:"promql"`
}

// Queries are what is asked, of a metrics page as of Prometheus.
func Queries() []Query {
	return []Query{
		{"requests by verb and code", `sum by (verb, code) (apiserver_request_total{group="",resource="endpoints",subresource=""})`},
		{"of them the API server's own", `sum by (verb) (apiserver_selfrequest_total{group="",resource="endpoints",subresource=""})`},
		{"live watches", `sum by (verb) (apiserver_longrunning_requests{group="",resource="endpoints",subresource="",verb=~"WATCH|WATCHLIST"})`},
	}
}

// Check compares c with what a log explains; explained is nil without a log.
// The coverage has a problem for each watch that the log does not explain:
// somebody reads Endpoints at this moment and is not in it.
func (c Counts) Check(explained *Explained) (CrossCheck, evidence.Coverage) {
	cover := evidence.Coverage{Source: evidence.SourceMetrics, Read: c.Series}
	out := CrossCheck{LiveWatches: c.LiveWatches, ExplainedWatches: -1, Requests: []CheckedVerb{}, Queries: Queries()}
	if explained != nil {
		out.ExplainedWatches = explained.OpenWatches
	}
	for _, verb := range c.verbs() {
		line := CheckedVerb{Verb: verb, Total: c.total(verb), Codes: maps.Clone(c.Requests[verb]), Self: c.Self[verb], Explained: -1}
		if explained != nil {
			line.Explained = explained.Requests[verb] - explained.Self[verb]
		}
		out.Requests = append(out.Requests, line)
	}
	out.Findings = append(out.Findings, watches(c.LiveWatches, explained))
	for _, line := range out.Requests {
		out.Findings = append(out.Findings, line.sentence())
	}
	if explained != nil && c.LiveWatches > explained.OpenWatches {
		cover.Problem("live watches", out.Findings[0])
	}
	if c.Series == 0 {
		cover.Problem("apiserver_request_total", "no series about endpoints: the API server has counted no request, or these are not its metrics")
	}
	if !c.HasSelf {
		cover.Notes = append(cover.Notes, "There is no apiserver_selfrequest_total: what the API server asked of itself is among the counts.")
	}
	return out, cover
}

func watches(live int, explained *Explained) string {
	text := fmt.Sprintf("%d live watches", live)
	switch {
	case explained == nil:
		return text + "; there is no audit log to say whose."
	case live > explained.OpenWatches:
		return fmt.Sprintf("%s, the audit log explains %d: somebody who is not in the log reads Endpoints now.", text, explained.OpenWatches)
	case live < explained.OpenWatches:
		return fmt.Sprintf("%s, and %d are open in the audit log: it ends earlier, or an API server was stopped, which leaves its watches without an end.", text, explained.OpenWatches)
	}
	return fmt.Sprintf("%s, the audit log explains %d.", text, explained.OpenWatches)
}

func (l CheckedVerb) sentence() string {
	var codes []string
	for _, code := range slices.Sorted(maps.Keys(l.Codes)) {
		codes = append(codes, fmt.Sprintf("%s: %d", code, l.Codes[code]))
	}
	text := fmt.Sprintf("%s: %d requests (%s), %d of them the API server's own", l.Verb, l.Total, strings.Join(codes, ", "), l.Self)
	others := l.Total - l.Self
	switch {
	case l.Explained < 0:
		return text + "."
	case l.Explained == others:
		return fmt.Sprintf("%s; the audit log explains the other %d.", text, others)
	case l.Explained < others:
		return fmt.Sprintf("%s; the audit log explains %d of the other %d. The API server counts since it started, the log may be shorter.", text, l.Explained, others)
	}
	return fmt.Sprintf("%s; the audit log has %d others, more than the API server has counted: it spans other API servers or their earlier lives.", text, l.Explained)
}
