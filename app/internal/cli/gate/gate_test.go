package gate

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/slicewright/slicewright/app/internal/cli/clitest"
	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/readiness"
)

// gateOf runs the command with -o json and returns its statuses by criterion.
func gateOf(t *testing.T, wantCode int, args ...string) map[string]readiness.Status {
	t.Helper()
	out, errs, code := run(t, "", append([]string{"gate", "-o", "json"}, args...)...)
	if code != wantCode {
		t.Fatalf("exit code %d, want %d: %s%s", code, wantCode, out, errs)
	}
	clitest.CheckSchema(t, "readinessverdict", out)
	var v readiness.Verdict
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatal(err)
	}
	all := map[string]readiness.Status{}
	for _, r := range v.Criteria {
		all[r.Name] = r.Status
	}
	return all
}

const gateHead = "apiVersion: slicewright.dev/v1alpha1\nkind: "

func TestGateTakesWhatTheOtherCommandsWrite(t *testing.T) {
	// Written by the command itself, of files: it agrees, and was not watched.
	comparison, _, _ := run(t, clitest.ShadowObjects("10.0.0.9"), "shadow", "-f", "-", "-o", "json")
	at := clitest.Folder(t, map[string]string{
		"shadow.json":   comparison,
		"registry.yaml": gateHead + "ConsumerRegistry\nentries: []\ncoverage: [{source: audit, read: 3, skipped: 0}, {source: rbac, read: 1, skipped: 0}, {source: object, read: 1, skipped: 0}]\n",
		"experiment.yaml": gateHead + "ExperimentReport\nname: cold\nstarted: 2026-01-01T00:00:00Z\nfinished: " + time.Now().UTC().Format(time.RFC3339) +
			"\nkubernetes: v1.37.2\nconsumer: {name: router}\nchecks: [{name: cold-start, result: passed, evidence: [It was.]}]\n",
		"criteria.yaml": gateHead + "ReadinessCriteria\ncriteria: [{name: search, check: search-complete, sources: [audit]}, {name: cold, check: experiment-checks, checks: [cold-start]}]\n",
	})
	got := gateOf(t, command.ExitFinding, "--registry", at("registry.yaml"), "--shadow", at("shadow.json"))
	for name, want := range map[string]readiness.Status{
		"search-complete": readiness.Met, "consumers-owned": readiness.Met, "sources-agree": readiness.NotMet, "audit-window": readiness.Unknown, "stop-experiment": readiness.Unknown,
	} {
		if got[name] != want {
			t.Errorf("%s is %s, want %s", name, got[name], want)
		}
	}
	// The registry has nobody whom the report could be about.
	got = gateOf(t, command.ExitUnknown, "--registry", at("registry.yaml"), "--experiment", at("experiment.yaml"), "--criteria", at("criteria.yaml"))
	if diff := cmp.Diff(map[string]readiness.Status{"search": readiness.Met, "cold": readiness.Unknown}, got); diff != "" {
		t.Errorf("criteria of the file, -want +got:\n%s", diff)
	}
	gateOf(t, command.ExitUnknown)
}

func TestGateWritesAPage(t *testing.T) {
	out, errs, code := run(t, "", "gate", "-o", "html")
	if code != command.ExitUnknown || !strings.HasPrefix(out, "<!doctype html>") || !strings.Contains(out, "There is no audit log.") {
		t.Errorf("exit code %d: %s%.200s", code, errs, out)
	}
}

func TestGateReadsAnAuditLog(t *testing.T) {
	at := clitest.Folder(t, map[string]string{"audit.log": `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"1","stage":"ResponseComplete","requestURI":"/api/v1/endpoints","verb":"list","user":{"username":"system:serviceaccount:shop:router"},"userAgent":"router/1","objectRef":{"resource":"endpoints","apiVersion":"v1"},"responseStatus":{"code":200},"requestReceivedTimestamp":"2026-05-01T00:00:00.000000Z","stageTimestamp":"2026-05-01T00:00:01.000000Z"}` + "\n"})
	if got := gateOf(t, command.ExitFinding, "--audit", at("audit.log")); got["no-unexpected-identity"] != readiness.NotMet || got["audit-window"] != readiness.Unknown {
		t.Errorf("%v", got)
	}
}

