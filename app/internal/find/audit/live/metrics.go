package live

import (
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/slicewright/slicewright/app/internal/find/audit"
)

// maxAccounts bounds the label service_account. The rest is under "other".
const maxAccounts = 1000

// Metrics are what the recorder exports. KEP-4974 wished that the API server
// had the first of them.
type Metrics struct {
	requests *prometheus.CounterVec
	events   prometheus.Counter
	relevant prometheus.Counter
	repeated prometheus.Counter
	batches  *prometheus.CounterVec

	mu       sync.Mutex // guards accounts
	accounts map[string]bool
}

// NewMetrics returns metrics that are registered with reg.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "slicewright_endpoints_requests_total",
			Help: "Requests for Endpoints in the audit events, by ServiceAccount (namespace/name; none for other users), verb and code class. A watch counts when it begins.",
		}, []string{"service_account", "verb", "code"}),
		events: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "slicewright_audit_events_total", Help: "Audit events that were read, about all resources.",
		}),
		relevant: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "slicewright_audit_relevant_events_total", Help: "Audit events about endpoints or endpointslices.",
		}),
		repeated: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "slicewright_audit_uncounted_events_total",
			Help: "Relevant events that count for nothing new: further stages, repetitions, excluded user agents.",
		}),
		batches: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "slicewright_audit_webhook_batches_total", Help: "Batches of the audit webhook, by the HTTP code that they were answered with.",
		}, []string{"code"}),
		accounts: make(map[string]bool),
	}
	reg.MustRegister(m.requests, m.events, m.relevant, m.repeated, m.batches)
	return m
}

// WatchOpen adds the gauge of open watches, which is counted when it is asked
// for.
func (m *Metrics) WatchOpen(reg prometheus.Registerer, r *Recorder) {
	reg.MustRegister(openWatches{m, r, prometheus.NewDesc(
		"slicewright_endpoints_open_watches", "Watches on Endpoints that have begun and not ended, by ServiceAccount.", []string{"service_account"}, nil)})
}

type openWatches struct {
	metrics  *Metrics
	recorder *Recorder
	desc     *prometheus.Desc
}

func (o openWatches) Describe(ch chan<- *prometheus.Desc) { ch <- o.desc }

func (o openWatches) Collect(ch chan<- prometheus.Metric) {
	sums := make(map[string]int)
	for account, n := range o.recorder.openWatches() {
		sums[o.metrics.label(account)] += n
	}
	for label, n := range sums {
		ch <- prometheus.MustNewConstMetric(o.desc, prometheus.GaugeValue, float64(n), label)
	}
}

// label is the account's, until there are too many of them.
func (m *Metrics) label(account string) string {
	if account == "" {
		return "none"
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.accounts[account] {
		if len(m.accounts) >= maxAccounts {
			return "other"
		}
		m.accounts[account] = true
	}
	return account
}

// count enters one event. A nil Metrics counts nothing.
func (m *Metrics) count(e *audit.Event, fresh bool) {
	if m == nil {
		return
	}
	m.relevant.Inc()
	if !fresh {
		m.repeated.Inc()
		return
	}
	if e.Resource == audit.Endpoints {
		m.requests.WithLabelValues(m.label(e.ServiceAccount()), e.Verb, codeClass(e.Code)).Inc()
	}
}

func (m *Metrics) read(n int) {
	if m != nil {
		m.events.Add(float64(n))
	}
}

func (m *Metrics) batch(code int) {
	if m != nil {
		m.batches.WithLabelValues(strconv.Itoa(code)).Inc()
	}
}

func codeClass(code int) string {
	if code < 100 || code > 599 {
		return "unknown"
	}
	return strconv.Itoa(code/100) + "xx"
}
