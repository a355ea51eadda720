package readiness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/slicewright/slicewright/app/internal/find/audit"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/registry"
	"github.com/slicewright/slicewright/app/internal/shadow"
	"github.com/slicewright/slicewright/app/internal/timeline"
)

var now = time.Date(2026, 5, 20, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) time.Time { return now.Add(-d) }

const day = 24 * time.Hour

// complete are facts by which every default criterion is met.
func complete() *Facts {
	entry := func(key, account, digest string, class evidence.Class) registry.Entry {
		return registry.Entry{
			Key: key, Owner: "team-shop", Class: class, Confidence: evidence.Likely, Status: evidence.Verified,
			ServiceAccount: account, Images: []evidence.Image{{Image: key, Digest: digest}}, PublishesTo: "haproxy:admin.sock/web",
		}
	}
	f := &Facts{
		Registry: &registry.Registry{
			Entries: []registry.Entry{
				entry("shop/router", "shop/router", "sha256:1", evidence.Reader),
				entry("shop/exporter", "shop/exporter", "sha256:2", evidence.Producer),
				{Key: "kube-system/controller", Class: evidence.Expected, Confidence: evidence.Proven},
				{Key: "shop/admin", Class: evidence.Reader, Confidence: evidence.Broad},
			},
			Coverage: []evidence.Coverage{{Source: evidence.SourceAudit, Read: 9}, {Source: evidence.SourceRBAC, Read: 9}, {Source: evidence.SourceObject, Read: 9}},
		},
		Shadow: &shadow.Report{
			From: ago(2 * time.Hour), Until: ago(time.Hour), SettleSeconds: 5, Outcome: shadow.Equal,
			Services: []shadow.ServiceReport{{Service: "shop/prices", Outcome: shadow.Equal, Judgements: 3}},
		},
		Timeline: &timeline.Report{
			From: ago(day), Until: now,
			Services: []timeline.ServiceReport{{Service: "shop/prices", Counts: make([]timeline.CountReport, 2)}},
			Uses:     []timeline.UseReport{{Consumer: "haproxy:admin.sock/web", Service: "shop/prices", Address: "10.0.0.1"}},
			// A measurement is no fault.
			Findings: []timeline.Finding{{Code: timeline.TerminationTimes, From: ago(time.Hour)}},
		},
		Audit: &audit.Result{
			Coverage: evidence.Coverage{Source: evidence.SourceAudit, Read: 1000},
			Findings: []evidence.Finding{{Subject: evidence.Subject{User: "system:kube-controller-manager"}, Class: evidence.Expected, Verbs: map[string]int{"update": 7}}},
			Totals:   audit.Totals{First: ago(10 * day), Last: ago(time.Hour)},
		},
		Cluster: &Cluster{
			Read: now, Kubernetes: "v1.37.9",
			CronJobs: []CronJob{{Namespace: "shop", Name: "report", Schedule: "0 3 * * *", LastScheduled: ago(day)}},
			Leases:   []Lease{{Namespace: "shop", Name: "router", Holder: "router-0", Acquired: ago(2 * day)}},
			Pods: []Pod{
				{Namespace: "shop", Name: "router-0", ServiceAccount: "router", Started: ago(2 * day), Images: []evidence.Image{{Digest: "sha256:1"}}},
				{Namespace: "shop", Name: "exporter-0", ServiceAccount: "exporter", Started: ago(2 * day), Images: []evidence.Image{{Digest: "sha256:2"}}},
			},
		},
	}
	e := Experiment{Name: "stop", Started: ago(2 * day), Finished: ago(day), Kubernetes: "v1.37.2", Consumer: Consumer{Name: "router", Digest: "sha256:1"}}
	for _, c := range DefaultCriteria().Criteria {
		for _, name := range c.Checks {
			e.Checks = append(e.Checks, ExperimentCheck{Name: name, Result: Passed, Evidence: []string{"It was seen."}})
		}
	}
	f.Experiments = []ExperimentFile{{"stop.json", e}}
	return f
}

