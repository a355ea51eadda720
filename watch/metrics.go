package watch

import "github.com/prometheus/client_golang/prometheus"

// Collector reports the present state of a watcher.
func Collector(w *Watcher) prometheus.Collector { return &collector{w} }

type collector struct{ watcher *Watcher }

var (
	syncedDesc = prometheus.NewDesc("slicewright_watch_synced",
		"1 after the initial list of EndpointSlices was handled.", []string{"namespace"}, nil)
	degradedDesc = prometheus.NewDesc("slicewright_watch_degraded",
		"1 while EndpointSlices cannot be read and the last known ones are used.", []string{"namespace"}, nil)
)

func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	ch <- syncedDesc
	ch <- degradedDesc
}

func (c *collector) Collect(ch chan<- prometheus.Metric) {
	for _, h := range c.watcher.Health() {
		for desc, is := range map[*prometheus.Desc]bool{syncedDesc: h.Synced, degradedDesc: h.Degraded} {
			value := 0.0
			if is {
				value = 1
			}
			ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, h.Namespace)
		}
	}
}
