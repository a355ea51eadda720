package registry_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/slicewright/slicewright/app/internal/find/audit"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/registry"
	"github.com/slicewright/slicewright/app/internal/find/registry/registryfile"
)

// Findings as the sources report them, in short.

func seen(account, application, verb string, class evidence.Class) evidence.Finding {
	return evidence.Finding{
		Subject: evidence.Subject{Application: application, ServiceAccount: account, User: "system:serviceaccount:" + strings.Replace(account, "/", ":", 1), UserAgent: application + "/v1"},
		Class:   class, Confidence: evidence.Proven, Verbs: map[string]int{verb: 3}, Namespaces: []string{"prod"}, Access: []string{verb},
		Evidence: []evidence.Evidence{{Source: evidence.SourceAudit, Detector: "audit/request", Locator: "id-" + application, Count: 3, Verb: verb}},
	}
}

func granted(account, workload, image string, c evidence.Confidence) evidence.Finding {
	f := evidence.Finding{
		Subject: evidence.Subject{Application: workload, ServiceAccount: account, Owner: "team-" + workload},
		Class:   evidence.Reader, Confidence: c, Verbs: map[string]int{"get": 1, "list": 1}, Namespaces: []string{"*"},
		Evidence: []evidence.Evidence{{Source: evidence.SourceRBAC, Detector: "rbac/rule", Locator: "Role/prod/" + workload, Count: 1}},
	}
	if workload != "" {
		ns, _, _ := strings.Cut(account, "/")
		f.Subject.Workload = evidence.Workload{Kind: "Deployment", Namespace: ns, Name: workload}
		f.Subject.Images = []evidence.Image{{Image: image, Digest: "sha256:1"}}
	}
	return f
}

func written(application, locator string) evidence.Finding {
	return evidence.Finding{
		Subject: evidence.Subject{Application: application}, Class: evidence.Reader, Confidence: evidence.Likely,
		Verbs: map[string]int{"watch": 1}, Access: []string{"informer"},
		Evidence: []evidence.Evidence{{Source: evidence.SourceGo, Detector: "go/informer", Locator: locator, Count: 1}},
	}
}

// summary is a registry in a line an entry.
func summary(r *registry.Registry) []string {
	var out []string
	for _, e := range r.Entries {
		var sources []string
		for _, ev := range e.Evidence {
			sources = append(sources, string(ev.Source))
		}
		out = append(out, strings.Join([]string{e.Key, string(e.Class), string(e.Confidence), strings.Join(slices.Compact(sources), "+")}, " "))
	}
	return out
}

