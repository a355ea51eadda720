package apimetrics

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func recorded(t *testing.T) Counts {
	t.Helper()
	f, err := os.Open("testdata/real.txt")
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

func TestACrossCheckSaysWhatTheLogExplains(t *testing.T) {
	c := recorded(t)
	log := Explained{
		Requests: map[string]int{"get": 7, "list": 3, "watch": 1, "create": 2, "update": 70},
		Self:     map[string]int{"get": 6, "create": 1}, OpenWatches: 2,
	}
	check, cover := c.Check(&log)
	if len(cover.Problems) != 0 || check.Findings[0] != "2 live watches, the audit log explains 2." {
		t.Errorf("problems %v, first finding %q", cover.Problems, check.Findings[0])
	}
	for _, line := range check.Requests {
		if line.Explained != line.Total-line.Self {
			t.Errorf("%s: %d explained of %d", line.Verb, line.Explained, line.Total-line.Self)
		}
	}

	c.LiveWatches = 7
	check, cover = c.Check(&log)
	if len(cover.Problems) != 1 || !strings.HasPrefix(check.Findings[0], "7 live watches, the audit log explains 2: somebody") {
		t.Errorf("problems %v, first finding %q", cover.Problems, check.Findings[0])
	}
	check, cover = c.Check(nil)
	if len(cover.Problems) != 0 || check.ExplainedWatches != -1 || !strings.Contains(check.Findings[0], "no audit log") {
		t.Errorf("without a log: problems %v, %q", cover.Problems, check.Findings[0])
	}
}

func TestSinceTakesOffWhatWasCountedBefore(t *testing.T) {
	now, before := recorded(t), recorded(t)
	before.Requests["list"]["200"] = 1
	before.Requests["get"]["200"] = 100 // counted by an earlier life of the API server
	got := now.Since(before)
	if got.total("list") != 2 || got.Requests["get"]["200"] != 6 || got.total("update") != 0 || got.LiveWatches != 2 {
		t.Errorf("since: %+v", got)
	}
	if sum := now.Add(now); sum.total("update") != 140 || sum.LiveWatches != 4 {
		t.Errorf("sum: %+v", sum)
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
	q := Queries()
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
	got, err := Source{Client: server.Client(), UserAgent: "slicewright/test"}.Prometheus(t.Context(), server.URL+"/prometheus/")
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
			c.Check(&Explained{})
			c.Since(c)
		}
	})
}
