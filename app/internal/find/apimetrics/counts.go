// Package apimetrics reads the API server's own counts of requests for
// Endpoints and compares them with what an audit log explains. Metrics know no
// users: they can show that somebody is missing in a log, never who it is.
package apimetrics

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
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

// maxText is how much of a metrics page is read, in bytes. A large cluster's
// API server writes some 50 MB.
const maxText = 1 << 30

// Parse reads an API server's metrics page. Of its many families only three are
// looked at.
func Parse(r io.Reader) (Counts, error) {
	var text bytes.Buffer
	lines := bufio.NewReaderSize(io.LimitReader(r, maxText), 64<<10)
	sawMetrics := false
	for {
		line, err := lines.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			// No series of ours is that long: pass over the rest of the line.
			for err == bufio.ErrBufferFull {
				_, err = lines.ReadSlice('\n')
			}
			line = nil
		}
		sawMetrics = sawMetrics || bytes.HasPrefix(line, []byte("apiserver_"))
		if wanted(line) {
			text.Write(line)
			if line[len(line)-1] != '\n' {
				text.WriteByte('\n')
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return Counts{}, fmt.Errorf("reading metrics: %w", err)
		}
	}
	if !sawMetrics {
		return Counts{}, fmt.Errorf("reading metrics: no series of an API server is there; give it the output of kubectl get --raw /metrics")
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(&text)
	if err != nil {
		return Counts{}, fmt.Errorf("reading metrics: %w", err)
	}
	var c Counts
	for name, family := range families {
		for _, m := range family.GetMetric() {
			c.add(name, labelsOf(m), value(m))
		}
	}
	return c, nil
}

func wanted(line []byte) bool {
	for _, name := range []string{requestTotal, selfTotal, longRunning} {
		rest, ok := bytes.CutPrefix(line, []byte(name))
		if ok && len(rest) > 0 && rest[0] == '{' {
			return true
		}
	}
	return false
}

func labelsOf(m *dto.Metric) map[string]string {
	out := make(map[string]string, len(m.GetLabel()))
	for _, l := range m.GetLabel() {
		out[l.GetName()] = l.GetValue()
	}
	return out
}

// value reads a sample of any type; without TYPE lines they are untyped.
func value(m *dto.Metric) float64 {
	switch {
	case m.Untyped != nil:
		return m.Untyped.GetValue()
	case m.Counter != nil:
		return m.Counter.GetValue()
	case m.Gauge != nil:
		return m.Gauge.GetValue()
	}
	return 0
}

// add enters one series if it is about Endpoints of the core group. A label that
// is missing is empty: Prometheus drops empty ones.
func (c *Counts) add(name string, labels map[string]string, v float64) {
	if labels["resource"] != "endpoints" || labels["group"] != "" || labels["subresource"] != "" {
		c.HasSelf = c.HasSelf || name == selfTotal
		return
	}
	if math.IsNaN(v) || v < 0 || v > 1<<53 {
		return
	}
	c.Series++
	n := int(math.Round(v))
	verb := verbOf(labels["verb"])
	switch name {
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
// started anew: then what it counts now is what is known.
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
