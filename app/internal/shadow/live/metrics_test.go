package live_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/slicewright/slicewright/app/internal/shadow/live"
)

func TestMetricsCountByClass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(endpointsOf(prices, "10.0.0.1"), sliceOf(prices, "10.0.0.2", "10.0.0.3"), serviceOf(prices))
		w := start(t, c, live.Options{})
		registry := prometheus.NewPedanticRegistry()
		registry.MustRegister(live.Collector(w))
		pass(time.Second)
		if n, err := testutil.GatherAndCount(registry, "slicewright_shadow_seconds_since_comparison"); n != 0 || err != nil {
			t.Errorf("an age before anything was judged: %d (%v)", n, err)
		}
		pass(9 * time.Second)
		// The other classes are there as zeros.
		if n, err := testutil.GatherAndCount(registry, "slicewright_shadow_differences"); n != 18 || err != nil {
			t.Errorf("%d classes (%v), want 18", n, err)
		}
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]float64{}
		for _, f := range families {
			for _, m := range f.GetMetric() {
				var labels []string
				for _, l := range m.GetLabel() {
					labels = append(labels, l.GetValue())
				}
				got[strings.TrimPrefix(f.GetName(), "slicewright_shadow_")+" "+strings.Join(labels, " ")] = m.GetGauge().GetValue()
			}
		}
		for name, want := range map[string]float64{
			"differences endpoints-stale false": 1, "differences endpoints-behind false": 2, "differences terminating true": 0,
			"services different": 1, "services equal": 0, "services unknown": 0, "seconds_since_comparison ": 5,
		} {
			if v, ok := got[name]; !ok || v != want {
				t.Errorf("%s is %v (%t), want %v", name, v, ok, want)
			}
		}
	})
}
