package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
	"go.uber.org/goleak"

	"github.com/slicewright/slicewright/app/internal/find/audit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func recordedLines(t *testing.T) []string {
	t.Helper()
	b, err := os.ReadFile("../testdata/real.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

func open(t *testing.T, dir string) *Recorder {
	t.Helper()
	r, err := Open(dir, audit.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// abandon leaves a recorder as a crash does: nothing more is written.
func abandon(r *Recorder) { r.journal.Close() }

func batch(lines []string) string {
	return `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[` + strings.Join(lines, ",") + `]}`
}

func post(t *testing.T, h http.Handler, body string) int {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/audit", strings.NewReader(body)))
	return w.Code
}

// want is what reading the log as a file gives.
func want(t *testing.T) audit.Result {
	t.Helper()
	return audit.Scan(t.Context(), []string{"../testdata/real.jsonl"}, nil, audit.Options{})
}

func TestWhatWasAcknowledgedSurvivesACrash(t *testing.T) {
	lines, dir := recordedLines(t), t.TempDir()
	r := open(t, dir)
	for i := 0; i < len(lines); i += 7 {
		if code := post(t, Webhook(r, quiet), batch(lines[i:min(i+7, len(lines))])); code != http.StatusOK {
			t.Fatalf("batch %d: code %d", i, code)
		}
		switch i % 4 {
		case 1: // a crash between two batches
			abandon(r)
			r = open(t, dir)
		case 2: // a crash in the middle of the next write
			f, err := os.OpenFile(r.journal.Name(), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprint(f, `{"read":7,"events":[{"id":"torn`)
			f.Close()
			abandon(r)
			r = open(t, dir)
		case 3:
			if err := r.Checkpoint(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	r = open(t, dir)
	defer r.Close()
	got := r.Result()
	if d := cmp.Diff(want(t).Findings, got.Findings); d != "" {
		t.Error(d)
	}
	if got.Totals.OpenWatches != 2 {
		t.Errorf("%d open watches after the restarts, want 2", got.Totals.OpenWatches)
	}
}

func TestABatchThatIsSentAgainCountsOnce(t *testing.T) {
	lines, dir := recordedLines(t), t.TempDir()
	r := open(t, dir)
	post(t, Webhook(r, quiet), batch(lines))
	post(t, Webhook(r, quiet), batch(lines))
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	// The API server may send again after this process was restarted, too.
	r = open(t, dir)
	defer r.Close()
	post(t, Webhook(r, quiet), batch(lines))
	if d := cmp.Diff(want(t).Findings, r.Result().Findings); d != "" {
		t.Error(d)
	}
}

func TestABatchThatCannotBeWrittenIsNotAcknowledgedNorCounted(t *testing.T) {
	r := open(t, t.TempDir())
	r.journal.Close() // as a disk that fails
	lines := recordedLines(t)
	if code := post(t, Webhook(r, quiet), batch(lines)); code != http.StatusInternalServerError {
		t.Errorf("code %d, want 500", code)
	}
	if n := len(r.Result().Findings); n != 0 {
		t.Errorf("%d findings of a batch that was refused", n)
	}
	// A new journal was begun, so the next attempt works.
	if code := post(t, Webhook(r, quiet), batch(lines)); code != http.StatusOK {
		t.Errorf("code %d of the second attempt, want 200", code)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// watched notes what is done to a journal.
type watched struct {
	journal
	calls *[]string
}

func (w watched) Write(p []byte) (int, error) {
	*w.calls = append(*w.calls, "write")
	return w.journal.Write(p)
}

func (w watched) Sync() error {
	*w.calls = append(*w.calls, "sync")
	return w.journal.Sync()
}

// noting is a ResponseWriter that notes the answer among the calls.
type noting struct {
	http.ResponseWriter
	calls *[]string
}

func (n noting) Write(p []byte) (int, error) {
	*n.calls = append(*n.calls, "answer")
	return n.ResponseWriter.Write(p)
}

func TestABatchIsWrittenAndSyncedBeforeItIsAnswered(t *testing.T) {
	r := open(t, t.TempDir())
	defer r.Close()
	var calls []string
	r.journal = watched{r.journal, &calls}
	w := noting{httptest.NewRecorder(), &calls}
	Webhook(r, quiet).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/audit", strings.NewReader(batch(recordedLines(t)))))
	if d := cmp.Diff([]string{"write", "sync", "answer"}, calls); d != "" {
		t.Error(d)
	}
}

func TestWhatIsNoBatchIsRefused(t *testing.T) {
	r := open(t, t.TempDir())
	defer r.Close()
	line := recordedLines(t)[0]
	for name, body := range map[string]string{
		"nothing": "", "text": "hello", "another list": `{"items":[{"a":1}]}`, "an array": "[" + line + "]",
		"cut": batch([]string{line})[:len(line)], "HTML": "<html>",
	} {
		if code := post(t, Webhook(r, quiet), body); code != http.StatusBadRequest {
			t.Errorf("%s: code %d, want 400", name, code)
		}
	}
	w := httptest.NewRecorder()
	Webhook(r, quiet).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/audit", nil))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("GET: code %d, want 405", w.Code)
	}
	if code := post(t, Webhook(r, quiet), batch(nil)); code != http.StatusOK {
		t.Errorf("an empty batch: code %d, want 200", code)
	}
}

func TestRequestsAreExportedByAccountVerbAndCode(t *testing.T) {
	reg := prometheus.NewRegistry()
	metrics := NewMetrics(reg)
	r, err := Open(t.TempDir(), audit.Options{}, metrics)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	metrics.WatchOpen(reg, r)
	if code := post(t, Webhook(r, quiet), batch(recordedLines(t))); code != http.StatusOK {
		t.Fatal(code)
	}
	expected := `
# HELP slicewright_endpoints_open_watches Watches on Endpoints that have begun and not ended, by ServiceAccount.
# TYPE slicewright_endpoints_open_watches gauge
slicewright_endpoints_open_watches{service_account="none"} 1
slicewright_endpoints_open_watches{service_account="prod/upstream-sync"} 1
# HELP slicewright_endpoints_requests_total Requests for Endpoints in the audit events, by ServiceAccount (namespace/name; none for other users), verb and code class. A watch counts when it begins.
# TYPE slicewright_endpoints_requests_total counter
slicewright_endpoints_requests_total{code="2xx",service_account="kube-system/endpoint-controller",verb="create"} 1
slicewright_endpoints_requests_total{code="2xx",service_account="kube-system/endpoint-controller",verb="update"} 70
slicewright_endpoints_requests_total{code="2xx",service_account="none",verb="create"} 1
slicewright_endpoints_requests_total{code="2xx",service_account="none",verb="get"} 6
slicewright_endpoints_requests_total{code="2xx",service_account="none",verb="list"} 1
slicewright_endpoints_requests_total{code="2xx",service_account="none",verb="watch"} 1
slicewright_endpoints_requests_total{code="2xx",service_account="prod/upstream-sync",verb="list"} 2
slicewright_endpoints_requests_total{code="2xx",service_account="prod/upstream-sync",verb="watch"} 2
slicewright_endpoints_requests_total{code="4xx",service_account="none",verb="get"} 1
slicewright_endpoints_requests_total{code="4xx",service_account="prod/nosy",verb="list"} 1
`
	if d := cmp.Diff(strings.TrimPrefix(expected, "\n"), exported(t, reg, "slicewright_endpoints_")); d != "" {
		t.Error(d)
	}
}

func TestTheAccountLabelIsBounded(t *testing.T) {
	reg := prometheus.NewRegistry()
	m := NewMetrics(reg)
	for i := range maxAccounts + 500 {
		m.count(&audit.Event{Resource: audit.Endpoints, User: fmt.Sprintf("system:serviceaccount:ns:a%d", i), Verb: "get", Code: 200}, true)
	}
	got := exported(t, reg, "slicewright_endpoints_requests_total")
	if n := strings.Count(got, "\n") - 2; n != maxAccounts+1 {
		t.Errorf("%d series, want %d", n, maxAccounts+1)
	}
	if !strings.Contains(got, `{code="2xx",service_account="other",verb="get"} 500`) {
		t.Error("the 500 accounts beyond the bound are not under other")
	}
}

// exported is the metrics page, of the families whose name has the prefix.
func exported(t *testing.T, reg *prometheus.Registry, prefix string) string {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, family := range families {
		if strings.HasPrefix(family.GetName(), prefix) {
			if _, err := expfmt.MetricFamilyToText(&b, family); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b.String()
}

// follow starts a follower and returns what stops it.
func follow(t *testing.T, r *Recorder, path string) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	f := Follower{Path: path, Recorder: r, Log: quiet, Interval: 2 * time.Millisecond}
	go func() { done <- f.Run(ctx) }()
	return func() {
		t.Helper()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func appendTo(t *testing.T, path string, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// until waits for a condition; the limit is only there for a broken program.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); {
		if time.Now().After(end) {
			t.Fatalf("%s: not seen in 30 s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

func read(r *Recorder) int { return r.Result().Coverage.Read }

func TestAFollowerReadsEachLineOnceThroughRotationsAndCrashes(t *testing.T) {
	lines, dir, state := recordedLines(t), t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "audit.log")
	text := func(from, to int) string { return strings.Join(lines[from:to], "\n") + "\n" }
	rotate := func(to string) {
		t.Helper()
		if err := os.Rename(path, filepath.Join(dir, to)); err != nil {
			t.Fatal(err)
		}
	}

	r := open(t, state)
	stop := follow(t, r, path) // the file is not there yet
	appendTo(t, path, text(0, 20)+lines[20][:100])
	until(t, "whole lines", func() bool { return read(r) == 20 })
	appendTo(t, path, lines[20][100:]+"\n")
	until(t, "the line that was written in two pieces", func() bool { return read(r) == 21 })

	// The last line of a rotated file may lack its end, and counts all the same.
	appendTo(t, path, lines[21])
	rotate("audit-1.log")
	appendTo(t, path, text(22, 40))
	until(t, "the file after a rotation", func() bool { return read(r) == 40 })
	if err := r.Checkpoint(); err != nil {
		t.Fatal(err)
	}
	appendTo(t, path, text(40, 50))
	until(t, "lines after the checkpoint", func() bool { return read(r) == 50 })
	stop()
	abandon(r) // the ten lines are only in the log

	// While nothing runs, the log is rotated twice.
	appendTo(t, path, text(50, 60))
	rotate("audit-2.log")
	appendTo(t, path, text(60, 80))
	older := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "audit-2.log"), older, older); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(dir, "audit-1.log"), older.Add(-time.Hour), older.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	rotate("audit-3.log")
	appendTo(t, path, text(80, len(lines)))

	r = open(t, state)
	stop = follow(t, r, path)
	until(t, "everything after the restart", func() bool { return read(r) >= len(lines) })
	stop()
	if n := read(r); n != len(lines) {
		t.Errorf("%d lines were read, want each of %d once", n, len(lines))
	}
	got := r.Result()
	if d := cmp.Diff(want(t).Findings, got.Findings); d != "" {
		t.Error(d)
	}
	if len(got.Coverage.Problems) != 0 {
		t.Errorf("problems %v", got.Coverage.Problems)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestATruncatedLogIsReadFromItsBeginning(t *testing.T) {
	lines, path := recordedLines(t), filepath.Join(t.TempDir(), "audit.log")
	r := open(t, t.TempDir())
	defer r.Close()
	stop := follow(t, r, path)
	defer stop()
	appendTo(t, path, strings.Join(lines[:30], "\n")+"\n")
	until(t, "the first part", func() bool { return read(r) == 30 })
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	until(t, "the truncation", func() bool { return len(r.Result().Coverage.Problems) == 1 })
	appendTo(t, path, strings.Join(lines[30:40], "\n")+"\n")
	until(t, "the second part", func() bool { return read(r) == 40 })
}

func TestALogThatWasRotatedAwayIsAProblem(t *testing.T) {
	lines, dir, state := recordedLines(t), t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "audit.log")
	appendTo(t, path, strings.Join(lines[:30], "\n")+"\n")
	r := open(t, state)
	stop := follow(t, r, path)
	until(t, "the first part", func() bool { return read(r) == 30 })
	stop()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	appendTo(t, path, strings.Join(lines[50:60], "\n")+"\n")
	r = open(t, state)
	defer r.Close()
	stop = follow(t, r, path)
	defer stop()
	until(t, "the new file", func() bool { return read(r) == 40 })
	if p := fmt.Sprint(r.Result().Coverage.Problems); !strings.Contains(p, "events are missing") {
		t.Errorf("problems %s do not tell of the gap", p)
	}
}

func TestADamagedStateIsAnErrorAndNotANewBeginning(t *testing.T) {
	dir := t.TempDir()
	r := open(t, dir)
	post(t, Webhook(r, quiet), batch(recordedLines(t)))
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "state.json"), []byte(`{"version":1,`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, audit.Options{}, nil); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("error %v, want the file named as damaged", err)
	}
}

func TestTheSelfSignedCertificateServesTheWebhookThatItsKubeconfigNames(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	cert, key, err := SelfSigned(dir, "127.0.0.1:8443", now)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := SelfSigned(dir, "127.0.0.1:8443", now); err != nil {
		t.Fatal(err)
	}
	after, _ := os.ReadFile(cert)
	if !bytes.Equal(before, after) {
		t.Error("a good certificate was replaced: the API server would have to be told")
	}
	if _, _, err := SelfSigned(dir, "127.0.0.1:8443", now.Add(validity)); err != nil {
		t.Fatal(err)
	}
	if renewed, _ := os.ReadFile(cert); bytes.Equal(before, renewed) {
		t.Error("an expiring certificate was kept")
	}
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key's mode is %v (%v)", info.Mode(), errors.Unwrap(err))
	}
	kubeconfig, err := os.ReadFile(filepath.Join(dir, "audit-webhook.kubeconfig"))
	if err != nil || !strings.Contains(string(kubeconfig), "server: https://127.0.0.1:8443/audit") {
		t.Errorf("kubeconfig (%v):\n%s", err, kubeconfig)
	}
}

func FuzzBatch(f *testing.F) {
	f.Add([]byte(`{"kind":"EventList","items":[{"auditID":"a","objectRef":{"resource":"endpoints"}}]}`))
	f.Fuzz(func(_ *testing.T, body []byte) {
		var d audit.Decoder
		_, _, _ = d.Batch(bytes.NewReader(body))
	})
}