// statuses are those of a verdict that are not met, by criterion.
func statuses(v *Verdict) map[string]Status {
	all := map[string]Status{}
	for _, r := range v.Criteria {
		if r.Status != Met {
			all[r.Name] = r.Status
		}
	}
	return all
}

func TestCompleteEvidenceMeetsEveryCriterion(t *testing.T) {
	v := Evaluate(DefaultCriteria(), complete(), now)
	if v.Outcome != Ready || len(statuses(v)) > 0 {
		t.Errorf("%s: %v", v.Outcome, statuses(v))
	}
	for _, r := range v.Criteria {
		if len(r.Evidence) == 0 {
			t.Errorf("%s is met without evidence", r.Name)
		}
	}
}

func TestNothingIsKnownOfNothing(t *testing.T) {
	v := Evaluate(DefaultCriteria(), &Facts{}, now)
	for _, r := range v.Criteria {
		if r.Status != Unknown || len(r.Settle) == 0 || len(r.Evidence) == 0 {
			t.Errorf("%s is %s: %v, settled by %v", r.Name, r.Status, r.Evidence, r.Settle)
		}
	}
	if v.Outcome != Undecided {
		t.Errorf("the outcome is %s", v.Outcome)
	}
}

// noExperiment are the criteria without a report that counts.
var noExperiment = map[string]Status{"data-checks": Unknown, "recovery-checks": Unknown, "stop-experiment": Unknown}

