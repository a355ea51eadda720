// Package metrics reports the state of a watcher to Prometheus. It is a package of
// its own so that a program without Prometheus need not carry it.
package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/slicewright/slicewright/watch"
)

// Collector reports the present state of a watcher.
func Collector(w *watch.Watcher) prometheus.Collector { return &collector{w} }

type collector struct{ watcher *watch.Watcher }

var (
	syncedDesc = prometheus.NewDesc("slicewright_watch_synced",
		"1 after the initial list of EndpointSlices was handled.", []string{"namespace"}, nil)
	degradedDesc = prometheus.NewDesc("slicewright_watch_degraded",
		"1 while EndpointSlices cannot be read and the last known ones are used.", []string{"namespace"}, nil)
	heardDesc = prometheus.NewDesc("slicewright_watch_last_heard_seconds",
		"Seconds since the API server last said anything about EndpointSlices: an answer, an event or a bookmark. Absent before the first.", []string{"namespace"}, nil)
)

// Describe implements prometheus.Collector.
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	ch <- syncedDesc
	ch <- degradedDesc
	ch <- heardDesc
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	for _, h := range c.watcher.Health() {
		for desc, is := range map[*prometheus.Desc]bool{syncedDesc: h.Synced, degradedDesc: h.Degraded} {
			value := 0.0
			if is {
				value = 1
			}
			ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, h.Namespace)
		}
		if !h.Heard.IsZero() {
			ch <- prometheus.MustNewConstMetric(heardDesc, prometheus.GaugeValue, time.Since(h.Heard).Seconds(), h.Namespace)
		}
	}
}
