package apimetrics

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Series of Endpoints of the core group are entered under the verbs of an audit
// log; what is no count is left out.
func TestSeriesBecomeCounts(t *testing.T) {
	of := func(verb, code string, more ...string) map[string]string {
		labels := map[string]string{"resource": "endpoints", "verb": verb, "code": code}
		for i := 0; i+1 < len(more); i += 2 {
			labels[more[i]] = more[i+1]
		}
		return labels
	}
	var c Counts
	for _, s := range []struct {
		family string
		labels map[string]string
		value  float64
	}{
		{requestTotal, of("GET", "200"), 3},
		{requestTotal, of("GET", "200"), 1.6},
		{requestTotal, of("GET", "404"), 1},
		{requestTotal, of("POST", "201"), 2},
		{requestTotal, of("PUT", "200"), 4},
		{requestTotal, of("APPLY", "200"), 5},
		{requestTotal, of("WATCHLIST", "200"), 6},
		{requestTotal, of("LIST", "200", "subresource", "status"), 100},
		{requestTotal, of("LIST", "200", "group", "example.com"), 100},
		{requestTotal, of("LIST", "200", "resource", "pods"), 100},
		{requestTotal, of("LIST", "200"), math.NaN()},
		{requestTotal, of("LIST", "200"), -1},
		{requestTotal, of("LIST", "200"), 1 << 60},
		{longRunning, of("WATCH", ""), 7},
		{longRunning, of("CONNECT", ""), 100},
		{"another_family", of("GET", "200"), 100},
	} {
		c.AddSeries(s.family, s.labels, s.value)
	}
	want := Counts{
		Requests: map[string]map[string]int{
			"get": {"200": 5, "404": 1}, "create": {"201": 2}, "update": {"200": 4}, "patch": {"200": 5}, "watch": {"200": 6},
		},
		LiveWatches: 7, Series: 10,
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// That the API server counts its own requests is known from any of them.
	c.AddSeries(selfTotal, of("GET", "", "resource", "pods"), 1)
	want.HasSelf = true
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	c.AddSeries(selfTotal, of("GET", ""), 2)
	c.AddSeries(selfTotal, of("GET", ""), 1)
	want.Self, want.Series = map[string]int{"get": 3}, 12
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var self Counts
	self.AddSeries(selfTotal, of("LIST", ""), 2)
	if diff := cmp.Diff(Counts{Self: map[string]int{"list": 2}, HasSelf: true, Series: 1}, self); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSumAndDifferenceOfCounts(t *testing.T) {
	before := Counts{
		Requests: map[string]map[string]int{"get": {"200": 2, "404": 9}, "delete": {"200": 1}}, Self: map[string]int{"get": 1, "list": 5}, LiveWatches: 1, Series: 3,
	}
	now := Counts{
		Requests: map[string]map[string]int{"get": {"200": 5, "404": 1}, "list": {"200": 4}}, Self: map[string]int{"get": 4, "list": 2},
		HasSelf: true, LiveWatches: 3, Series: 8,
	}
	if diff := cmp.Diff(Counts{
		Requests: map[string]map[string]int{"get": {"200": 7, "404": 10}, "list": {"200": 4}, "delete": {"200": 1}},
		Self:     map[string]int{"get": 5, "list": 7}, HasSelf: true, LiveWatches: 4, Series: 11,
	}, now.Add(before)); diff != "" {
		t.Errorf("the sum (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Counts{
		// 404 and list are lower than before: another life of the API server.
		Requests: map[string]map[string]int{"get": {"200": 3, "404": 1}, "list": {"200": 4}, "delete": {"200": 0}},
		Self:     map[string]int{"get": 3, "list": 2}, HasSelf: true, LiveWatches: 3, Series: 8,
	}, now.Since(before)); diff != "" {
		t.Errorf("the difference (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(now.Add(Counts{}), (Counts{}).Add(now)); diff != "" {
		t.Errorf("nothing added (-right +left):\n%s", diff)
	}
}

// Every sentence of a check, and what is missing from the metrics.
func TestWhatACheckSays(t *testing.T) {
	c := Counts{
		Requests: map[string]map[string]int{"get": {"200": 5, "404": 1}, "list": {"200": 4}, "update": {"200": 2}}, Self: map[string]int{"get": 2},
		LiveWatches: 1, Series: 1,
	}
	log := &Explained{Requests: map[string]int{"get": 4, "list": 1, "update": 9}, Self: map[string]int{"update": 1}, OpenWatches: 3}
	check, cover := c.Check(log)
	if diff := cmp.Diff([]string{
		"1 live watches, and 3 are open in the audit log: it ends earlier, or an API server was stopped, which leaves its watches without an end.",
		"get: 6 requests (200: 5, 404: 1), 2 of them the API server's own; the audit log explains the other 4.",
		"list: 4 requests (200: 4), 0 of them the API server's own; the audit log explains 1 of the other 4. The API server counts since it started, the log may be shorter.",
		"update: 2 requests (200: 2), 0 of them the API server's own; the audit log has 8 others, more than the API server has counted: it spans other API servers or their earlier lives.",
	}, check.Findings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(cover.Problems) != 0 || len(cover.Notes) != 1 {
		t.Errorf("problems %v, notes %v", cover.Problems, cover.Notes)
	}
	_, cover = (Counts{HasSelf: true}).Check(nil)
	if len(cover.Problems) != 1 || len(cover.Notes) != 0 {
		t.Errorf("nothing counted: problems %v, notes %v", cover.Problems, cover.Notes)
	}
}