// Each row spoils one thing, and names all criteria that then do not hold.
func TestWhatSpoilsACriterion(t *testing.T) {
	entry := func(f *Facts) *registry.Entry { return &f.Registry.Entries[0] }
	check := func(f *Facts, name string) *ExperimentCheck {
		i := slices.IndexFunc(f.Experiments[0].Checks, func(c ExperimentCheck) bool { return c.Name == name })
		return &f.Experiments[0].Checks[i]
	}
	tests := []struct {
		name  string
		spoil func(*Facts)
		want  map[string]Status
	}{
		{"a consumer without an owner", func(f *Facts) { entry(f).Owner = "" }, map[string]Status{"consumers-owned": NotMet}},
		{"a consumer that has not moved", func(f *Facts) { entry(f).Status = evidence.Unmigrated }, map[string]Status{"consumers-moved": NotMet, "running-versions": NotMet}},
		{"a consumer that reads both", func(f *Facts) { entry(f).Status = evidence.Dual }, map[string]Status{"consumers-moved": NotMet, "running-versions": NotMet}},
		{"a consumer that was seen all the same", func(f *Facts) { entry(f).Confidence = evidence.Proven }, map[string]Status{"consumers-moved": NotMet}},
		{"a consumer that is acknowledged", func(f *Facts) { entry(f).Status = evidence.Acknowledged }, map[string]Status{"consumers-moved": Unknown, "running-versions": NotMet}},
		{"a consumer that nobody verified", func(f *Facts) { entry(f).Status = evidence.Migrated }, map[string]Status{"running-versions": Unknown}},
		{"another image runs", func(f *Facts) { f.Cluster.Pods[0].Images[0].Digest = "sha256:9" }, map[string]Status{"running-versions": Unknown, "data-checks": Unknown, "recovery-checks": Unknown, "stop-experiment": Unknown}},
		{"an image without a digest runs", func(f *Facts) { f.Cluster.Pods[0].Images[0].Digest = "" }, map[string]Status{"running-versions": Unknown, "data-checks": Unknown, "recovery-checks": Unknown, "stop-experiment": Unknown}},
		{"nothing runs", func(f *Facts) { f.Cluster.Pods = f.Cluster.Pods[1:] }, map[string]Status{"running-versions": Unknown, "window-start-up": Unknown, "data-checks": Unknown, "recovery-checks": Unknown, "stop-experiment": Unknown}},
		{"a producer that has not moved", func(f *Facts) { f.Registry.Entries[1].Status = evidence.Unmigrated }, map[string]Status{"producers-moved": NotMet}},
		{"a lock", func(f *Facts) { f.Registry.Entries[1].Class, f.Registry.Entries[1].Status = evidence.Lock, "" }, map[string]Status{"producers-moved": NotMet}},
		{"a source that was not searched", func(f *Facts) { f.Registry.Coverage[1].Read = 0 }, map[string]Status{"search-complete": Unknown}},
		{"a source with a problem", func(f *Facts) { f.Registry.Coverage[0].Problem("a.log", "broken") }, map[string]Status{"search-complete": Unknown}},
		{"a search of nothing", func(f *Facts) { f.Registry.Coverage = nil }, map[string]Status{
			"search-complete": Unknown, "consumers-owned": Unknown, "consumers-moved": Unknown, "running-versions": Unknown, "producers-moved": Unknown, "window-start-up": Unknown,
			"no-obstacles": Unknown, "consumers-use-the-slices": Unknown, "data-checks": Unknown, "recovery-checks": Unknown, "stop-experiment": Unknown,
		}},
		{"a short log", func(f *Facts) { f.Audit.Totals.First = ago(6 * day) }, map[string]Status{"audit-window": Unknown}},
		{"an old log", func(f *Facts) { f.Audit.Totals.Last = ago(4 * day) }, map[string]Status{
			"audit-window": Unknown, "window-start-up": Unknown, "window-leader-change": Unknown, "window-cronjobs": Unknown,
		}},
		{"a log with a silence", func(f *Facts) { f.Audit.Totals.Interruptions = 1 }, map[string]Status{"audit-window": Unknown}},
		{"a log of a blind policy", func(f *Facts) { f.Audit.Coverage.Problem("audit policy", "hides them") }, map[string]Status{"audit-window": Unknown, "no-unexpected-identity": Unknown}},
		{"an empty log", func(f *Facts) { f.Audit.Totals, f.Audit.Coverage.Read = audit.Totals{}, 0 }, map[string]Status{
			"audit-window": Unknown, "window-start-up": Unknown, "window-leader-change": Unknown, "window-cronjobs": Unknown, "no-unexpected-identity": Unknown,
		}},
		{"a stranger", func(f *Facts) {
			f.Audit.Findings = append(f.Audit.Findings, evidence.Finding{Subject: evidence.Subject{ServiceAccount: "x/y"}, Class: evidence.Reader, Verbs: map[string]int{"list": 1}})
		}, map[string]Status{"no-unexpected-identity": NotMet}},
		{"a stranger that was refused", func(f *Facts) {
			f.Audit.Findings = append(f.Audit.Findings, evidence.Finding{Subject: evidence.Subject{User: "u"}, Class: evidence.Reader, Refused: 3})
		}, map[string]Status{"no-unexpected-identity": NotMet}},
		{"a CronJob of a month", func(f *Facts) { f.Cluster.CronJobs[0].LastScheduled = ago(20 * day) }, map[string]Status{"window-cronjobs": Unknown}},
		{"a suspended CronJob", func(f *Facts) { f.Cluster.CronJobs[0] = CronJob{Suspended: true} }, map[string]Status{"window-cronjobs": Unknown}},
		{"a leader of long ago", func(f *Facts) { f.Cluster.Leases[0].Acquired = ago(20 * day) }, map[string]Status{"window-leader-change": Unknown}},
		{"Pods that may not be listed", func(f *Facts) { f.Cluster.Unread = map[string]string{"pods": "forbidden"} }, map[string]Status{"running-versions": Unknown, "window-start-up": Unknown}},
		{"a difference", func(f *Facts) { f.Shadow.Services[0].Outcome = shadow.Different }, map[string]Status{"sources-agree": NotMet}},
		{"a Service that did not settle", func(f *Facts) { f.Shadow.Services[0].Outcome = shadow.Unknown }, map[string]Status{"sources-agree": Unknown}},
		{"equal without a judgement", func(f *Facts) { f.Shadow.Services[0].Judgements = 0 }, map[string]Status{"sources-agree": Unknown}},
		{"a comparison of files", func(f *Facts) { f.Shadow.SettleSeconds = 0 }, map[string]Status{"sources-agree": Unknown}},
		{"a short comparison", func(f *Facts) { f.Shadow.From = f.Shadow.Until.Add(-time.Minute) }, map[string]Status{"sources-agree": Unknown}},
		{"an old comparison", func(f *Facts) { f.Shadow.From, f.Shadow.Until = ago(5*day), ago(4*day) }, map[string]Status{"sources-agree": Unknown}},
		{"a comparison of the future", func(f *Facts) { f.Shadow.Until = now.Add(day) }, map[string]Status{"sources-agree": Unknown}},
		{"Endpoints that may not be read", func(f *Facts) { f.Shadow.Unread = []shadow.Unread{{Resource: "endpoints", Needed: true}} }, map[string]Status{"sources-agree": Unknown}},
		{"a connection to what was given up", func(f *Facts) {
			f.Timeline.Findings = append(f.Timeline.Findings, timeline.Finding{Code: timeline.ConnectedAfterTerminating})
		}, map[string]Status{"consumers-use-the-slices": NotMet}},
		{"one that is uncertain", func(f *Facts) {
			f.Timeline.Findings = append(f.Timeline.Findings, timeline.Finding{Code: timeline.RequestFailed, Uncertain: true})
		}, map[string]Status{"consumers-use-the-slices": Unknown}},
		{"a recording of seven seconds", func(f *Facts) { f.Timeline.From = now.Add(-7 * time.Second) }, map[string]Status{"consumers-use-the-slices": Unknown}},
		{"a recording in which nothing changed", func(f *Facts) { f.Timeline.Services[0].Counts = f.Timeline.Services[0].Counts[:1] }, map[string]Status{"consumers-use-the-slices": Unknown}},
		{"a recording of the old reader", func(f *Facts) { f.Timeline.Uses[0].Consumer = "nginx:/etc/nginx.conf#old" }, map[string]Status{"consumers-use-the-slices": Unknown}},
		{"a consumer of which nobody knows where it publishes", func(f *Facts) { entry(f).PublishesTo = "" }, map[string]Status{"consumers-use-the-slices": Unknown}},
		{"two workloads under one ServiceAccount", func(f *Facts) {
			f.Cluster.Pods[0].Workload = evidence.Workload{Kind: "Deployment", Namespace: "shop", Name: "router"}
			other := f.Cluster.Pods[0]
			other.Workload.Name = "other"
			f.Cluster.Pods = append(f.Cluster.Pods, other)
		}, map[string]Status{"window-start-up": Unknown}},
		{"a CronJob that never ran, beside a server of the same ServiceAccount", func(f *Facts) {
			f.Cluster.Pods[0].Workload = evidence.Workload{Kind: "Deployment", Namespace: "shop", Name: "router"}
			entry(f).Workload = evidence.Workload{Kind: "CronJob", Namespace: "shop", Name: "report"}
		}, map[string]Status{"window-start-up": Unknown, "running-versions": Unknown, "data-checks": Unknown, "recovery-checks": Unknown, "stop-experiment": Unknown}},
		{"an obstacle", func(f *Facts) {
			f.Registry.Obstacles = []evidence.Obstacle{{Object: "Service/shop/db", Message: "Mirroring feeds it.", Advice: "Write slices."}}
		}, map[string]Status{"no-obstacles": NotMet}},
		{"a report about another consumer", func(f *Facts) { f.Experiments[0].Consumer = Consumer{Name: "something-else"} }, noExperiment},
		{"a report about another image", func(f *Facts) { f.Experiments[0].Consumer.Digest = "sha256:0" }, noExperiment},
		{"a report that names no digest", func(f *Facts) { f.Experiments[0].Consumer = Consumer{Name: "shop/router"} }, noExperiment},
		{"a report about another configuration", func(f *Facts) { entry(f).ConfigHash, f.Experiments[0].Consumer.ConfigHash = "1", "2" }, noExperiment},
		{"a report about another Kubernetes", func(f *Facts) { f.Experiments[0].Kubernetes = "v1.20.0" }, noExperiment},
		{"a cluster of which the version is not known", func(f *Facts) { f.Cluster.Kubernetes = "" }, noExperiment},
		{"a recording without consumers", func(f *Facts) { f.Timeline.Uses = nil }, map[string]Status{"consumers-use-the-slices": Unknown}},
		{"a recording with a hole", func(f *Facts) { f.Timeline.Gaps = []timeline.GapReport{{Lost: true}} }, map[string]Status{"consumers-use-the-slices": Unknown}},
		{"an experiment that failed", func(f *Facts) { check(f, "way-back").Result = Failed }, map[string]Status{"stop-experiment": NotMet}},
		{"an experiment that was not done", func(f *Facts) { check(f, "duplicates").Result = NotRun }, map[string]Status{"data-checks": Unknown}},
		{"an experiment with nothing to show", func(f *Facts) { check(f, "cold-start").Evidence = nil }, map[string]Status{"recovery-checks": Unknown}},
		{"an experiment that passed once and failed once", func(f *Facts) {
			again := f.Experiments[0]
			again.Name, again.Checks = "again", []ExperimentCheck{{Name: "families", Result: Failed}}
			f.Experiments = append(f.Experiments, again)
		}, map[string]Status{"data-checks": NotMet}},
		{"an old experiment", func(f *Facts) { f.Experiments[0].Finished = ago(60 * day) }, map[string]Status{"data-checks": Unknown, "recovery-checks": Unknown, "stop-experiment": Unknown}},
	}
	var said strings.Builder
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := complete()
			tt.spoil(f)
			v := Evaluate(DefaultCriteria(), f, now)
			got := statuses(v)
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("not met: %v\nwant:    %v", got, tt.want)
			}
			want := Undecided
			for _, s := range tt.want {
				if s == NotMet {
					want = NotReady
				}
			}
			if v.Outcome != want {
				t.Errorf("the outcome is %s, want %s", v.Outcome, want)
			}
			said.WriteString(inWords(tt.name, v))
			for _, r := range v.Criteria {
				if r.Status != Met && len(r.Settle) == 0 {
					t.Errorf("%s is %s, and nothing is said of what would settle it", r.Name, r.Status)
				}
			}
		})
	}
	golden(t, "spoiled.txt", said.String())
}

