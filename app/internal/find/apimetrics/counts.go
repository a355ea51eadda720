// Package apimetrics has the API server's own counts of requests for Endpoints and
// compares them with what an audit log explains. Metrics know no users: they can
// show that somebody is missing in a log, never who it is. Package scrape reads
// them.
package apimetrics

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// Counts are what one or several API servers counted about Endpoints. The zero
// value is that of none.
type Counts struct {
	// Requests by verb, as an audit log names verbs, and by HTTP code. A watch
	// counts when it ends. Requests that were refused never get here.
	Requests map[string]map[string]int
	// Self is what the API server asked of itself, by verb.
	Self map[string]int
	// HasSelf says whether the API server counts that at all.
	HasSelf bool
	// LiveWatches are open at this moment.
	LiveWatches int
	// Series is the number of time series that were read.
	Series int
}

const (
	requestTotal = "apiserver_request_total"
	selfTotal    = "apiserver_selfrequest_total"
	longRunning  = "apiserver_longrunning_requests"
)

// Families returns the names of the metrics that are looked at, in the order of
// [Queries].
func Families() []string { return []string{requestTotal, selfTotal, longRunning} }

// AddSeries enters one series of a family if it is about Endpoints of the core
// group. A label that is missing is empty: Prometheus drops empty ones.
func (c *Counts) AddSeries(family string, labels map[string]string, v float64) {
	if labels["resource"] != "endpoints" || labels["group"] != "" || labels["subresource"] != "" {
		c.HasSelf = c.HasSelf || family == selfTotal
		return
	}
	if math.IsNaN(v) || v < 0 || v > 1<<53 {
		return
	}
	c.Series++
	n := int(math.Round(v))
	verb := verbOf(labels["verb"])
	switch family {
	case requestTotal:
		if c.Requests == nil {
			c.Requests = make(map[string]map[string]int)
		}
		if c.Requests[verb] == nil {
			c.Requests[verb] = make(map[string]int)
		}
		c.Requests[verb][labels["code"]] += n
	case selfTotal:
		if c.Self == nil {
			c.Self = make(map[string]int)
		}
		c.HasSelf = true
		c.Self[verb] += n
	case longRunning:
		if verb == "watch" {
			c.LiveWatches += n
		}
	}
}

// verbOf maps the verbs of metrics onto those of the audit log.
func verbOf(s string) string {
	switch s {
	case "POST":
		return "create"
	case "PUT":
		return "update"
	case "APPLY":
		return "patch"
	case "WATCHLIST":
		return "watch"
	}
	return strings.ToLower(s)
}

// Add returns the sum over two API servers.
func (c Counts) Add(o Counts) Counts { return c.combine(o, 1) }

// Since returns what was counted after before was read. Live watches stay those
// of now. A counter that is lower than before is of an API server that was
// started again: then what it counts now is what is known.
func (c Counts) Since(before Counts) Counts {
	out := c.combine(before, -1)
	out.LiveWatches, out.Series = c.LiveWatches, c.Series
	for verb, codes := range out.Requests {
		for code, n := range codes {
			if n < 0 {
				codes[code] = c.Requests[verb][code]
			}
		}
	}
	for verb, n := range out.Self {
		if n < 0 {
			out.Self[verb] = c.Self[verb]
		}
	}
	return out
}

func (c Counts) combine(o Counts, sign int) Counts {
	out := Counts{
		Requests: make(map[string]map[string]int), Self: maps.Clone(c.Self), HasSelf: c.HasSelf || o.HasSelf,
		LiveWatches: c.LiveWatches + sign*o.LiveWatches, Series: c.Series + o.Series,
	}
	if out.Self == nil {
		out.Self = make(map[string]int)
	}
	for verb, codes := range c.Requests {
		out.Requests[verb] = maps.Clone(codes)
	}
	for verb, codes := range o.Requests {
		if out.Requests[verb] == nil {
			out.Requests[verb] = make(map[string]int)
		}
		for code, n := range codes {
			out.Requests[verb][code] += sign * n
		}
	}
	for verb, n := range o.Self {
		out.Self[verb] += sign * n
	}
	return out
}

func (c Counts) total(verb string) int {
	n := 0
	for _, count := range c.Requests[verb] {
		n += count
	}
	return n
}

func (c Counts) verbs() []string {
	return slices.Sorted(maps.Keys(c.Requests))
}
