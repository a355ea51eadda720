package experiment

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/slicewright/slicewright/app/internal/cli/clitest"
	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/readiness/experiment"
)

// planOf runs the command with -o json and checks what it prints.
func planOf(t *testing.T, stdin string, wantCode int, args ...string) *experiment.Plan {
	t.Helper()
	out, errs, code := run(t, stdin, append([]string{"experiment", "plan", "-o", "json"}, args...)...)
	if code != wantCode {
		t.Fatalf("exit code %d, want %d: %s%s", code, wantCode, errs, out)
	}
	clitest.CheckSchema(t, "experimentplan", out)
	var p experiment.Plan
	if err := json.Unmarshal([]byte(out), &p); err != nil {
		t.Fatal(err)
	}
	return &p
}

func experimentFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../readiness/experiment/testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The command reads files, and leaves them and their folder as they were.
func TestExperimentPlanChangesNoFile(t *testing.T) {
	files := map[string]string{"kcm.yaml": experimentFile(t, "kube-controller-manager.yaml"), "kubeadm.yaml": experimentFile(t, "clusterconfiguration.yaml")}
	at := clitest.Folder(t, files)
	before, err := os.Stat(at("kcm.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	p := planOf(t, "", command.ExitHolds, "--from-manifest", at("kcm.yaml"), "--kubeadm-config", at("kubeadm.yaml"))
	if p.Controllers != "*,bootstrapsigner,tokencleaner,-endpoints-controller" || len(p.Edits) != 2 || p.Edits[0].Line != 17 {
		t.Errorf("%q %+v", p.Controllers, p.Edits)
	}
	if q := planOf(t, files["kcm.yaml"], command.ExitHolds, "--from-manifest", "-"); q.Edits[0].Diff != strings.ReplaceAll(p.Edits[0].Diff, "kcm.yaml", "stdin") {
		t.Errorf("from stdin: %+v", q.Edits)
	}
	entries, err := os.ReadDir(filepath.Dir(at("kcm.yaml")))
	if err != nil || len(entries) != len(files) {
		t.Errorf("%v %v", entries, err)
	}
	for name, text := range files {
		if now, err := os.ReadFile(at(name)); err != nil || string(now) != text {
			t.Errorf("%s was changed: %v", name, err)
		}
	}
	if after, err := os.Stat(at("kcm.yaml")); err != nil || !after.ModTime().Equal(before.ModTime()) || !os.SameFile(before, after) {
		t.Errorf("the file was written: %v", err)
	}
}

func TestExperimentPlanRefuses(t *testing.T) {
	at := clitest.Folder(t, map[string]string{"deployment.yaml": "apiVersion: apps/v1\nkind: Deployment\n", "text": "["})
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{command.ExitUsage, "unknown output", []string{"-o", "pdf"}},
		{command.ExitUsage, "stdin can be read once", []string{"--from-manifest", "-", "--kubeadm-config", "-"}},
		{command.ExitUsage, "write NAMESPACE/NAME", []string{"--service", "a b"}},
		{command.ExitUsage, "", []string{"argument"}},
		{command.ExitFailed, `is a "Deployment"`, []string{"--from-manifest", at("deployment.yaml")}},
		{command.ExitFailed, "is no YAML", []string{"--from-manifest", at("text")}},
		{command.ExitFailed, "no such file", []string{"--from-manifest", at("absent.yaml")}},
		{command.ExitFailed, "no document of kind ClusterConfiguration", []string{"--kubeadm-config", at("deployment.yaml")}},
	} {
		out, errs, code := run(t, "", append([]string{"experiment", "plan"}, c.args...)...)
		if code != c.code || !strings.Contains(errs, c.says) || out != "" {
			t.Errorf("%v: exit code %d: %s%s", c.args, code, errs, out)
		}
	}
}

// A planServer is an API server that lists and gets, and notes every request.
type planServer struct {
	*httptest.Server
	answers map[string]string // by path; what is not there is not found
	refused string            // part of a path that is answered with 403

	mu    sync.Mutex
	asked []string
}

func newPlanServer(t *testing.T, answers map[string]string) *planServer {
	s := &planServer{answers: answers}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *planServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, r.Method+" "+r.URL.Path)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	status := func(code int, reason string) {
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"apiVersion":"v1","kind":"Status","status":"Failure","reason":%q,"code":%d,"message":"not for you"}`, reason, code)
	}
	answer, ok := s.answers[r.URL.Path]
	switch {
	case s.refused != "" && strings.Contains(r.URL.Path, s.refused):
		status(http.StatusForbidden, "Forbidden")
	case !ok:
		status(http.StatusNotFound, "NotFound")
	default:
		fmt.Fprint(w, answer)
	}
}

const system = "/api/v1/namespaces/kube-system"

func kubeadmCluster(t *testing.T) map[string]string {
	pod := func(node, controllers string) string {
		return fmt.Sprintf(`{"metadata":{"name":"kube-controller-manager-%s","namespace":"kube-system"},"spec":{"nodeName":%q,"containers":[{"name":"kube-controller-manager","image":"kube-controller-manager:v1.37.2","command":["kube-controller-manager","--controllers=%s"]}]}}`, node, node, controllers)
	}
	config, err := json.Marshal(experimentFile(t, "clusterconfiguration.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"/version":       `{"major":"1","minor":"37","gitVersion":"v1.37.2"}`,
		system + "/pods": `{"apiVersion":"v1","kind":"PodList","metadata":{},"items":[` + pod("cp-1", "*,bootstrapsigner,tokencleaner") + "," + pod("cp-2", "*,bootstrapsigner,tokencleaner") + `]}`,
		"/api/v1/nodes":  `{"apiVersion":"v1","kind":"NodeList","metadata":{},"items":[{"metadata":{"name":"cp-1","labels":{"kubernetes.io/os":"linux"}}}]}`,
		"/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager": `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"kube-controller-manager"},"spec":{"holderIdentity":"cp-1_1"}}`,
		system + "/configmaps/kubeadm-config":                                                `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"kubeadm-config"},"data":{"ClusterConfiguration":` + string(config) + `}}`,
		"/api/v1/services":                                                                   `{"apiVersion":"v1","kind":"ServiceList","metadata":{"remainingItemCount":41},"items":[{"metadata":{"name":"a","namespace":"b"}}]}`,
	}
}

// Whatever the plan says, the command gets and lists, and nothing else.
func TestExperimentPlanOfAClusterChangesNothing(t *testing.T) {
	s := newPlanServer(t, kubeadmCluster(t))
	p := planOf(t, "", command.ExitHolds, "--cluster", "--server", s.URL)
	var steps []string
	for _, step := range p.Steps {
		steps = append(steps, step.Name)
	}
	if i := slices.Index(steps, "stop-cp-2"); i < 0 || steps[i+1] != "stop-cp-1" {
		t.Errorf("steps %v", steps)
	}
	if p.Kubernetes != "v1.37.2" || p.Controllers != "*,bootstrapsigner,tokencleaner,-endpoints-controller" || len(p.Edits) != 1 || len(p.Notes) != 0 {
		t.Errorf("%s %s %+v %q", p.Kubernetes, p.Controllers, p.Edits, p.Notes)
	}
	if len(s.asked) != len(s.answers) {
		t.Errorf("asked %v", s.asked)
	}
	for _, request := range s.asked {
		if !strings.HasPrefix(request, "GET ") {
			t.Errorf("it asked %s", request)
		}
	}
}

func TestExperimentPlanOfClustersThatShowLess(t *testing.T) {
	// Managed: a finding.
	s := newPlanServer(t, map[string]string{"/version": `{"gitVersion":"v1.33.1-eks-ba24e9c"}`, system + "/pods": `{"apiVersion":"v1","kind":"PodList","items":[]}`})
	if p := planOf(t, "", command.ExitFinding, "--cluster", "--server", s.URL); p.Possible || len(p.Steps) > 0 {
		t.Errorf("%+v", p)
	}
	// Pods may not be seen: not known, and the plan is that for any.
	s = newPlanServer(t, kubeadmCluster(t))
	s.refused = "/pods"
	if p := planOf(t, "", command.ExitUnknown, "--cluster", "--server", s.URL); p.Known || !strings.Contains(strings.Join(p.Notes, " "), "Not read: Pods in kube-system") || len(p.Steps) == 0 {
		t.Errorf("%+v", p)
	}
	// The manifest says what the Pods do not.
	if p := planOf(t, experimentFile(t, "kube-controller-manager.yaml"), command.ExitHolds, "--cluster", "--server", s.URL, "--from-manifest", "-"); !p.Known {
		t.Errorf("%+v", p)
	}
	// Nobody there is an error, not a plan.
	s.Close()
	if out, errs, code := run(t, "", "experiment", "plan", "--cluster", "--server", s.URL); code != command.ExitFailed || errs == "" || out != "" {
		t.Errorf("exit code %d: %s%s", code, errs, out)
	}
}
