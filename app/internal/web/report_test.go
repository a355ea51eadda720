package web_test

import (
	"bytes"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/app/internal/readiness"
	"github.com/slicewright/slicewright/app/internal/shadow"
	"github.com/slicewright/slicewright/app/internal/web"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// someComparison has a Service of every kind.
func someComparison() *shadow.Report {
	difference := func(ip string, side shadow.Side, class shadow.Class, because string) shadow.DifferenceReport {
		addr := netip.MustParseAddr(ip)
		return shadow.DifferenceReport{
			Port: "http", Protocol: "TCP", IP: addr, Number: 8080, Endpoint: netip.AddrPortFrom(addr, 8080).String(),
			Side: side, Class: class, Expected: class.Expected(), Ready: side != shadow.Both, Because: because,
		}
	}
	services := []shadow.ServiceReport{
		{
			Service: "shop/cart", Outcome: shadow.Different, Judgements: 9, Differed: 4, Judged: noon, Still: true, Endpoints: 24, Slices: 24,
			Classes: map[shadow.Class]int{shadow.EndpointsStale: 1, shadow.EndpointsBehind: 2, shadow.Terminating: 1},
			Differences: []shadow.DifferenceReport{
				difference("10.0.0.9", shadow.OnlyOld, shadow.EndpointsStale, "no slice and no Pod has it"),
				difference("10.0.0.1", shadow.OnlySlice, shadow.EndpointsBehind, "the Endpoints could hold it"),
				difference("fd00::1", shadow.Both, shadow.EndpointsBehind, "ready in the slices"),
				difference("10.0.0.4", shadow.OnlySlice, shadow.Terminating, "it terminates"),
			},
			Findings: []shadow.FindingReport{{Class: shadow.MirroredBesideManaged, Message: "cart-x is mirrored, and cart-y the controller's"}},
			LeftOut:  3,
		},
		{
			Service: "shop/dual", Outcome: shadow.Equal, Judgements: 2, Judged: noon, Still: true, Endpoints: 2, Slices: 4,
			Classes:     map[shadow.Class]int{shadow.SecondFamily: 1},
			Differences: []shadow.DifferenceReport{difference("fd00::7", shadow.OnlySlice, shadow.SecondFamily, "the Endpoints are of IPv4")},
			Findings:    []shadow.FindingReport{},
		},
		{Service: "shop/restless", Outcome: shadow.Unknown, Reason: "it did not rest for 5s", Classes: map[shadow.Class]int{}},
		{Service: "shop/prices", Outcome: shadow.Equal, Judgements: 3, Judged: noon, Still: true, Endpoints: 3, Slices: 3, Classes: map[shadow.Class]int{}},
	}
	return shadow.NewReport(noon, noon.Add(10*time.Minute), 5*time.Second, services, []shadow.Unread{
		{Resource: "nodes", Problem: "forbidden", Refused: true, Effect: "node-missing cannot be told from slices-behind"},
	})
}

// someVerdict has a criterion of every status, waived and not.
func someVerdict() *readiness.Verdict {
	return &readiness.Verdict{
		APIVersion: readiness.APIVersion, Kind: readiness.VerdictKind, At: noon, Outcome: readiness.NotReady,
		Criteria: []readiness.Result{
			{Name: "consumers-owned", Title: "Every consumer found has an owner", Status: readiness.Met, Evidence: []string{"7 consumers, each with an owner."}},
			{
				Name: "consumers-moved", Title: "Every consumer found has moved to EndpointSlice", Status: readiness.NotMet,
				Evidence: []string{"edge-router (proven) still reads Endpoints: 31 requests, the last at 2026-05-01T11:58:00Z.", "nightly-export is acknowledged."},
				Settle:   []string{"Move edge-router, and mark it migrated.", "Waive nightly-export, if it may do without."},
			},
			{
				Name: "audit-window", Title: "The audit log is long enough, recent and whole", Status: readiness.Unknown,
				Evidence: []string{"There is no audit log."}, Settle: []string{"Give one: --audit FILE."},
				Waiver: &readiness.AppliedWaiver{By: "Ada Example", Reason: "the policy began on Monday", Expires: "2026-04-30", Expired: true},
			},
			{
				Name: "window-cronjobs", Title: "Every CronJob ran within the audit log", Status: readiness.Unknown, Evidence: []string{"ops/yearly did not run."},
				Waiver: &readiness.AppliedWaiver{By: "Ada Example", Reason: "it reads nothing of the cluster", Expires: "2026-06-30"},
			},
		},
	}
}

func written(t *testing.T, write func(*bytes.Buffer) error) string {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func shadowPage(t *testing.T, r *shadow.Report) string {
	return written(t, func(w *bytes.Buffer) error { return web.WriteShadow(w, r) })
}

func gatePage(t *testing.T, v *readiness.Verdict) string {
	return written(t, func(w *bytes.Buffer) error { return web.WriteGate(w, v) })
}

// TestReportPages looks at the pages in the sizes and schemes that they are made
// for: everything is there to be seen, nothing is loaded, nothing sticks out, and
// the page has no script.
func TestReportPages(t *testing.T) {
	b := openBrowser(t)
	for name, c := range map[string]struct {
		path string
		says []string
	}{
		"shadow": {shadowPage(t, someComparison()), []string{
			"Endpoints and EndpointSlices differ.", "10.0.0.9:8080", "only in Endpoints", "in both, with another readiness, not ready",
			"a consumer that still uses Endpoints sends there; move it first", "And 3 more.", "it did not rest for 5s", "Not read: nodes in all namespaces (forbidden)",
		}},
		"gate": {gatePage(t, someVerdict()), []string{
			"May the Endpoints controller stop? No.", "31 requests", "Move edge-router, and mark it migrated.", "unknown, waiver expired",
			"unknown, waived", "Waived by Ada Example until 2026-06-30: it reads nothing of the cluster",
		}},
	} {
		for _, s := range screens {
			t.Run(name+"-"+s.name, func(t *testing.T) { b.reads(t, c.path, name, s, c.says) })
		}
	}
}

// TestOutcomesDifferWithoutColour: each has a word and a mark of its own.
func TestOutcomesDifferWithoutColour(t *testing.T) {
	b := openBrowser(t)
	for _, path := range []string{shadowPage(t, someComparison()), gatePage(t, someVerdict())} {
		b.open(path)
		var marks []string
		b.eval(`["against", "unsure", "holds"].map((look) => {
			const mark = document.querySelector(".mark." + look);
			return getComputedStyle(mark, "::before").content + " " + mark.innerText + " " + getComputedStyle(document.querySelector(".card." + look)).borderLeftStyle;
		})`, &marks)
		seen := map[string]bool{}
		for _, mark := range marks {
			for _, part := range strings.Fields(mark)[:2] {
				if seen[part] {
					t.Errorf("two outcomes have %q: %q", part, marks)
				}
				seen[part] = true
			}
		}
		b.quiet(t)
	}
}

// TestReportNamesAreText: whatever a cluster, a log or a waiver holds is shown,
// not run, and in the order in which it was written.
func TestReportNamesAreText(t *testing.T) {
	const bad = `</style></script><script>window.hacked=1</script><img/src=x/onerror=hacked=1>'"&{{.}}` + "\u202egpj\u2066"
	r := someComparison()
	r.Unread[0].Problem += bad
	r.Unread[0].Namespace += bad
	for i := range r.Services {
		s := &r.Services[i]
		s.Service += bad
		s.Reason += bad
		for j := range s.Differences {
			s.Differences[j].Port += bad
			s.Differences[j].Because += bad
			s.Differences[j].Endpoint += bad
			s.Differences[j].Side += bad
			s.Differences[j].Class += bad
		}
		for j := range s.Findings {
			s.Findings[j].Message += bad
		}
	}
	v := someVerdict()
	for i := range v.Criteria {
		c := &v.Criteria[i]
		c.Name += bad
		c.Title += bad
		for j := range c.Evidence {
			c.Evidence[j] += bad
		}
		for j := range c.Settle {
			c.Settle[j] += bad
		}
		if c.Waiver != nil {
			c.Waiver.By += bad
			c.Waiver.Reason += bad
		}
	}
	b := openBrowser(t)
	for name, path := range map[string]string{"shadow": shadowPage(t, r), "gate": gatePage(t, v)} {
		b.open(path)
		var hacked bool
		b.eval("'hacked' in window", &hacked)
		if hacked {
			t.Errorf("%s: a name was run", name)
		}
		if b.count("img") != 0 || b.count("script") != 0 || b.count("style") != 1 {
			t.Errorf("%s: a name became an element", name)
		}
		body := b.text("body")
		if !strings.Contains(body, `<script>window.hacked=1</script>`) {
			t.Errorf("%s: the name is not shown as it is", name)
		}
		if strings.ContainsAny(body, "\u202e\u2066") {
			t.Errorf("%s: a name turns the text around", name)
		}
		b.quiet(t)
	}
}

// TestReportPagesStandAlone: they name nothing outside of themselves, and their
// policy allows their own style alone.
func TestReportPagesStandAlone(t *testing.T) {
	for name, path := range map[string]string{"shadow": shadowPage(t, someComparison()), "gate": gatePage(t, someVerdict())} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`content="default-src &#39;none&#39;; style-src &#39;sha256-[^ ]*; script-src &#39;none&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;"`).Match(text) {
			t.Errorf("%s: the policy allows more than its style", name)
		}
		outside := regexp.MustCompile(`(?:src|href|url\()=?["']?[a-z]+:[^"')\s]*|https?://[^"'\s)]+`).FindAllString(string(text), -1)
		if diff := cmp.Diff([]string(nil), outside); diff != "" {
			t.Errorf("%s names what is outside of it:\n%s", name, diff)
		}
	}
}