// removals each take away what speaks for a criterion, or a whole input.
var removals = map[string]func(*Facts){
	"registry":    func(f *Facts) { f.Registry = nil },
	"shadow":      func(f *Facts) { f.Shadow = nil },
	"timeline":    func(f *Facts) { f.Timeline = nil },
	"audit":       func(f *Facts) { f.Audit = nil },
	"cluster":     func(f *Facts) { f.Cluster = nil },
	"experiments": func(f *Facts) { f.Experiments = nil },
	"coverage": func(f *Facts) {
		if f.Registry != nil && len(f.Registry.Coverage) > 0 {
			f.Registry.Coverage = f.Registry.Coverage[1:]
		}
	},
	"owners":   func(f *Facts) { eachEntry(f, func(e *registry.Entry) { e.Owner = "" }) },
	"statuses": func(f *Facts) { eachEntry(f, func(e *registry.Entry) { e.Status = "" }) },
	"digests":  func(f *Facts) { eachEntry(f, func(e *registry.Entry) { e.Images = nil }) },
	"accounts": func(f *Facts) { eachEntry(f, func(e *registry.Entry) { e.ServiceAccount = "" }) },
	"judgements": func(f *Facts) {
		if f.Shadow != nil {
			for i := range f.Shadow.Services {
				f.Shadow.Services[i].Judgements = 0
			}
		}
	},
	"compared": func(f *Facts) {
		if f.Shadow != nil {
			f.Shadow.Services = nil
		}
	},
	"uses": func(f *Facts) {
		if f.Timeline != nil {
			f.Timeline.Uses = nil
		}
	},
	"window": func(f *Facts) {
		if f.Audit != nil {
			f.Audit.Totals = audit.Totals{}
		}
	},
	"events": func(f *Facts) {
		if f.Audit != nil {
			f.Audit.Coverage.Read = 0
		}
	},
	"pods": func(f *Facts) {
		if f.Cluster != nil {
			f.Cluster.Pods = nil
		}
	},
	"moments": func(f *Facts) {
		if f.Cluster != nil {
			for i := range f.Cluster.Leases {
				f.Cluster.Leases[i].Acquired = time.Time{}
			}
			for i := range f.Cluster.CronJobs {
				f.Cluster.CronJobs[i].LastScheduled = time.Time{}
			}
		}
	},
	"passed": func(f *Facts) {
		for i := range f.Experiments {
			e := &f.Experiments[i]
			e.Checks = slices.DeleteFunc(e.Checks, func(c ExperimentCheck) bool { return c.Result == Passed })
		}
	},
	"shown": func(f *Facts) {
		for i := range f.Experiments {
			for j := range f.Experiments[i].Checks {
				f.Experiments[i].Checks[j].Evidence = nil
			}
		}
	},
}

