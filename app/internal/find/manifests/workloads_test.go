package manifests

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/app/internal/find/objects"
)

// Every kind with a Pod template says what runs, as whom, and why nothing does.
func TestWorkloadsSayWhatTheyRunAndWhyNot(t *testing.T) {
	const template = `template: {spec: {serviceAccountName: a, initContainers: [{name: i, image: "i:1"}], containers: [{name: c, image: "c@sha256:ab"}]}}`
	for _, test := range []struct {
		apiVersion, kind, spec, more string
		idle                         string
	}{
		{"apps/v1", "Deployment", template, "", ""},
		{"apps/v1", "Deployment", "replicas: 0, " + template, "", "scaled to zero"},
		{"extensions/v1beta1", "Deployment", "replicas: 1, " + template, "", ""},
		{"apps/v1", "StatefulSet", "replicas: 0, " + template, "", "scaled to zero"},
		{"apps/v1", "DaemonSet", template, "", ""},
		{"apps/v1", "ReplicaSet", "replicas: 0, " + template, "", "scaled to zero"},
		{"v1", "ReplicationController", "replicas: 0, " + template, "", "scaled to zero"},
		{"batch/v1", "Job", template, "", ""},
		{"batch/v1", "Job", "suspend: true, " + template, "", "suspended"},
		{"batch/v1", "Job", template, `status: {completionTime: "2026-01-02T03:04:05Z"}`, "finished"},
		{"batch/v1", "CronJob", "jobTemplate: {spec: {" + template + "}}", "", ""},
		{"batch/v1beta1", "CronJob", "suspend: true, jobTemplate: {spec: {" + template + "}}", "", "suspended"},
	} {
		t.Run(strings.TrimSpace(test.kind+" "+test.idle), func(t *testing.T) {
			snapshot, coverage := read(t, Options{}, "a.yaml",
				fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata: {name: x, namespace: n}\nspec: {%s}\n%s", test.apiVersion, test.kind, test.spec, test.more))
			if len(snapshot.Workloads) != 1 {
				t.Fatalf("%d workloads, problems %q", len(snapshot.Workloads), problems(coverage))
			}
			w := snapshot.Workloads[0]
			if w.Idle != test.idle || w.Kind != test.kind {
				t.Errorf("%s is idle because %q, want %q", w.Ref, w.Idle, test.idle)
			}
			if diff := cmp.Diff(&objects.PodSpec{
				ServiceAccount: "a",
				Containers:     []objects.Container{{Name: "i", Image: "i:1"}, {Name: "c", Image: "c@sha256:ab", Digest: "sha256:ab"}},
			}, w.Template); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAPodRunsAsDefaultUnlessItSaysOtherwise(t *testing.T) {
	for spec, want := range map[string]string{
		"{}": "default", "{serviceAccount: old}": "old", "{serviceAccountName: new, serviceAccount: old}": "new",
	} {
		snapshot, _ := read(t, Options{}, "a.yaml", "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: "+spec+"}")
		if got := snapshot.Pods[0].Spec.ServiceAccount; got != want {
			t.Errorf("%s runs as %q, want %q", spec, got, want)
		}
	}
}

func TestOnlyATokenForTheAPIServerThatThePodAskedForIsItsOwn(t *testing.T) {
	for name, test := range map[string]struct {
		volume string
		want   bool
	}{
		"asked for":          {"{name: token, projected: {sources: [{serviceAccountToken: {path: t}}]}}", true},
		"for somebody else":  {"{name: token, projected: {sources: [{serviceAccountToken: {path: t, audience: vault}}]}}", false},
		"by the API server":  {"{name: kube-api-access-x1, projected: {sources: [{serviceAccountToken: {path: t}}]}}", false},
		"another projection": {"{name: x, projected: {sources: [{configMap: {name: c}}]}}", false},
	} {
		t.Run(name, func(t *testing.T) {
			snapshot, _ := read(t, Options{}, "a.yaml", "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {volumes: ["+test.volume+"]}}")
			if got := snapshot.Pods[0].Spec.OwnToken; got != test.want {
				t.Errorf("own token %t, want %t", got, test.want)
			}
		})
	}
}
