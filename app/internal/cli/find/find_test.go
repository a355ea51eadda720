package find

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/slicewright/slicewright/app/internal/cli/clitest"
	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/registry"
	"github.com/slicewright/slicewright/app/internal/find/registry/registryfile"
)

const (
	realLog     = "../../find/audit/testdata/real.jsonl"
	realMetrics = "../../find/apimetrics/testdata/real.txt"
)

// findResult is what a run of find left.
type findResult struct {
	code        int
	out, errors string
}

func runFind(t *testing.T, stdin string, args ...string) findResult {
	t.Helper()
	out, errs, code := run(t, stdin, append([]string{"find"}, args...)...)
	return findResult{code, out, errs}
}

func TestFindNamesTheOneReaderOfARecordedCluster(t *testing.T) {
	got := runFind(t, "", "--audit", realLog, "--metrics", realMetrics, "-o", "json")
	if got.code != command.ExitHolds {
		t.Fatalf("exit %d: %s", got.code, got.errors)
	}
	clitest.CheckSchema(t, "consumerregistry", got.out)
	var r registry.Registry
	if err := json.Unmarshal([]byte(got.out), &r); err != nil {
		t.Fatal(err)
	}
	consumers := make(map[string]evidence.Confidence)
	for _, e := range r.Entries {
		if e.Consumer() {
			consumers[e.ServiceAccount] = e.Confidence
		}
	}
	if len(consumers) != 2 || consumers["prod/upstream-sync"] != evidence.Proven || consumers["prod/nosy"] != evidence.Likely {
		t.Errorf("consumers %v", consumers)
	}
	if r.CrossCheck.LiveWatches != 2 || r.CrossCheck.ExplainedWatches != 2 {
		t.Errorf("cross-check %+v", r.CrossCheck)
	}
}

// The grant and the workload of the recorded reader, as they would be dumped.
const syncManifests = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: ep-reader, namespace: prod}
rules:
- apiGroups: [""]
  resources: [endpoints]
  verbs: [get, list, watch]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: upstream-sync, namespace: prod}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: ep-reader}
subjects: [{kind: ServiceAccount, name: upstream-sync, namespace: prod}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: upstream-sync, namespace: prod, labels: {app.kubernetes.io/name: upstream-sync}}
spec:
  selector: {matchLabels: {app: upstream-sync}}
  template:
    metadata: {labels: {app: upstream-sync}}
    spec:
      serviceAccountName: upstream-sync
      containers: [{name: main, image: "registry.example/upstream-sync:0.9.1"}]