func eachEntry(f *Facts, change func(*registry.Entry)) {
	if f.Registry == nil {
		return
	}
	for i := range f.Registry.Entries {
		change(&f.Registry.Entries[i])
	}
}

// spoilings each add what speaks against a criterion.
var spoilings = map[string]func(*Facts){
	"problem": func(f *Facts) { f.Registry.Coverage[0].Problem("x", "y") },
	"seen":    func(f *Facts) { f.Registry.Entries[0].Confidence = evidence.Proven },
	"differs": func(f *Facts) { f.Shadow.Services[0].Outcome = shadow.Different },
	"failed":  func(f *Facts) { f.Experiments[0].Checks[0].Result = Failed },
	"image":   func(f *Facts) { f.Cluster.Pods[0].Images[0].Digest = "sha256:9" },
	"refused": func(f *Facts) { f.Cluster.Unread = map[string]string{"leases": "forbidden"} },
	"stranger": func(f *Facts) {
		f.Audit.Findings = append(f.Audit.Findings, evidence.Finding{Class: evidence.Reader, Verbs: map[string]int{"get": 1}})
	},
	"silence": func(f *Facts) { f.Audit.Totals.Interruptions++ },
	"short":   func(f *Facts) { f.Audit.Totals.First = ago(2 * time.Hour) },
	"found":   func(f *Facts) { f.Timeline.Findings[0].Code = timeline.RequestFailed },
}

