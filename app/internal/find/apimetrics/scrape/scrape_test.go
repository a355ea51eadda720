package scrape

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/app/internal/find/apimetrics"
)

func recorded(t *testing.T) apimetrics.Counts {
	t.Helper()
	f, err := os.Open("../testdata/real.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, err := Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestARecordedPageGivesTheCountsOfItsEndpointsSeries(t *testing.T) {
	c := recorded(t)
	want := map[string]map[string]int{
		"get": {"200": 6, "404": 1}, "list": {"200": 3}, "watch": {"200": 1}, "create": {"201": 2}, "update": {"200": 70},
	}
	if d := cmp.Diff(want, c.Requests); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[string]int{"get": 6, "create": 1}, c.Self); d != "" {
		t.Error(d)
	}
	if c.LiveWatches != 2 {
		t.Errorf("%d live watches, want 2", c.LiveWatches)
	}
}

// Prometheus is played by a server that answers the queries with the recorded
// numbers; what is asked is checked, not only what is read.
func TestPrometheusGivesTheSameCountsAsThePage(t *testing.T) {
	want := recorded(t)
	answers := map[string]string{}
	vector := func(results []string) string {
		return `{"status":"success","data":{"resultType":"vector","result":[` + strings.Join(results, ",") + `]}}`
	}
	var requests, self []string
	for verb, codes := range map[string]map[string]int{"GET": {"200": 6, "404": 1}, "LIST": {"200": 3}, "WATCH": {"200": 1}, "POST": {"201": 2}, "PUT": {"200": 70}} {
		for code, n := range codes {
			requests = append(requests, fmt.Sprintf(`{"metric":{"verb":%q,"code":%q},"value":[1,"%d"]}`, verb, code, n))
		}
	}
	for verb, n := range map[string]int{"GET": 6, "POST": 1} {
		self = append(self, fmt.Sprintf(`{"metric":{"verb":%q},"value":[1,"%d"]}`, verb, n))
	}
	q := apimetrics.Queries()
	answers[q[0].PromQL], answers[q[1].PromQL] = vector(requests), vector(self)
	answers[q[2].PromQL] = vector([]string{`{"metric":{"verb":"WATCH"},"value":[1,"2"]}`})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, known := answers[r.URL.Query().Get("query")]
		if !known || r.URL.Path != "/prometheus/api/v1/query" || r.UserAgent() != "slicewright/test" {
			http.Error(w, "what?", http.StatusBadRequest)
			return
		}
		fmt.Fprint(w, answer)
	}))
	defer server.Close()
	got, err := Scraper{Client: server.Client(), UserAgent: "slicewright/test"}.Prometheus(t.Context(), server.URL+"/prometheus/")
	if err != nil {
		t.Fatal(err)
	}
	got.Series = want.Series
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestATextThatIsNoMetricsPageIsAnError(t *testing.T) {
	for _, text := range []string{"", "<html>", "go_goroutines 5\n", "apiserver_request_total{resource=\n"} {
		if _, err := Parse(strings.NewReader(text)); err == nil {
			t.Errorf("%q was read as metrics", text)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("apiserver_request_total{resource=\"endpoints\",verb=\"GET\",code=\"200\"} 1e300\n")
	f.Fuzz(func(_ *testing.T, text string) {
		if c, err := Parse(strings.NewReader(text)); err == nil {
			c.Check(&apimetrics.Explained{})
			c.Since(c)
		}
	})
}