`

func TestFindJoinsSourceManifestsAndLogIntoOneEntry(t *testing.T) {
	dir := t.TempDir()
	source := filepath.Join(dir, "upstream-sync")
	if err := os.MkdirAll(source, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) string {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	write(filepath.Join(source, "sync.sh"), "#!/bin/sh\nkubectl get endpoints -n prod -o json\n")
	write(filepath.Join(source, "CODEOWNERS"), "* @edge-team\n")
	manifests := write(filepath.Join(dir, "prod.yaml"), syncManifests)
	got := runFind(t, "", "--source", source, "--manifests", manifests, "--audit", realLog, "-o", "json")
	if got.code != command.ExitHolds {
		t.Fatalf("exit %d: %s", got.code, got.errors)
	}
	clitest.CheckSchema(t, "consumerregistry", got.out)
	var r registry.Registry
	if err := json.Unmarshal([]byte(got.out), &r); err != nil {
		t.Fatal(err)
	}
	e := r.Entries[0]
	sources := make(map[evidence.Source]bool)
	for _, ev := range e.Evidence {
		sources[ev.Source] = true
	}
	if e.Key != "workload/Deployment/prod/upstream-sync" || !sources[evidence.SourceAudit] || !sources[evidence.SourceRBAC] || !sources[evidence.SourceText] {
		t.Errorf("the first entry is %s with evidence of %v", e.Key, sources)
	}
	if e.Owner != "@edge-team" || len(e.Images) != 1 || e.Verbs["watch"] != 2 || e.Confidence != evidence.Proven {
		t.Errorf("owner %q, images %v, verbs %v, %s", e.Owner, e.Images, e.Verbs, e.Confidence)
	}
	if len(r.Patches) != 1 || !strings.Contains(r.Patches[0].YAML, "endpointslices") {
		t.Errorf("patches %+v, want the rule that ep-reader lacks", r.Patches)
	}
}

func TestFindExitsByWhatItFoundAndSaw(t *testing.T) {
	empty := t.TempDir()
	policyOff := `{"kind":"Event","auditID":"a","stage":"ResponseComplete","verb":"list","user":{"username":"u"},"objectRef":{"resource":"pods"},"responseStatus":{"code":200},"stageTimestamp":"2026-11-30T02:12:00Z"}` + "\n"
	cases := map[string]struct {
		stdin string
		args  []string
		code  int
		says  string // on stderr
	}{
		"found":                          {"", []string{"--audit", realLog}, command.ExitHolds, ""},
		"found, and not wanted":          {"", []string{"--audit", realLog, "--fail-on", "proven"}, command.ExitFinding, "prod/upstream-sync"},
		"nothing is read":                {"", []string{"--audit", filepath.Join(empty, "none.log")}, command.ExitUnknown, "cannot be read"},
		"a log that cannot show them":    {policyOff, []string{"--audit", "-"}, command.ExitUnknown, "audit policy"},
		"no source":                      {"", nil, command.ExitUsage, "nothing to search"},
		"an unknown level":               {"", []string{"--audit", "-", "--fail-on", "sure"}, command.ExitUsage, "unknown level"},
		"an unknown format":              {"", []string{"--audit", "-", "-o", "xml"}, command.ExitUsage, "unknown output"},
		"stdin twice":                    {"", []string{"--audit", "-", "--metrics", "-"}, command.ExitUsage, "stdin can be read once"},
		"a baseline that is no registry": {"", []string{"--audit", realLog, "--baseline", realLog}, command.ExitFailed, "registry"},
		"an argument":                    {"", []string{"everything"}, command.ExitUsage, "unknown argument"},
		"metrics that cannot be read":    {"", []string{"--audit", realLog, "--metrics", filepath.Join(empty, "none")}, command.ExitHolds, ""},
		"a kubeconfig that is not there": {"", []string{"--cluster", "--kubeconfig", filepath.Join(empty, "none")}, command.ExitFailed, "kubeconfig"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := runFind(t, c.stdin, c.args...)
			if got.code != c.code || !strings.Contains(got.errors, c.says) {
				t.Errorf("exit %d, want %d; stderr %q, want %q", got.code, c.code, got.errors, c.says)
			}
		})
	}
}

func TestFindFailsOnlyOnWhatTheBaselineLacks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "registry.yaml")
	if got := runFind(t, "", "--audit", realLog, "--registry", file); got.code != command.ExitHolds {
		t.Fatalf("exit %d: %s", got.code, got.errors)
	}
	if got := runFind(t, "", "--audit", realLog, "--baseline", file, "--fail-on", "likely"); got.code != command.ExitHolds {
		t.Errorf("exit %d with all of it in the baseline: %s", got.code, got.errors)
	}
	r, err := registryfile.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	r.Entries = r.Entries[1:]
	if err := registryfile.Save(file, r); err != nil {
		t.Fatal(err)
	}
	if got := runFind(t, "", "--audit", realLog, "--baseline", file, "--fail-on", "likely"); got.code != command.ExitFinding || !strings.Contains(got.errors, "upstream-sync") {
		t.Errorf("exit %d without the reader in the baseline: %s", got.code, got.errors)
	}
}

func TestFindRefusesToWriteOverARegistryThatItCannotRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "registry.yaml")
	const text = "apiVersion: slicewright.dev/v1alpha1\nkind: ConsumerRegistry\nentries: [{key: a, onwer: me}]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got := runFind(t, "", "--audit", realLog, "--registry", file)
	after, err := os.ReadFile(file)
	if got.code != command.ExitFailed || err != nil || string(after) != text {
		t.Errorf("exit %d, the file is now %q", got.code, after)
	}
}

func TestAnAggregateGivesTheReaderToo(t *testing.T) {
	const table = "username,user_agent,verb,resource,api_group,namespace,code,requests,first_seen,last_seen\n" +
		"system:serviceaccount:prod:upstream-sync,upstream-sync/v0.9.1 (linux),watch,endpoints,,prod,200,1200,2026-11-01T00:00:00Z,2026-11-30T00:00:00Z\n" +
		"system:serviceaccount:prod:upstream-sync,upstream-sync/v0.9.1 (linux),list,endpointslices,discovery.k8s.io,prod,403,3,2026-11-01T00:00:00Z,2026-11-02T00:00:00Z\n" +
		"system:serviceaccount:kube-system:endpoint-controller,kube-controller-manager/v1.37.2,update,endpoints,,prod,200,9,,\n" +
		"bad,row,get,endpoints,,prod,200,many,,\n"
	got := runFind(t, table, "--audit-aggregate", "-", "-o", "json")
	if got.code != command.ExitHolds {
		t.Fatalf("exit %d: %s", got.code, got.errors)
	}
	var r registry.Registry
	if err := json.Unmarshal([]byte(got.out), &r); err != nil {
		t.Fatal(err)
	}
	if e := r.Entries[0]; e.ServiceAccount != "prod/upstream-sync" || e.Verbs["watch"] != 1200 || e.Confidence != evidence.Proven {
		t.Errorf("%+v", e)
	}
	if c := r.Coverage[0]; c.Read != 3 || c.Skipped != 1 || len(c.Problems) != 1 {
		t.Errorf("coverage %+v, want the row without a number reported", c)
	}
}

func TestAuditPolicyCheckAndAdd(t *testing.T) {
	file := filepath.Join(t.TempDir(), "policy.yaml")
	const policy = "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n# reads are loud\n- level: None\n  verbs: [get, list, watch]\n- level: Metadata\n"
	if err := os.WriteFile(file, []byte(policy), 0o600); err != nil {
		t.Fatal(err)
	}
	got := runFind(t, "", "audit-policy", "check", file)
	if got.code != command.ExitFinding || !strings.Contains(got.out, "endpoints: rule 1 (line 5): level None hides it") {
		t.Errorf("exit %d\n%s", got.code, got.out)
	}
	got = runFind(t, "", "audit-policy", "check", file, "-o", "json")
	clitest.CheckSchema(t, "auditpolicyreport", got.out)

	got = runFind(t, "", "audit-policy", "add", file)
	if got.code != command.ExitHolds || !strings.HasSuffix(got.out, policy[strings.Index(policy, "# reads"):]) {
		t.Errorf("exit %d\n%s", got.code, got.out)
	}
	if now, _ := os.ReadFile(file); string(now) != policy {
		t.Error("add without --write changed the file")
	}
	if got = runFind(t, "", "audit-policy", "add", "--write", file); got.code != command.ExitHolds {
		t.Errorf("exit %d: %s", got.code, got.errors)
	}
	if got = runFind(t, "", "audit-policy", "check", file); got.code != command.ExitHolds {
		t.Errorf("exit %d after the rule was added\n%s", got.code, got.out)
	}
	if got = runFind(t, "kind: Pod\n", "audit-policy", "check", "-"); got.code != command.ExitFailed || !strings.Contains(got.errors, "no audit policy") {
		t.Errorf("exit %d: %s", got.code, got.errors)
	}
}

func TestServeTakesBatchesOverTLSAndKeepsTheRegistryCurrent(t *testing.T) {
	dir := t.TempDir()
	state, file := filepath.Join(dir, "state"), filepath.Join(dir, "registry.yaml")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var log clitest.Buffer
	done := make(chan int, 1)
	go func() {
		done <- program.Main(ctx, command.Streams{In: strings.NewReader(""), Out: io.Discard, Err: &log}, []string{
			"slicewright", "find", "serve", "--state", state, "--listen", "127.0.0.1:0", "--self-signed",
			"--metrics-address", "127.0.0.1:0", "--registry", file, "--interval", "100ms",
		})
	}()
	address := func(what string) string {
		t.Helper()
		re := regexp.MustCompile(what + `"? address=(\S+)`)
		for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			if m := re.FindStringSubmatch(log.String()); m != nil {
				return m[1]
			}
		}
		t.Fatalf("no address of the %s in the log: %s", what, log.String())
		return ""
	}
	webhook, metrics := address("audit webhook backend"), address("metrics")
	ca, err := os.ReadFile(filepath.Join(state, "tls.crt"))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}

	lines, err := os.ReadFile(realLog)
	if err != nil {
		t.Fatal(err)
	}
	list := `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[` + strings.ReplaceAll(strings.TrimSpace(string(lines)), "\n", ",") + `]}`
	resp, err := client.Post("https://"+webhook+"/audit", "application/json", strings.NewReader(list))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("the batch is answered %s", resp.Status)
	}
	get := func(path string) string {
		t.Helper()
		resp, err := client.Get("http://" + metrics + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if page := get("/metrics"); !strings.Contains(page, `slicewright_endpoints_requests_total{code="2xx",service_account="prod/upstream-sync",verb="watch"} 2`) {
		t.Errorf("the metrics lack the reader's watches:\n%s", page)
	}
	clitest.CheckSchema(t, "consumerregistry", get("/registry.json"))
	cancel()
	select {
	case code := <-done:
		if code != command.ExitHolds {
			t.Errorf("exit %d: %s", code, log.String())
		}
	case <-time.After(30 * time.Second):
		t.Fatal("serve does not end when it is told to")
	}
	r, err := registryfile.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if r.Entries[0].ServiceAccount != "prod/upstream-sync" {
		t.Errorf("the registry begins with %+v", r.Entries[0])
	}
}

func TestServeRefusesAnEmptyToken(t *testing.T) {
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := runFind(t, "", "serve", "--state", filepath.Join(dir, "state"), "--listen", "127.0.0.1:0", "--self-signed", "--token-file", token)
	if got.code != command.ExitUsage || !strings.Contains(got.errors, "--token-file is empty") {
		t.Errorf("exit %d: %s", got.code, got.errors)
	}
}

func TestServeChecksItsFlags(t *testing.T) {
	for _, args := range [][]string{
		{"serve"},
		{"serve", "--state", "x"},
		{"serve", "--state", "x", "--listen", ":0"},
		{"serve", "--state", "x", "--follow", "y", "--interval", "1ms"},
		{"serve", "--state", "x", "--listen", ":0", "--self-signed", "--tls-cert", "c"},
		{"audit-query", "--for", "grep"},
		{"audit-policy", "check"},
		{"audit-policy", "mend"},
	} {
		if got := runFind(t, "", args...); got.code != command.ExitUsage {
			t.Errorf("%v: exit %d (%s), want %d", args, got.code, got.errors, command.ExitUsage)
		}
	}
	if got := runFind(t, "", "audit-query", "--for", "loki"); got.code != command.ExitHolds || !strings.Contains(got.out, "count_over_time") {
		t.Errorf("exit %d\n%s", got.code, got.out)
	}
}