// With less evidence no criterion is met that was not met before.
func TestRemovingEvidenceNeverMeetsACriterion(t *testing.T) {
	names := func(m map[string]func(*Facts)) []string {
		var all []string
		for name := range m {
			all = append(all, name)
		}
		slices.Sort(all)
		return all
	}
	rapid.Check(t, func(t *rapid.T) {
		f := complete()
		for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom(names(spoilings)), rapid.ID).Draw(t, "spoiled") {
			spoilings[name](f)
		}
		before := statuses(Evaluate(DefaultCriteria(), f, now))
		for _, name := range rapid.SliceOfN(rapid.SampledFrom(names(removals)), 1, 5).Draw(t, "removed") {
			removals[name](f)
			after := statuses(Evaluate(DefaultCriteria(), f, now))
			for criterion, status := range before {
				if after[criterion] == "" {
					t.Fatalf("%s was %s, and is met after the removal of %s", criterion, status, name)
				}
			}
			before = after
		}
	})
}

func TestWaivers(t *testing.T) {
	with := func(expires string) *Criteria {
		c := DefaultCriteria()
		c.Waivers = []Waiver{{Criterion: "data-checks", By: "Ada", Reason: "done by hand", Expires: expires}}
		return c
	}
	f := complete()
	f.Experiments[0].Checks[0].Result = Failed // of data-checks
	tests := []struct {
		name    string
		expires string
		want    Outcome
		expired bool
	}{
		{"counts on its last day", "2026-05-20", Ready, false},
		{"does not the day after", "2026-05-19", NotReady, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := Evaluate(with(tt.expires), f, now)
			r := v.Criteria[slices.IndexFunc(v.Criteria, func(r Result) bool { return r.Name == "data-checks" })]
			if v.Outcome != tt.want || r.Status != NotMet || r.Waiver == nil || r.Waiver.Expired != tt.expired {
				t.Errorf("%s, %s, waiver %+v", v.Outcome, r.Status, r.Waiver)
			}
		})
	}
	t.Run("the longest of two counts", func(t *testing.T) {
		c := with("2026-05-01")
		c.Waivers = append(c.Waivers, Waiver{Criterion: "data-checks", By: "Bob", Reason: "r", Expires: "2026-06-01"})
		if v := Evaluate(c, f, now); v.Outcome != Ready {
			t.Errorf("%s", v.Outcome)
		}
	})
	t.Run("what is met needs none", func(t *testing.T) {
		v := Evaluate(with("2026-06-01"), complete(), now)
		for _, r := range v.Criteria {
			if r.Waiver != nil {
				t.Errorf("%s shows a waiver", r.Name)
			}
		}
	})
}