func TestFindingsOfOneConsumerBecomeOneEntry(t *testing.T) {
	cases := map[string]struct {
		findings []evidence.Finding
		want     []string
	}{
		"log, grant and source": {
			[]evidence.Finding{
				seen("prod/sync", "sync", "watch", evidence.Reader), granted("prod/sync", "sync", "registry/sync:1", evidence.Possible),
				written("sync", "main.go:9:1"), written("sync", "main.go:41:9"),
			},
			[]string{"workload/Deployment/prod/sync reader proven audit+go+rbac"},
		},
		"source in an image whose account may": {
			[]evidence.Finding{granted("prod/sync", "web", "registry/sync:1", evidence.Possible), written("sync", "main.go:9:1")},
			[]string{"workload/Deployment/prod/web reader strong go+rbac"},
		},
		"source alone": {
			[]evidence.Finding{written("sync", "main.go:9:1")},
			[]string{"application/sync reader likely go"},
		},
		"two workloads under one account, one of them in the log": {
			[]evidence.Finding{
				granted("prod/shared", "a", "registry/a:1", evidence.Possible), granted("prod/shared", "b", "registry/b:1", evidence.Possible),
				seen("prod/shared", "a", "list", evidence.Reader),
			},
			[]string{"workload/Deployment/prod/a reader proven audit+rbac", "workload/Deployment/prod/b reader possible rbac"},
		},
		"two workloads under one account, and the log does not say which": {
			[]evidence.Finding{
				granted("prod/shared", "a", "registry/a:1", evidence.Possible), granted("prod/shared", "b", "registry/b:1", evidence.Possible),
				seen("prod/shared", "curl", "list", evidence.Reader),
			},
			[]string{
				"serviceaccount/prod/shared reader proven audit", "workload/Deployment/prod/a reader possible rbac",
				"workload/Deployment/prod/b reader possible rbac",
			},
		},
		"a name that two consumers have": {
			[]evidence.Finding{
				granted("prod/sync", "sync", "registry/sync:1", evidence.Possible), granted("test/sync", "sync", "registry/sync:1", evidence.Possible),
				written("sync", "main.go:9:1"),
			},
			[]string{
				"application/sync reader likely go", "workload/Deployment/prod/sync reader possible rbac", "workload/Deployment/test/sync reader possible rbac",
			},
		},
		"a lock beside a reader": {
			[]evidence.Finding{seen("prod/sync", "sync", "watch", evidence.Reader), seen("prod/sync", "sync", "update", evidence.Lock)},
			[]string{"serviceaccount/prod/sync reader proven audit", "serviceaccount/prod/sync#lock lock proven audit"},
		},
		"a grant of who holds only a lock": {
			[]evidence.Finding{seen("prod/sync", "sync", "update", evidence.Lock), granted("prod/sync", "", "", evidence.Possible)},
			[]string{"serviceaccount/prod/sync#lock lock proven audit+rbac"},
		},
		"a reader that may write": {
			[]evidence.Finding{seen("prod/sync", "sync", "watch", evidence.Reader), func() evidence.Finding {
				f := granted("prod/sync", "sync", "registry/sync:1", evidence.Possible)
				f.Class = evidence.Producer
				return f
			}()},
			[]string{"workload/Deployment/prod/sync reader proven audit+rbac"},
		},
		"the control plane and its grant": {
			[]evidence.Finding{
				seen("kube-system/endpoint-controller", "kube-controller-manager", "update", evidence.Expected),
				granted("kube-system/endpoint-controller", "", "", evidence.Broad),
			},
			[]string{"serviceaccount/kube-system/endpoint-controller#expected expected proven audit+rbac"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, summary(registry.Build(c.findings, nil))); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestVerbsOfAnEntryAreRequestsAndNotRules(t *testing.T) {
	r := registry.Build([]evidence.Finding{
		seen("prod/sync", "sync", "watch", evidence.Reader), granted("prod/sync", "sync", "i:1", evidence.Possible), written("sync", "main.go:9:1"),
	}, nil)
	e := r.Entries[0]
	if d := cmp.Diff(map[string]int{"watch": 3}, e.Verbs); d != "" {
		t.Error("verbs", d)
	}
	if d := cmp.Diff([]string{"prod"}, e.Namespaces); d != "" {
		t.Error("namespaces: what was read, not what may be", d)
	}
	if e.Owner != "team-sync" || len(e.Images) != 1 {
		t.Errorf("owner %q, images %v", e.Owner, e.Images)
	}
}

// Law: the order in which sources report changes nothing.
func TestTheOrderOfFindingsDoesNotMatter(t *testing.T) {
	accounts := []string{"prod/a", "prod/b", "test/a"}
	names := []string{"a", "b", "c"}
	classes := []evidence.Class{evidence.Reader, evidence.Producer, evidence.Lock, evidence.Expected}
	one := rapid.Custom(func(t *rapid.T) evidence.Finding {
		account, name := rapid.SampledFrom(accounts).Draw(t, "account"), rapid.SampledFrom(names).Draw(t, "name")
		switch rapid.IntRange(0, 3).Draw(t, "source") {
		case 0:
			return granted(account, name, "registry/"+name+":1", evidence.Possible)
		case 1:
			return granted(account, "", "", evidence.Broad)
		case 2:
			return written(name, name+".go:1:1")
		}
		return seen(account, name, "list", rapid.SampledFrom(classes).Draw(t, "class"))
	})
	rapid.Check(t, func(t *rapid.T) {
		findings := rapid.SliceOfN(one, 0, 12).Draw(t, "findings")
		want := registry.Build(findings, nil)
		shuffled := slices.Clone(findings)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if d := cmp.Diff(want, registry.Build(shuffled, nil)); d != "" {
			t.Fatal(d)
		}
		keys := make(map[string]bool)
		for _, e := range want.Entries {
			if keys[e.Key] {
				t.Fatalf("two entries with the key %s", e.Key)
			}
			keys[e.Key] = true
		}
	})
}

func TestWhatPeopleWroteStaysOverRuns(t *testing.T) {
	file := filepath.Join(t.TempDir(), "registry.yaml")
	first := registry.Build([]evidence.Finding{written("sync", "main.go:9:1"), written("gone", "gone.go:1:1"), written("dull", "dull.go:1:1")}, nil)
	if err := registryfile.Save(file, first); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	edit := func(application, from, to string) {
		t.Helper()
		parts := strings.SplitAfter(string(text), "\n- ")
		for i, part := range parts {
			if strings.Contains(part, "application: "+application+"\n") {
				parts[i] = strings.Replace(part, from, to, 1)
				if parts[i] == part {
					t.Fatalf("no %q in\n%s", from, part)
				}
			}
		}
		text = []byte(strings.Join(parts, ""))
	}
	edit("sync", `owner: ""`, "owner: net-team")
	edit("sync", `publishesTo: ""`, "publishesTo: the edge load balancer")
	edit("sync", "\n  status: unmigrated", "\n  status: acknowledged\n  notes: until March")
	edit("gone", `publishesTo: ""`, "publishesTo: nowhere")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}

	earlier, err := registryfile.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	// The next run sees the cluster too, and knows the workload by its name.
	next := registry.Build([]evidence.Finding{
		written("sync", "main.go:12:1"), granted("prod/sync", "sync", "registry/sync:1", evidence.Possible), seen("prod/sync", "sync", "watch", evidence.Reader),
	}, nil)
	registry.Reconcile(next, earlier)
	if len(next.Entries) != 2 {
		t.Fatalf("entries %v, want sync and gone: nobody wrote into dull", summary(next))
	}
	e := next.Entries[0]
	if e.Key != "application/sync" || e.Owner != "net-team" || e.PublishesTo != "the edge load balancer" || e.Status != evidence.Acknowledged || e.Notes != "until March" {
		t.Errorf("people's words were lost: %+v", e)
	}
	if e.Confidence != evidence.Proven || e.Workload.Name != "sync" {
		t.Errorf("found facts were not rewritten: %+v", e)
	}
	if gone := next.Entries[1]; !gone.Missing || gone.PublishesTo != "nowhere" || len(gone.Evidence) != 0 {
		t.Errorf("%+v: want it kept as missing", gone)
	}
	// What the tool proposed and nobody changed follows the facts.
	after := registry.Build([]evidence.Finding{seen("prod/sync", "sync", "watch", evidence.Reader)}, nil)
	registry.Reconcile(after, next)
	if after.Entries[0].Owner != "net-team" || after.Entries[0].Key != "application/sync" {
		t.Errorf("the third run lost it: %+v", after.Entries[0])
	}
}

// An entry with the same key must not lose its place to an entry that only has the
// same name.
func TestEqualKeysComeBeforeEqualNames(t *testing.T) {
	earlier := registry.Build([]evidence.Finding{granted("prod/sync", "sync", "i:1", evidence.Possible), written("tool", "t.go:1:1")}, nil)
	for i := range earlier.Entries {
		earlier.Entries[i].Notes = "of " + earlier.Entries[i].Key
	}
	stray := earlier.Entries[0]
	stray.Key, stray.Application, stray.ServiceAccount, stray.Workload = "application/renamed", "tool", "", evidence.Workload{}
	stray.Notes = "of a stray"
	earlier.Entries = append([]registry.Entry{stray}, earlier.Entries...)
	now := registry.Build([]evidence.Finding{written("tool", "t.go:1:1")}, nil)
	registry.Reconcile(now, earlier)
	for _, e := range now.Entries {
		if e.Key == "application/tool" && (e.Missing || e.Notes != "of application/tool") {
			t.Errorf("%s has the notes %q", e.Key, e.Notes)
		}
		if e.Key != "application/tool" && !e.Missing {
			t.Errorf("%s took the place of the entry with the same key", e.Key)
		}
	}
}

func TestAStatusThatTheLogContradictsIsCalledOut(t *testing.T) {
	r := registry.Build([]evidence.Finding{seen("prod/sync", "sync", "watch", evidence.Reader)}, nil)
	earlier := registry.Build([]evidence.Finding{seen("prod/sync", "sync", "watch", evidence.Reader)}, nil)
	earlier.Entries[0].Status = evidence.Migrated
	registry.Reconcile(r, earlier)
	e := r.Entries[0]
	if e.Status != evidence.Migrated || !strings.Contains(strings.Join(e.Remarks, "\n"), "marked migrated, and it still used Endpoints") {
		t.Errorf("status %s, remarks %q", e.Status, e.Remarks)
	}
	if v := registry.Judge(r, evidence.Proven, nil); len(v.Failing) != 1 {
		t.Error("a contradicted status must not silence --fail-on")
	}
}

func TestJudgeTellsNothingFoundFromNothingSeen(t *testing.T) {
	good := []evidence.Coverage{{Source: evidence.SourceGo, Read: 10}}
	bad := []evidence.Coverage{{Source: evidence.SourceGo, Read: 10, Problems: []evidence.Problem{{Locator: "x.go", Message: "does not type-check"}}}}
	reader := []evidence.Finding{seen("prod/sync", "sync", "watch", evidence.Reader)}
	acknowledged := []evidence.Finding{reader[0]}
	acknowledged[0].Status = evidence.Acknowledged
	cases := map[string]struct {
		findings []evidence.Finding
		coverage []evidence.Coverage
		failOn   evidence.Confidence
		failing  int
		unknown  bool
	}{
		"nothing, all seen":            {nil, good, "", 0, false},
		"nothing, problems":            {nil, bad, "", 0, true},
		"nothing, nothing read":        {nil, []evidence.Coverage{{Source: evidence.SourceGo}}, "", 0, true},
		"the control plane alone":      {[]evidence.Finding{seen("kube-system/x", "x", "get", evidence.Expected)}, bad, "", 0, true},
		"a wildcard alone":             {[]evidence.Finding{granted("prod/sync", "sync", "i", evidence.Broad)}, bad, "", 0, true},
		"a reader, problems":           {reader, bad, "", 0, false},
		"a reader at the level":        {reader, good, evidence.Likely, 1, false},
		"a grant below the level":      {[]evidence.Finding{granted("prod/sync", "sync", "i", evidence.Possible)}, good, evidence.Likely, 0, false},
		"a reader that is known about": {acknowledged, good, evidence.Likely, 0, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			v := registry.Judge(registry.Build(c.findings, c.coverage), c.failOn, nil)
			if len(v.Failing) != c.failing || v.Unknown != c.unknown {
				t.Errorf("failing %v, unknown %v (%v)", v.Failing, v.Unknown, v.Why)
			}
		})
	}
	base := registry.Build(reader, good)
	if v := registry.Judge(registry.Build(reader, good), evidence.Likely, base); len(v.Failing) != 0 {
		t.Errorf("%v is in the baseline", v.Failing)
	}
	weak := registry.Build([]evidence.Finding{granted("prod/sync", "sync", "i", evidence.Possible)}, good)
	if v := registry.Judge(registry.Build(reader, good), evidence.Likely, weak); len(v.Failing) != 1 {
		t.Error("what was only possible in the baseline and is proven now is new")
	}
}

func TestGroupsOrderAProducerAndItsReaders(t *testing.T) {
	lock := seen("prod/op", "op", "update", evidence.Lock)
	other := seen("test/far", "far", "list", evidence.Reader)
	other.Namespaces = []string{"test"}
	r := registry.Build([]evidence.Finding{
		seen("prod/pub", "pub", "update", evidence.Producer), seen("prod/sync", "sync", "watch", evidence.Reader), other, lock,
	}, nil)
	if len(r.Groups) != 2 {
		t.Fatalf("groups %+v, want the producer's and the lock's", r.Groups)
	}
	g := r.Groups[0]
	if d := cmp.Diff([]string{"serviceaccount/prod/pub", "serviceaccount/prod/sync"}, g.Members); d != "" {
		t.Error(d)
	}
	if len(g.Steps) != 3 || !strings.Contains(g.Steps[0], "pub") || !strings.Contains(g.Steps[1], "sync") || !strings.Contains(g.Steps[2], "stop") {
		t.Errorf("steps %q", g.Steps)
	}
	if l := r.Groups[1]; len(l.CannotMove) != 1 || !strings.Contains(l.Steps[0], "Lease") {
		t.Errorf("the lock's group %+v", l)
	}
}

func TestRefreshReplacesOneSourceAndKeepsTheOthers(t *testing.T) {
	kept := registry.Build([]evidence.Finding{
		granted("prod/sync", "sync", "registry/sync:1", evidence.Possible), seen("prod/sync", "sync", "watch", evidence.Reader), written("lonely", "l.go:1:1"),
	}, []evidence.Coverage{{Source: evidence.SourceAudit, Read: 1}, {Source: evidence.SourceRBAC, Read: 5}})
	later := seen("prod/sync", "sync", "watch", evidence.Reader)
	later.Verbs["watch"], later.Evidence[0].Count = 7, 7
	registry.Refresh(kept, registry.Build([]evidence.Finding{later, seen("prod/new", "new", "list", evidence.Reader)}, []evidence.Coverage{{Source: evidence.SourceAudit, Read: 9}}), evidence.SourceAudit)
	want := []string{
		"serviceaccount/prod/new reader proven audit", "workload/Deployment/prod/sync reader proven audit+rbac", "application/lonely reader likely go",
	}
	if d := cmp.Diff(want, summary(kept)); d != "" {
		t.Error(d)
	}
	if kept.Entries[1].Verbs["watch"] != 7 || kept.Entries[1].Workload.Name != "sync" {
		t.Errorf("%+v", kept.Entries[1])
	}
	if d := cmp.Diff([]evidence.Coverage{{Source: evidence.SourceRBAC, Read: 5}, {Source: evidence.SourceAudit, Read: 9}}, kept.Coverage); d != "" {
		t.Error(d)
	}
}

func TestAMisspelledFieldIsAnErrorAndNothingIsWritten(t *testing.T) {
	if _, err := registry.Parse([]byte("apiVersion: slicewright.dev/v1alpha1\nkind: ConsumerRegistry\nentries:\n- key: a\n  onwer: x\n")); err == nil || !strings.Contains(err.Error(), "onwer") {
		t.Errorf("error %v, want the field named", err)
	}
	if _, err := registry.Parse([]byte("kind: List\n")); err == nil {
		t.Error("another kind was read as a registry")
	}
}

func TestTheRecordedLogBecomesARegistry(t *testing.T) {
	result := audit.Scan(t.Context(), []string{"../audit/testdata/real.jsonl"}, nil, audit.Options{})
	r := registry.Build(result.Findings, []evidence.Coverage{result.Coverage})
	want := []string{
		"serviceaccount/prod/upstream-sync reader proven audit",
		"serviceaccount/prod/nosy reader likely audit",
		"user/admin/kubectl#tooling tooling proven audit",
		"user/system:apiserver/kube-apiserver#expected expected proven audit",
		"user/admin/kube-controller-manager#expected expected proven audit",
		"serviceaccount/kube-system/endpoint-controller#expected expected proven audit",
	}
	if d := cmp.Diff(want, summary(r)); d != "" {
		t.Error(d)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("apiVersion: slicewright.dev/v1alpha1\nkind: ConsumerRegistry\nentries: [{key: a, status: dual}]\n"))
	f.Fuzz(func(_ *testing.T, text []byte) {
		r, err := registry.Parse(text)
		if err != nil {
			return
		}
		now := registry.Build([]evidence.Finding{written("a", "a.go:1:1")}, nil)
		registry.Reconcile(now, r)
		registry.Judge(now, evidence.Broad, r)
	})
}
