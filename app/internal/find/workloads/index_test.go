package workloads

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/objects"
)

func ref(kind, name string) objects.Ref {
	return objects.Ref{Kind: kind, Namespace: "n", Name: name}
}

func spec(account, image, digest string) objects.PodSpec {
	return objects.PodSpec{ServiceAccount: account, Containers: []objects.Container{{Name: "c", Image: image, Digest: digest}}}
}

func workload(kind, name, account string, controller objects.Ref) objects.Workload {
	w := objects.Workload{Ref: ref(kind, name), Controller: controller}
	if account != "" {
		template := spec(account, name+":1", "")
		w.Template = &template
	}
	return w
}

func pod(name, account, digest string, controller objects.Ref) objects.Pod {
	return objects.Pod{Ref: ref("Pod", name), Controller: controller, Spec: spec(account, "web:1", digest)}
}

func TestTheOwnerIsTheObjectThatAPersonWrote(t *testing.T) {
	none := objects.Ref{}
	for _, test := range []struct {
		name    string
		objects objects.Snapshot
		want    objects.Ref
	}{
		{"an unowned Pod", objects.Snapshot{Pods: []objects.Pod{pod("p", "a", "", none)}}, ref("Pod", "p")},
		{
			"Pod, ReplicaSet, Deployment", objects.Snapshot{
				Pods:      []objects.Pod{pod("p", "a", "", ref("ReplicaSet", "web-1"))},
				Workloads: []objects.Workload{workload("ReplicaSet", "web-1", "", ref("Deployment", "web"))},
			}, ref("Deployment", "web"),
		},
		{
			"an unowned ReplicaSet", objects.Snapshot{
				Pods:      []objects.Pod{pod("p", "a", "", ref("ReplicaSet", "web"))},
				Workloads: []objects.Workload{workload("ReplicaSet", "web", "a", none)},
			}, ref("ReplicaSet", "web"),
		},
		{
			"Pod, Job, CronJob", objects.Snapshot{
				Pods:      []objects.Pod{pod("p", "a", "", ref("Job", "j-1"))},
				Workloads: []objects.Workload{workload("Job", "j-1", "a", ref("CronJob", "j"))},
			}, ref("CronJob", "j"),
		},
		{
			"a Job that was not read, of a CronJob that was", objects.Snapshot{
				Pods:      []objects.Pod{pod("p", "a", "", ref("Job", "j-28301234"))},
				Workloads: []objects.Workload{workload("CronJob", "j", "a", none)},
			}, ref("CronJob", "j"),
		},
		{
			"a Job that was not read, of no CronJob", objects.Snapshot{
				Pods: []objects.Pod{pod("p", "a", "", ref("Job", "migrate-7"))},
			}, ref("Job", "migrate-7"),
		},
		{
			"a StatefulSet that an operator made", objects.Snapshot{
				Pods:      []objects.Pod{pod("p", "a", "", ref("StatefulSet", "db"))},
				Workloads: []objects.Workload{workload("StatefulSet", "db", "a", ref("Database", "main"))},
			}, ref("StatefulSet", "db"),
		},
		{
			"a ReplicaSet that a rollout made", objects.Snapshot{
				Pods:      []objects.Pod{pod("p", "a", "", ref("ReplicaSet", "web-1"))},
				Workloads: []objects.Workload{workload("ReplicaSet", "web-1", "", ref("Rollout", "web"))},
			}, ref("Rollout", "web"),
		},
		{
			"a Pod that an operator made", objects.Snapshot{
				Pods: []objects.Pod{pod("p", "a", "", ref("Workflow", "w"))},
			}, ref("Workflow", "w"),
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := New(&test.objects).ByPod("n", "p")
			if w == nil {
				t.Fatal("the Pod is in no workload")
			}
			if diff := cmp.Diff(evidence.Workload{Kind: test.want.Kind, Namespace: "n", Name: test.want.Name}, w.Workload); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestOwnersInARingEnd(t *testing.T) {
	ix := New(&objects.Snapshot{
		Pods: []objects.Pod{pod("p", "a", "", ref("Job", "x"))},
		Workloads: []objects.Workload{
			workload("Job", "x", "", ref("ReplicaSet", "y")), workload("ReplicaSet", "y", "", ref("Job", "x")),
		},
	})
	if ix.ByPod("n", "p") == nil {
		t.Error("the Pod is in no workload")
	}
}

func TestAWorkloadWhoseAccountWasChangedIsThereUnderBoth(t *testing.T) {
	ix := New(&objects.Snapshot{
		Pods:      []objects.Pod{pod("p", "old", "", ref("StatefulSet", "web"))},
		Workloads: []objects.Workload{workload("StatefulSet", "web", "new", objects.Ref{})},
	})
	for _, account := range []string{"old", "new"} {
		if got := ix.Of(Account{"n", account}); len(got) != 1 || got[0].Name != "web" {
			t.Errorf("under %s: %v, want web", account, got)
		}
	}
	if got := ix.ByPod("n", "p").Account.Name; got != "old" {
		t.Errorf("the Pod runs as %s, want old", got)
	}
}

func TestImagesAreThoseThatRunAndThoseThatWill(t *testing.T) {
	none := objects.Ref{}
	s := &objects.Snapshot{
		Workloads: []objects.Workload{workload("StatefulSet", "web", "a", none)},
		Pods: []objects.Pod{
			pod("p0", "a", "sha256:bb", ref("StatefulSet", "web")),
			pod("p1", "a", "sha256:aa", ref("StatefulSet", "web")),
			pod("p2", "a", "", ref("StatefulSet", "web")), // not started yet
		},
	}
	s.Workloads[0].Template.Containers = append(s.Workloads[0].Template.Containers, objects.Container{Name: "next", Image: "next:2"})
	got := New(s).Of(Account{"n", "a"})[0]
	if diff := cmp.Diff([]evidence.Image{
		{Image: "next:2"}, {Image: "web:1", Digest: "sha256:aa"}, {Image: "web:1", Digest: "sha256:bb"},
	}, got.Images); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got.PodCount != 3 {
		t.Errorf("%d Pods, want 3", got.PodCount)
	}
}

func TestATokenIsMountedAsThePodSaysThenAsTheAccountSays(t *testing.T) {
	yes, no := true, false
	for _, test := range []struct {
		name         string
		account, pod *bool
		own, want    bool
	}{
		{"nobody says", nil, nil, false, true},
		{"the account says no", &no, nil, false, false},
		{"the Pod says yes", &no, &yes, false, true},
		{"the Pod says no", &yes, &no, false, false},
		{"the Pod brings a volume", &no, &no, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := pod("p", "a", "", objects.Ref{})
			p.Spec.Automount, p.Spec.OwnToken = test.pod, test.own
			ix := New(&objects.Snapshot{
				Pods:            []objects.Pod{p},
				ServiceAccounts: []objects.ServiceAccount{{Ref: ref("ServiceAccount", "a"), Automount: test.account}},
			})
			if got := ix.ByPod("n", "p").Token; got != test.want {
				t.Errorf("token %t, want %t", got, test.want)
			}
		})
	}
}

func TestNamesAreProposedFromLabels(t *testing.T) {
	for _, test := range []struct {
		name                       string
		labels, annotations        map[string]string
		wantApplication, wantOwner string
	}{
		{"nothing", nil, nil, "web", ""},
		{"the recommended label before others", map[string]string{"app": "b", "app.kubernetes.io/name": "a", "k8s-app": "c"}, nil, "a", ""},
		{"part of is the last resort", map[string]string{"app.kubernetes.io/part-of": "shop"}, nil, "web", "shop"},
		{"a team", map[string]string{"example.com/team": "edge", "app.kubernetes.io/part-of": "shop"}, nil, "web", "edge"},
		{"an owner before a team", map[string]string{"team": "edge"}, map[string]string{"a8r.io/owner": "@sally"}, "web", "@sally"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := workload("Deployment", "web", "a", objects.Ref{})
			w.Labels, w.Annotations = test.labels, test.annotations
			got := New(&objects.Snapshot{Workloads: []objects.Workload{w}}).Of(Account{"n", "a"})[0]
			if got.Application != test.wantApplication || got.Owner != test.wantOwner {
				t.Errorf("%q of %q, want %q of %q", got.Application, got.Owner, test.wantApplication, test.wantOwner)
			}
		})
	}
}

// The order in which objects were read decides nothing.
func TestTheOrderOfObjectsDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := rapid.SampledFrom([]string{"ReplicaSet", "Job", "Deployment", "CronJob"})
		names := rapid.SampledFrom([]string{"a", "b", "a-1"})
		accounts := rapid.SampledFrom([]string{"x", "y"})
		controllers := rapid.Custom(func(t *rapid.T) objects.Ref {
			if rapid.Bool().Draw(t, "owned") {
				return ref(kinds.Draw(t, "kind"), names.Draw(t, "name"))
			}
			return objects.Ref{}
		})
		s := objects.Snapshot{}
		seen := make(map[objects.Ref]bool)
		for range rapid.IntRange(0, 6).Draw(t, "workloads") {
			w := workload(kinds.Draw(t, "kind"), names.Draw(t, "name"), accounts.Draw(t, "account"), controllers.Draw(t, "controller"))
			if !seen[w.Ref] {
				seen[w.Ref] = true
				s.Workloads = append(s.Workloads, w)
			}
		}
		for _, name := range []string{"p", "q", "r"} {
			s.Pods = append(s.Pods, pod(name, accounts.Draw(t, "account"), names.Draw(t, "digest"), controllers.Draw(t, "controller")))
		}
		shuffled := objects.Snapshot{
			Workloads: rapid.Permutation(s.Workloads).Draw(t, "workloads"),
			Pods:      rapid.Permutation(s.Pods).Draw(t, "pods"),
		}
		one, two := New(&s), New(&shuffled)
		for _, account := range one.Accounts() {
			if diff := cmp.Diff(one.Of(account), two.Of(account)); diff != "" {
				t.Fatalf("in another order (-want +got):\n%s", diff)
			}
		}
	})
}
