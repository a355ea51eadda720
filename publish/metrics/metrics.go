// Package metrics has the Prometheus metrics of publishers: [New] counts what they
// do, [Collector] reports the present state of a fleet. docs/run.md describes
// each metric.
package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/slicewright/slicewright/publish"
)

// Metrics counts what publishers do. Create it with [New]. All methods may be
// called from any goroutine.
type Metrics struct {
	publishes *prometheus.CounterVec
	writes    *prometheus.CounterVec
	latency   *prometheus.HistogramVec
}

var _ publish.Metrics = (*Metrics)(nil)

// New returns metrics that are registered with r. It panics when r has metrics of
// these names already, as MustRegister does.
func New(r prometheus.Registerer) *Metrics {
	m := &Metrics{
		publishes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "slicewright_publishes_total",
			Help: "States published and read back (success), and attempts that failed (failure).",
		}, []string{"upstream", "target", "result"}),
		writes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "slicewright_target_writes_total",
			Help: "Operations sent to the target.",
		}, []string{"upstream", "target"}),
		latency: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "slicewright_publish_latency_seconds",
			Help: "From the change's last-change-trigger-time annotation until the target, read back, had it. " +
				"Producers write the annotation in whole seconds or finer; it is only as exact as they are.",
			// From well below the target of 100 ms to beyond a failed minute.
			Buckets: prometheus.ExponentialBuckets(0.005, 2, 15),
		}, []string{"upstream"}),
	}
	r.MustRegister(m.publishes, m.writes, m.latency)
	return m
}

// Wrote adds to slicewright_target_writes_total.
func (m *Metrics) Wrote(upstream, target string, writes int) {
	m.writes.WithLabelValues(upstream, target).Add(float64(writes))
}

// Failed counts a failure in slicewright_publishes_total.
func (m *Metrics) Failed(upstream, target string) {
	m.publishes.WithLabelValues(upstream, target, "failure").Inc()
}

// Published counts a success in slicewright_publishes_total, and its latency if
// that is known.
func (m *Metrics) Published(upstream, target string, latency time.Duration) {
	m.publishes.WithLabelValues(upstream, target, "success").Inc()
	if latency > 0 {
		m.latency.WithLabelValues(upstream).Observe(latency.Seconds())
	}
}

// Collector reports the present state of the upstreams of a fleet, each time that
// the metrics are read.
func Collector(f *publish.Fleet) prometheus.Collector { return &collector{f} }

type collector struct{ fleet *publish.Fleet }

var (
	backendsDesc = prometheus.NewDesc("slicewright_upstream_backends",
		"Backends of the upstream by state: active get new connections, draining keep theirs, excluded get nothing.",
		[]string{"upstream", "target", "state"}, nil)
	generationDesc = prometheus.NewDesc("slicewright_upstream_generation",
		"How many different states have been applied to the target.", []string{"upstream", "target"}, nil)
	phaseDesc = prometheus.NewDesc("slicewright_upstream_phase",
		"1 for the phase that the target is in.", []string{"upstream", "target", "phase"}, nil)
	sinceSuccessDesc = prometheus.NewDesc("slicewright_upstream_seconds_since_success",
		"Seconds since the target was last read back and had what is desired. Absent if it never had.",
		[]string{"upstream", "target"}, nil)
	fallbackDesc = prometheus.NewDesc("slicewright_upstream_fallback",
		"1 while the active backends are terminating ones for want of others.", []string{"upstream", "target"}, nil)
	foreignDesc = prometheus.NewDesc("slicewright_upstream_foreign_backends",
		"Backends in the target that are not ours and are left alone.", []string{"upstream", "target"}, nil)
)

func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{backendsDesc, generationDesc, phaseDesc, sinceSuccessDesc, fallbackDesc, foreignDesc} {
		ch <- d
	}
}

func (c *collector) Collect(ch chan<- prometheus.Metric) {
	now := time.Now()
	for _, s := range c.fleet.Statuses() {
		gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
			ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, append([]string{s.Upstream, s.Target}, labels...)...)
		}
		gauge(backendsDesc, float64(s.Desired.Active), "active")
		gauge(backendsDesc, float64(s.Desired.Draining), "draining")
		gauge(backendsDesc, float64(s.Desired.Excluded), "excluded")
		gauge(generationDesc, float64(s.Generation))
		for _, phase := range publish.Phases() {
			gauge(phaseDesc, oneIf(s.Phase == phase), string(phase))
		}
		if !s.LastSuccess.IsZero() {
			gauge(sinceSuccessDesc, now.Sub(s.LastSuccess).Seconds())
		}
		gauge(fallbackDesc, oneIf(s.Fallback))
		gauge(foreignDesc, float64(len(s.Foreign)))
	}
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