// TestReportsOfNothing: an empty report says that it is one.
func TestReportsOfNothing(t *testing.T) {
	for path, says := range map[string]string{
		shadowPage(t, shadow.NewReport(noon, noon, 0, nil, nil)):                                                  "There was none to compare.",
		gatePage(t, &readiness.Verdict{At: noon, Outcome: readiness.Undecided}):                                   "There are no criteria.",
		gatePage(t, &readiness.Verdict{At: noon, Outcome: readiness.Ready, Criteria: someVerdict().Criteria[:1]}): "May the Endpoints controller stop? <span class=\"answer\">Yes.",
	} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), says) {
			t.Errorf("it does not say %q", says)
		}
	}
}

// TestAManyServicesPageIsAPage: ten thousand Services that agree are a table, and
// not ten thousand cards.
func TestAManyServicesPageIsAPage(t *testing.T) {
	var services []shadow.ServiceReport
	for i := range 10_000 {
		services = append(services, shadow.ServiceReport{Service: fmt.Sprintf("n/s%d", i), Outcome: shadow.Equal, Classes: map[shadow.Class]int{}})
	}
	text, err := os.ReadFile(shadowPage(t, shadow.NewReport(noon, noon, 0, services, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if cards, rows := strings.Count(string(text), "<article"), strings.Count(string(text), "<tr><td"); cards != 0 || rows != 10_000 {
		t.Errorf("%d cards and %d rows", cards, rows)
	}
}
