package web_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/app/internal/timeline/timelinetest"
	"github.com/slicewright/slicewright/app/internal/web"
)

func reportOf(events []timeline.Event) *timeline.Report {
	var b timeline.Builder
	for _, ev := range events {
		b.Add(ev)
	}
	return timeline.NewReport(b.Build(time.Time{}), timeline.Filter{}, timeline.Options{})
}

func pageOf(t *testing.T, events []timeline.Event) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "timeline.html")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := web.WriteTimeline(f, reportOf(events)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTimelinePage looks at the page in the sizes and schemes that it is made
// for: everything is drawn, nothing is loaded, nothing sticks out.
func TestTimelinePage(t *testing.T) {
	path := pageOf(t, timelinetest.Rollout())
	b := openBrowser(t)
	for _, s := range screens {
		t.Run(s.name, func(t *testing.T) {
			b.t = t
			b.screen(s.width, s.height, s.scheme)
			b.open(path)
			b.picture(s.name)
			if n := b.count(".row[data-address]"); n != 6 {
				t.Errorf("%d lanes are drawn, want 6", n)
			}
			drawn := map[string]int{}
			for _, what := range []string{
				".band.ready", ".band.unready", ".band.terminating", ".band.stopping", ".double", ".move",
				".pod.on", ".pod.off", ".pod.going", ".pod-end", ".use", ".fail", ".gap", ".curve",
			} {
				drawn[what] = b.count(".rows " + what)
			}
			for what, n := range drawn {
				if n == 0 {
					t.Errorf("nothing of %s is drawn", what)
				}
			}
			// Six lanes and the Service's row show the lost watch.
			if drawn[".gap"] != 7 {
				t.Errorf("%d rows show the gap, want 7", drawn[".gap"])
			}
			b.fits(t, s)
			b.press("n")
			b.press("n")
			b.picture(s.name + "-finding")
			b.quiet(t)
		})
	}
}

// TestAPersonFindsOutWhyARequestFailed: from the finding to the lane, the
// moment, and what was known then, by keyboard alone.
func TestAPersonFindsOutWhyARequestFailed(t *testing.T) {
	b := openBrowser(t)
	b.screen(1280, 900, "light")
	b.open(pageOf(t, timelinetest.Rollout()))
	for range 6 { // to the sixth finding in order of time
		b.press("n")
	}
	if got := b.text(".finding[aria-current] .code"); got != "request-failed" {
		t.Fatalf("the sixth finding is %q", got)
	}
	if got := b.text(".row.chosen b"); got != "10.0.0.3" {
		t.Errorf("chosen is %q, want 10.0.0.3", got)
	}
	detail := b.text("#detail")
	for _, says := range []string{
		"10:00:30.900", "no route to host (31 times)", "Pod t/web-c had been gone for 900ms", "ready (T/T/F) for 30.9 s, in web-1", "web-c: gone for 900 ms",
	} {
		if !strings.Contains(detail, says) {
			t.Errorf("the side does not say %q:\n%s", says, detail)
		}
	}
	var beside string
	b.eval("document.querySelector('.chosen .fail-text')?.textContent ?? ''", &beside)
	if beside != "31 × no route to host" {
		t.Errorf("beside the mark it says %q", beside)
	}
	b.press("Escape")
	if b.count(".row.chosen, .finding[aria-current]") != 0 {
		t.Error("Escape lets nothing go")
	}
	b.quiet(t)
}

func TestTimelineKeysAndFilter(t *testing.T) {
	b := openBrowser(t)
	b.screen(1280, 900, "light")
	b.open(pageOf(t, timelinetest.Rollout()))
	axis := func() string { var s string; b.eval("document.querySelector('#axis').textContent", &s); return s }
	all := axis()
	b.press("+")
	b.press("+")
	if axis() == all {
		t.Error("+ does not zoom")
	}
	zoomed := axis()
	b.press("ArrowRight")
	b.press("ArrowRight")
	if axis() == zoomed {
		t.Error("the arrow does not move")
	}
	b.press("0")
	if axis() != all {
		t.Error("0 does not show all again")
	}
	b.press("j")
	b.press("j")
	if got := b.text(".row.chosen b"); got != "10.0.0.2" {
		t.Errorf("after j, j chosen is %q", got)
	}
	b.press("]")
	if got := b.text("#detail tr.near"); !strings.Contains(got, "10:00:01.000") {
		t.Errorf("] goes to %q, want the first change after the beginning", got)
	}
	b.press("?")
	if b.count("#help:not([hidden])") != 1 {
		t.Error("? shows no keys")
	}
	b.press("/")
	b.eval("document.activeElement.value = 'web-d'; document.activeElement.dispatchEvent(new Event('input'))", nil)
	b.settle()
	if n, address := b.count(".row[data-address]"), b.text(".row[data-address] b"); n != 1 || address != "10.0.0.4" {
		t.Errorf("the filter web-d leaves %d lanes, the first %q", n, address)
	}
	b.press("Escape")
	b.eval("document.querySelector('#only').click()", nil)
	b.settle()
	if n := b.count(".row[data-address]"); n != 3 {
		t.Errorf("%d lanes have findings, want 3", n)
	}
	b.quiet(t)
}

// TestStatesDifferWithoutColour: each band has a fill or an outline of its own,
// whatever colour they have.
func TestStatesDifferWithoutColour(t *testing.T) {
	b := openBrowser(t)
	b.open(pageOf(t, timelinetest.Rollout()))
	var looks []string
	b.eval(`["ready", "serving", "unready", "terminating", "stopping"].map((state) => {
		const style = getComputedStyle(document.querySelector("#legend .band." + state));
		return (style.fill.startsWith("url") ? style.fill : "plain") + " " + style.strokeDasharray;
	})`, &looks)
	seen := map[string]bool{}
	for _, look := range looks {
		if seen[look] {
			t.Errorf("two states look like %q", look)
		}
		seen[look] = true
	}
}

// TestNamesAreText: whatever a cluster's names hold, they are shown and not run.
func TestNamesAreText(t *testing.T) {
	const bad = `</script><script>window.hacked=1</script><img/src=x/onerror=hacked=1>'"&{{.}}` + "\u2028"
	events := timelinetest.Rollout()
	for i := range events {
		switch ev := &events[i]; {
		case ev.Slice != nil:
			ev.Slice.Key.Name += bad
			for j := range ev.Slice.Endpoints {
				ev.Slice.Endpoints[j].Endpoint.Node += bad
				ev.Slice.Endpoints[j].Endpoint.Target.Name += bad
			}
		case ev.Pod != nil:
			ev.Pod.Name += bad
		case ev.Observation != nil:
			ev.Observation.Consumer += bad
			ev.Observation.Detail += bad
		case ev.Gap != nil:
			ev.Gap.Reason += bad
		}
	}
	b := openBrowser(t)
	b.open(pageOf(t, events))
	for range 8 {
		b.press("n")
	}
	var hacked bool
	b.eval("'hacked' in window", &hacked)
	if hacked {
		t.Error("a name was run")
	}
	if b.count("img") != 0 || b.count("script") != 2 {
		t.Error("a name became an element")
	}
	if detail := b.text("#detail"); !strings.Contains(detail, `</script><script>window.hacked=1</script>`) {
		t.Errorf("the name is not shown as it is:\n%s", detail)
	}
	b.quiet(t)
}

// TestManyLanesAreDrawnWhenSeen: a page of a thousand addresses holds in its
// document only those in sight.
func TestManyLanesAreDrawnWhenSeen(t *testing.T) {
	const lanes = 1000
	var endpoints []string
	for i := range lanes {
		endpoints = append(endpoints, fmt.Sprintf("10.0.%d.%d=pod-%d:T/T/F", i/200, i%200+1, i))
	}
	script := "0s slice web-1 " + strings.Join(endpoints, " ") + "\n1s slice web-2 10.1.0.1:T/T/F"
	b := openBrowser(t)
	b.screen(1280, 900, "light")
	b.open(pageOf(t, timelinetest.MustParse(script)))
	if n := b.count(".row[data-address]"); n == 0 || n > 60 {
		t.Errorf("%d lanes are in the document", n)
	}
	b.eval("window.scrollTo(0, document.body.scrollHeight)", nil)
	b.settle()
	if n := b.count(`.row[data-address="10.1.0.1"]`); n != 1 {
		t.Error("scrolling to the end does not show the last lane")
	}
	b.quiet(t)
}

// TestAPageSaysWhoseMomentsItShows: what was measured and what was told must not
// look the same.
func TestAPageSaysWhoseMomentsItShows(t *testing.T) {
	for _, tt := range []struct {
		clock string
		says  bool
	}{{"", false}, {"~", true}, {"?", true}} {
		text, err := os.ReadFile(pageOf(t, timelinetest.MustParse(tt.clock+"1s slice web-1 10.0.0.1:T/T/F")))
		if err != nil {
			t.Fatal(err)
		}
		if says := strings.Contains(string(text), "own, mostly in whole seconds"); says != tt.says {
			t.Errorf("clock %q: the page says so: %v, want %v", tt.clock, says, tt.says)
		}
	}
}

// TestPageStandsAlone: without a browser too, the page says what was found, and
// names nothing outside of itself.
func TestPageStandsAlone(t *testing.T) {
	report := reportOf(timelinetest.Rollout())
	text, err := os.ReadFile(pageOf(t, timelinetest.Rollout()))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), `class="finding"`); n != len(report.Findings) {
		t.Errorf("%d findings are in the page, want %d", n, len(report.Findings))
	}
	if !strings.Contains(string(text), `content="default-src &#39;none&#39;; style-src &#39;sha256-`) {
		t.Error("the page's policy does not begin with nothing")
	}
	var outside []string
	for _, found := range regexp.MustCompile(`(?:src|href|url\()=?["']?[a-z]+:[^"')\s]*|https?://[^"'\s)]+`).FindAllString(string(text), -1) {
		if found != "http://www.w3.org/2000/svg" { // the name of SVG, which is not fetched
			outside = append(outside, found)
		}
	}
	if diff := cmp.Diff([]string(nil), outside); diff != "" {
		t.Errorf("the page names what is outside of it:\n%s", diff)
	}
}
