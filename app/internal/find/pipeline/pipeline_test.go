package pipeline_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/slicewright/slicewright/app/internal/find/apimetrics"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/objects"
	"github.com/slicewright/slicewright/app/internal/find/pipeline"
)

// finding is one of a source, about somebody.
func finding(source evidence.Source, detector, locator string, who evidence.Subject) evidence.Finding {
	return evidence.Finding{
		Subject: who, Class: evidence.Reader, Confidence: evidence.Likely,
		Evidence: []evidence.Evidence{{Source: source, Detector: detector, Locator: locator, Count: 1}},
	}
}

// found has a program in every source: its code, its grant, its Pod and its
// requests. The log knows only the ServiceAccount.
func found() pipeline.Found {
	account := objects.Ref{Kind: "ServiceAccount", Namespace: "prod", Name: "sync"}
	return pipeline.Found{
		Trees: []pipeline.Tree{{
			Name: "monorepo", OwnerOf: func(string) string { return "@edge" },
			Readings: []pipeline.Reading{{
				Findings: []evidence.Finding{finding(evidence.SourceGo, "go/informer", "cmd/sync/main.go:4:2", evidence.Subject{})},
				Coverage: evidence.Coverage{Source: evidence.SourceGo, Read: 1},
			}},
		}},
		Objects: []pipeline.Objects{
			{Coverage: evidence.Coverage{Source: evidence.SourceObject, Skipped: 1}},
			{
				Coverage: evidence.Coverage{Source: evidence.SourceObject, Read: 3},
				Snapshot: &objects.Snapshot{
					Roles: []objects.Role{{
						Ref:   objects.Ref{Kind: "Role", Namespace: "prod", Name: "reader"},
						Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"endpoints"}, Verbs: []string{"get"}}},
					}},
					Bindings: []objects.Binding{{
						Ref: objects.Ref{Kind: "RoleBinding", Namespace: "prod", Name: "reader"}, Role: rbacv1.RoleRef{Kind: "Role", Name: "reader"},
						Subjects: []rbacv1.Subject{{Kind: account.Kind, Namespace: account.Namespace, Name: account.Name}},
					}},
					Workloads: []objects.Workload{{
						Ref:      objects.Ref{Kind: "Deployment", Namespace: "prod", Name: "sync"},
						Template: &objects.PodSpec{ServiceAccount: account.Name, Containers: []objects.Container{{Name: "c", Image: "sync:1"}}},
					}},
				},
			},
		},
		Logs: []pipeline.Log{{
			Reading: pipeline.Reading{
				Findings: []evidence.Finding{finding(evidence.SourceAudit, "audit/request", "0bf7", evidence.Subject{ServiceAccount: "prod/sync"})},
				Coverage: evidence.Coverage{Source: evidence.SourceAudit, Read: 9},
			},
			Totals: &apimetrics.Explained{OpenWatches: 1},
		}},
		Metrics: &pipeline.Metrics{
			Counts: apimetrics.Counts{LiveWatches: 1, Series: 1, HasSelf: true},
			Unread: []evidence.Problem{{Locator: "b.txt", Message: "is not there"}},
		},
	}
}

func TestWhatAllSourcesSayOfOneProgramIsOneEntry(t *testing.T) {
	r := pipeline.Attribute(found()).Registry()
	type entry struct {
		Key, Owner string
		Confidence evidence.Confidence
		Detectors  []string
	}
	var got []entry
	for _, e := range r.Entries {
		one := entry{Key: e.Key, Owner: e.Owner, Confidence: e.Confidence}
		for _, ev := range e.Evidence {
			one.Detectors = append(one.Detectors, ev.Detector)
		}
		got = append(got, one)
	}
	want := []entry{{
		Key: "workload/Deployment/prod/sync", Owner: "@edge", Confidence: evidence.Strong,
		Detectors: []string{"audit/request", "go/informer", "rbac/binding", "rbac/explicit-grant", "rbac/workload"},
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("entries (-want +got):\n%s", d)
	}
	if len(r.Patches) != 1 || r.Patches[0].Role != "Role/prod/reader" {
		t.Errorf("patches %+v, want the slices that the Role lacks", r.Patches)
	}
}

// A report lists the coverage in the order in which the sources were read.
func TestTheCoverageKeepsTheOrderOfTheSources(t *testing.T) {
	type coverage struct {
		Source        evidence.Source
		Read, Skipped int
	}
	var got []coverage
	for _, c := range pipeline.Attribute(found()).Coverage {
		got = append(got, coverage{c.Source, c.Read, c.Skipped})
	}
	want := []coverage{
		{evidence.SourceGo, 1, 0},
		{evidence.SourceObject, 0, 1},
		{evidence.SourceObject, 3, 0},
		{evidence.SourceRBAC, 2, 0},
		{evidence.SourceObject, 0, 0},
		{evidence.SourceAudit, 9, 0},
		{evidence.SourceMetrics, 1, 1},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestMetricsAreExplainedByTheLog(t *testing.T) {
	f := found()
	if c := pipeline.Attribute(f).CrossCheck; c == nil || c.LiveWatches != 1 || c.ExplainedWatches != 1 {
		t.Errorf("with a log: %+v", c)
	}
	f = found()
	f.Logs = nil
	if c := pipeline.Attribute(f).CrossCheck; c == nil || c.ExplainedWatches != -1 {
		t.Errorf("without a log: %+v", c)
	}
	f.Metrics = nil
	if c := pipeline.Attribute(f).CrossCheck; c != nil {
		t.Errorf("without metrics: %+v", c)
	}
}

func TestNothingFoundIsAnEmptyRegistry(t *testing.T) {
	r := pipeline.Attribute(pipeline.Found{}).Registry()
	if len(r.Entries) != 0 || len(r.Coverage) != 0 || r.CrossCheck != nil {
		t.Errorf("%+v", r)
	}
}

func TestALogsFindingGetsTheWorkloadOfItsAccount(t *testing.T) {
	for _, f := range pipeline.Attribute(found()).Findings {
		if f.Evidence[0].Source != evidence.SourceAudit {
			continue
		}
		if want := (evidence.Workload{Kind: "Deployment", Namespace: "prod", Name: "sync"}); f.Subject.Workload != want {
			t.Errorf("the workload is %+v, want %+v", f.Subject.Workload, want)
		}
		return
	}
	t.Error("the log's finding is gone")
}