func TestGateWithAWaiver(t *testing.T) {
	criteria := gateHead + "ReadinessCriteria\ncriteria: [{name: search, check: search-complete, sources: [audit]}]\nwaivers: [{criterion: search, by: Ada, reason: no audit log, expires: \"DATE\"}]\n"
	at := clitest.Folder(t, map[string]string{
		"valid.yaml":   strings.Replace(criteria, "DATE", time.Now().UTC().AddDate(0, 0, 1).Format(time.DateOnly), 1),
		"expired.yaml": strings.Replace(criteria, "DATE", "2020-01-01", 1),
		"broken.yaml":  strings.Replace(criteria, "by: Ada, ", "", 1),
	})
	gateOf(t, command.ExitHolds, "--criteria", at("valid.yaml"))
	gateOf(t, command.ExitUnknown, "--criteria", at("expired.yaml"))
	if out, _, _ := run(t, "", "gate", "--criteria", at("expired.yaml")); !strings.Contains(out, "A waiver by Ada expired after 2020-01-01 and does not count") {
		t.Errorf("%s", out)
	}
	if _, errs, code := run(t, "", "gate", "--criteria", at("broken.yaml")); code != command.ExitUsage || !strings.Contains(errs, "by is missing") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

// What was named and cannot be read is no missing evidence.
func TestGateRefusesWhatItCannotRead(t *testing.T) {
	at := clitest.Folder(t, map[string]string{
		"old.yaml":  "apiVersion: slicewright.dev/v9\nkind: ConsumerRegistry\n",
		"text.json": "{",
		"two.yaml":  gateHead + "ExperimentReport\n---\n" + gateHead + "ExperimentReport\n",
	})
	for _, args := range [][]string{
		{"--registry", at("old.yaml")},
		{"--registry", at("absent.yaml")},
		{"--shadow", at("text.json")},
		{"--experiment", at("text.json")},
		{"--experiment", at("two.yaml")},
		{"--timeline", at("absent.db")},
	} {
		if out, errs, code := run(t, "", append([]string{"gate"}, args...)...); code != command.ExitFailed || errs == "" || out != "" {
			t.Errorf("%v: exit code %d: %s%s", args, code, out, errs)
		}
	}
	if _, _, code := run(t, "", "gate", "-o", "pdf"); code != command.ExitUsage {
		t.Errorf("an unknown output: exit code %d", code)
	}
}

func TestAPodIsKnownByItsWorkload(t *testing.T) {
	controlled := func(kind, name, hash string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
			Namespace: "shop", Name: "pod", Labels: map[string]string{"pod-template-hash": hash},
			OwnerReferences: []metav1.OwnerReference{{Kind: kind, Name: name, Controller: ptr.To(true)}},
		}}
	}
	for _, c := range []struct {
		pod  *corev1.Pod
		want evidence.Workload
	}{
		{controlled("ReplicaSet", "router-5d8f", "5d8f"), evidence.Workload{Kind: "Deployment", Namespace: "shop", Name: "router"}},
		{controlled("ReplicaSet", "router-5d8f", ""), evidence.Workload{Kind: "ReplicaSet", Namespace: "shop", Name: "router-5d8f"}},
		{controlled("Job", "report-29012345", ""), evidence.Workload{Kind: "CronJob", Namespace: "shop", Name: "report"}},
		{controlled("Job", "import-1", ""), evidence.Workload{Kind: "Job", Namespace: "shop", Name: "import-1"}},
		{controlled("DaemonSet", "agent", ""), evidence.Workload{Kind: "DaemonSet", Namespace: "shop", Name: "agent"}},
		{&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "alone"}}, evidence.Workload{Kind: "Pod", Namespace: "shop", Name: "alone"}},
	} {
		if got := podWorkload(c.pod); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.pod.OwnerReferences, got, c.want)
		}
	}
}

func TestGateReadsTheCluster(t *testing.T) {
	at := metav1.NewTime(time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC))
	meta := func(namespace, name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: namespace, Name: name}
	}
	routerMeta := meta("shop", "router-5d8f-x")
	routerMeta.Labels = map[string]string{"pod-template-hash": "5d8f"}
	routerMeta.OwnerReferences = []metav1.OwnerReference{{Kind: "ReplicaSet", Name: "router-5d8f", Controller: ptr.To(true)}}
	client := fake.NewClientset(
		&corev1.Pod{ObjectMeta: routerMeta, Spec: corev1.PodSpec{ServiceAccountName: "router"}, Status: corev1.PodStatus{
			ContainerStatuses: []corev1.ContainerStatus{{
				Image: "router:1", ImageID: "registry.example.com/router@sha256:1", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at}},
			}},
		}},
		&corev1.Pod{ObjectMeta: meta("shop", "ended"), Status: corev1.PodStatus{Phase: corev1.PodSucceeded}},
		&coordinationv1.Lease{ObjectMeta: meta("shop", "router"), Spec: coordinationv1.LeaseSpec{HolderIdentity: ptr.To("r"), AcquireTime: &metav1.MicroTime{Time: at.Time}}},
		&coordinationv1.Lease{ObjectMeta: meta("kube-node-lease", "n1"), Spec: coordinationv1.LeaseSpec{HolderIdentity: ptr.To("n1")}},
		&batchv1.CronJob{ObjectMeta: meta("shop", "report"), Spec: batchv1.CronJobSpec{Schedule: "0 3 * * *", Suspend: ptr.To(true)}, Status: batchv1.CronJobStatus{LastScheduleTime: &at}},
	)
	c := listGateCluster(t.Context(), client)
	if len(c.Pods) != 1 || c.Pods[0].Images[0].Digest != "sha256:1" || !c.Pods[0].Started.Equal(at.Time) || c.Pods[0].ServiceAccount != "router" {
		t.Errorf("Pods: %+v", c.Pods)
	}
	if want := (evidence.Workload{Kind: "Deployment", Namespace: "shop", Name: "router"}); c.Pods[0].Workload != want {
		t.Errorf("workload: %+v, want %+v", c.Pods[0].Workload, want)
	}
	if version, err := client.Discovery().ServerVersion(); err != nil || c.Kubernetes != version.GitVersion || c.Kubernetes == "" {
		t.Errorf("version: %q, want %v (%v)", c.Kubernetes, version, err)
	}
	if len(c.Leases) != 1 || c.Leases[0].Name != "router" || !c.Leases[0].Acquired.Equal(at.Time) {
		t.Errorf("Leases: %+v", c.Leases)
	}
	if len(c.CronJobs) != 1 || !c.CronJobs[0].Suspended || !c.CronJobs[0].LastScheduled.Equal(at.Time) {
		t.Errorf("CronJobs: %+v", c.CronJobs)
	}
	client.PrependReactor("list", "cronjobs", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(schema.GroupResource{Group: "batch", Resource: "cronjobs"}, "", nil)
	})
	if c := listGateCluster(t.Context(), client); c.Unread["cronjobs.batch"] == "" || len(c.Unread) != 1 || len(c.Pods) != 1 {
		t.Errorf("unread: %v", c.Unread)
	}
}
