package live

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/slicewright/slicewright/app/internal/shadow"
)

// Collector reports the present state of a watcher's comparisons. Its names are
// not qualified by Service: with all Services of a cluster that would be too
// many; the report and the log name them.
func Collector(w *Watcher) prometheus.Collector { return &collector{w} }

type collector struct{ watcher *Watcher }

var (
	differencesDesc = prometheus.NewDesc("slicewright_shadow_differences",
		"Differences between Endpoints and EndpointSlices by class, when last judged.", []string{"class", "expected"}, nil)
	servicesDesc = prometheus.NewDesc("slicewright_shadow_services",
		"Services by what was last judged of them.", []string{"outcome"}, nil)
	ageDesc = prometheus.NewDesc("slicewright_shadow_seconds_since_comparison",
		"Seconds since the Service was judged that was judged longest ago. Absent while one was never judged.", nil, nil)
)

func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	ch <- differencesDesc
	ch <- servicesDesc
	ch <- ageDesc
}

func (c *collector) Collect(ch chan<- prometheus.Metric) {
	w := c.watcher
	w.mu.Lock()
	defer w.mu.Unlock()
	classes := map[shadow.Class]int{}
	for _, class := range shadow.Classes() {
		classes[class] = 0 // so that an alert sees a zero, and not nothing
	}
	outcomes := map[shadow.Outcome]int{shadow.Equal: 0, shadow.Different: 0, shadow.Unknown: 0}
	for _, key := range w.compared() {
		last, at := w.services[key].history.Last()
		switch {
		case at.IsZero():
			outcomes[shadow.Unknown]++
		case w.objects.has(key):
			outcomes[last.Comparison.Outcome()]++
			for class, n := range last.Comparison.Count() {
				classes[class] += n
			}
		}
	}
	for class, n := range classes {
		expected := "false"
		if class.Expected() {
			expected = "true"
		}
		ch <- prometheus.MustNewConstMetric(differencesDesc, prometheus.GaugeValue, float64(n), string(class), expected)
	}
	for outcome, n := range outcomes {
		ch <- prometheus.MustNewConstMetric(servicesDesc, prometheus.GaugeValue, float64(n), string(outcome))
	}
	if age, ok := w.age(time.Now()); ok {
		ch <- prometheus.MustNewConstMetric(ageDesc, prometheus.GaugeValue, age.Seconds())
	}
}