func TestACheckThatIsNotKnownDecidesNothing(t *testing.T) {
	c, err := ParseCriteria([]byte("apiVersion: slicewright.dev/v1alpha1\nkind: ReadinessCriteria\ncriteria: [{name: feeling, title: It feels right, check: feeling}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if v := Evaluate(c, complete(), now); v.Outcome != Undecided || v.Criteria[0].Status != Unknown {
		t.Errorf("%+v", v)
	}
	if v := Evaluate(&Criteria{}, complete(), now); v.Outcome != Undecided {
		t.Errorf("no criteria at all: %s", v.Outcome)
	}
}

// Whatever a check forgets, it cannot pass with nothing to show.
func TestACheckWithNothingToShowDoesNotPass(t *testing.T) {
	checks["silent"] = check{run: func(*answer, *Criterion, *Facts, time.Time) {}}
	defer delete(checks, "silent")
	r, _ := decide(&Criterion{Name: "a", Check: "silent"}, complete(), now)
	if r.Status != Unknown || len(r.Evidence) == 0 || len(r.Settle) == 0 {
		t.Errorf("%+v", r)
	}
}

// An agent on a load balancer's machine runs in no Pod: its digest is the one that
// a person wrote into the registry.
func TestAProcessOutsideTheClusterHasTheRegistrysDigest(t *testing.T) {
	f := complete()
	f.Cluster.Pods = f.Cluster.Pods[1:]
	e := &f.Registry.Entries[0]
	e.ServiceAccount, e.Workload = "", evidence.Workload{Kind: "process", Name: "router"}
	want := map[string]Status{"running-versions": Unknown, "window-start-up": Unknown}
	if diff := cmp.Diff(want, statuses(Evaluate(DefaultCriteria(), f, now))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	e.Images = nil
	for name, status := range noExperiment {
		want[name] = status
	}
	if diff := cmp.Diff(want, statuses(Evaluate(DefaultCriteria(), f, now))); diff != "" {
		t.Errorf("without a digest, -want +got:\n%s", diff)
	}
}

// The verdict lists on what each consumer's criteria rest. The exporter writes
// Endpoints, and no experiment is about it.
func TestAVerdictSaysOnWhichFilesItRests(t *testing.T) {
	f := complete()
	f.Names.Timeline = "shop.db"
	got := Evaluate(DefaultCriteria(), f, now).Consumers
	want := []ConsumerEvidence{{"shop/router", []Rest{
		{"consumers-use-the-slices", "shop.db", now}, {"data-checks", "stop.json", ago(day)}, {"recovery-checks", "stop.json", ago(day)}, {"stop-experiment", "stop.json", ago(day)},
	}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A second document in a file would go unread: it may say the contrary.
func TestASecondDocumentIsAnError(t *testing.T) {
	shadowReport := "apiVersion: slicewright.dev/v1alpha1\nkind: ShadowReport\n"
	for name, parse := range map[string]func([]byte) error{
		"criteria":   func(b []byte) error { _, err := ParseCriteria(b); return err },
		"experiment": func(b []byte) error { _, err := ParseExperiment(b); return err },
		"comparison": func(b []byte) error { _, err := ParseShadow(b); return err },
	} {
		for _, text := range []string{shadowReport + "---\n" + shadowReport, "{}\n---\n# nothing\n---\n{}\n"} {
			if err := parse([]byte(text)); err == nil || !strings.Contains(err.Error(), "a second document") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if _, err := ParseCriteria([]byte("---\napiVersion: " + APIVersion + "\nkind: " + CriteriaKind + "\n---\n")); err != nil {
		t.Errorf("separators around one document: %v", err)
	}
}

func TestAVerdictFitsItsSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../../docs/schemas/readinessverdict.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	waived := DefaultCriteria()
	waived.Waivers = []Waiver{{Criterion: "data-checks", By: "Ada", Reason: "r", Expires: "2026-06-01"}}
	for _, f := range []*Facts{complete(), {}} {
		var out bytes.Buffer
		if err := Evaluate(waived, f, now).Write(&out, "json"); err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(&out)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Error(err)
		}
	}
}

func TestAnExperimentFitsItsSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../../docs/schemas/experimentreport.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	e := complete().Experiments[0].Experiment
	e.APIVersion, e.Kind = APIVersion, ExperimentKind
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Error(err)
	}
	back, err := ParseExperiment(text)
	if err != nil || len(back.Checks) != len(e.Checks) || !back.Finished.Equal(e.Finished) {
		t.Errorf("read back: %+v, %v", back, err)
	}
}

// Untrusted names do not move a cursor and do not become markup.
func TestOutputsAreHarmless(t *testing.T) {
	f := complete()
	f.Registry.Entries[0].Key, f.Registry.Entries[0].Owner = "a\x1b[2J|<img src=x>\n# b", ""
	v := Evaluate(DefaultCriteria(), f, now)
	for _, format := range []string{"table", "markdown"} {
		var out bytes.Buffer
		if err := v.Write(&out, format); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		if strings.Contains(text, "\x1b") || strings.Contains(text, "\n# b") || format == "markdown" && strings.Contains(text, "<img") && !strings.Contains(text, `\<img`) {
			t.Errorf("%s:\n%s", format, text)
		}
		if !strings.Contains(strings.ReplaceAll(text, `\`, ""), "stop-experiment rests on stop.json of 2026-05-19T12:00:00Z") {
			t.Errorf("%s does not say on what it rests:\n%s", format, text)
		}
		if !strings.Contains(text, "not-ready: 15 met, 1 not met, 0 unknown, 0 waived") {
			t.Errorf("%s does not say how it stands:\n%s", format, text)
		}
	}
	if err := v.Write(&bytes.Buffer{}, "pdf"); err == nil {
		t.Error("an unknown output is no error")
	}
}
