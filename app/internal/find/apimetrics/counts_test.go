package apimetrics

import (
	"strings"
	"testing"
)

// recorded are the counts of testdata/real.txt, as package scrape reads them.
func recorded() Counts {
	return Counts{
		Requests: map[string]map[string]int{
			"get": {"200": 6, "404": 1}, "list": {"200": 3}, "watch": {"200": 1}, "create": {"201": 2}, "update": {"200": 70},
		},
		Self: map[string]int{"get": 6, "create": 1}, HasSelf: true, LiveWatches: 2, Series: 10,
	}
}

func TestACrossCheckSaysWhatTheLogExplains(t *testing.T) {
	c := recorded()
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
	now, before := recorded(), recorded()
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
