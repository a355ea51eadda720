package audit

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// find returns the finding of a user and product, nil if nobody found it.
func find(r Result, user, application string) *evidence.Finding {
	for i := range r.Findings {
		if r.Findings[i].Subject.User == user && r.Findings[i].Subject.Application == application {
			return &r.Findings[i]
		}
	}
	return nil
}

func evidenceOf(f *evidence.Finding, detector string) *evidence.Evidence {
	for i := range f.Evidence {
		if f.Evidence[i].Detector == detector {
			return &f.Evidence[i]
		}
	}
	return nil
}

const upstreamSync = "system:serviceaccount:prod:upstream-sync"

// The recording is of a real control plane; what is true of it was read off by
// hand.
func TestARecordedLogNamesItsOneReader(t *testing.T) {
	r := Scan(t.Context(), []string{"testdata/real.jsonl"}, nil, Options{})
	if len(r.Coverage.Problems) != 0 || r.Coverage.Read != 173 {
		t.Errorf("coverage %+v, want 173 records and no problem", r.Coverage)
	}
	var got []string
	for _, f := range r.Findings {
		got = append(got, fmt.Sprintf("%s %s %s %s", f.Subject.User, f.Subject.Application, f.Class, f.Confidence))
	}
	want := []string{
		"admin kube-controller-manager expected proven",
		"admin kubectl tooling proven",
		"system:apiserver kube-apiserver expected proven",
		"system:serviceaccount:kube-system:endpoint-controller kube-controller-manager expected proven",
		"system:serviceaccount:prod:nosy nosy reader likely",
		"system:serviceaccount:prod:upstream-sync upstream-sync reader proven",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}

	reader := find(r, upstreamSync, "upstream-sync")
	if d := cmp.Diff(map[string]int{"list": 2, "watch": 2}, reader.Verbs); d != "" {
		t.Error("verbs of the reader", d)
	}
	if e := evidenceOf(reader, "audit/open-watch"); e == nil || e.Count != 1 {
		t.Errorf("open watches %+v, want one", e)
	}
	if e := evidenceOf(reader, "audit/authorization"); e == nil || e.Locator != "RoleBinding/prod/upstream-sync" || !strings.Contains(e.Excerpt, `Role "ep-reader"`) {
		t.Errorf("granting path %+v, want RoleBinding prod/upstream-sync of Role ep-reader", e)
	}
	if e := evidenceOf(reader, "audit/slices-refused"); e == nil || e.Count != 1 {
		t.Errorf("refusal on slices %+v, want one", e)
	}
	if e := evidenceOf(reader, "audit/silent-fallback"); e != nil {
		t.Errorf("%+v: it asked for Endpoints before the refusal, and not after it", e)
	}

	nosy := find(r, "system:serviceaccount:prod:nosy", "nosy")
	if nosy.Refused != 1 || len(nosy.Verbs) != 0 {
		t.Errorf("refused %d, verbs %v; want one refusal and no success", nosy.Refused, nosy.Verbs)
	}
	if d := cmp.Diff(map[string]int{"get": 7, "list": 3, "create": 2, "update": 70, "watch": 1}, r.Totals.Requests); d != "" {
		t.Error("the API server's own metrics count otherwise", d)
	}
	if r.Totals.OpenWatches != 2 || r.Totals.Self["get"] != 6 {
		t.Errorf("%d open watches, %d own gets; want 2 and 6", r.Totals.OpenWatches, r.Totals.Self["get"])
	}
}

// Each shape in which logs are kept must give what the plain lines give.
func TestEveryFormatGivesTheSameFindings(t *testing.T) {
	plain, err := os.ReadFile("testdata/real.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(plain)), "\n")
	quote := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	each := func(f func(i int, line string) string) string {
		var b strings.Builder
		for i, line := range lines {
			b.WriteString(f(i, line))
		}
		return b.String()
	}
	list := func(open, end string, f func(line string) string) string {
		parts := make([]string, len(lines))
		for i, line := range lines {
			parts[i] = f(line)
		}
		return open + strings.Join(parts, ",") + end
	}
	verbatim := func(line string) string { return line }
	indented := func(s string) string {
		var b bytes.Buffer
		if err := json.Indent(&b, []byte(s), "", "    "); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	formats := map[string]string{
		"a host name before each line": each(func(_ int, l string) string { return "cp-1.example " + l + "\n" }),
		"a syslog header":              each(func(_ int, l string) string { return "<14>1 2026-11-30T02:11:26Z cp-1 audit - - - " + l + "\n" }),
		"Windows line ends":            each(func(_ int, l string) string { return l + "\r\n" }),
		"an EventList in one line":     list(`{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[`, `]}`, verbatim),
		"an EventList, indented":       indented(list(`{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[`, `]}`, verbatim)),
		"an array":                     list(`[`, `]`, verbatim),
		"indented events":              each(func(_ int, l string) string { return indented(l) + "\n" }),
		"webhook batches, one a line": each(func(_ int, l string) string {
			return `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[` + l + `]}` + "\n"
		}),
		"CloudWatch subscription": list(`{"messageType":"DATA_MESSAGE","owner":"1","logGroup":"/aws/eks/c/cluster","logStream":"kube-apiserver-audit-1","logEvents":[`, `]}`,
			func(l string) string { return `{"id":"1","timestamp":1700000000000,"message":` + quote(l) + `}` }),
		"CloudWatch filter-log-events": indented(list(`{"events":[`, `],"searchedLogStreams":[]}`,
			func(l string) string {
				return `{"logStreamName":"a","timestamp":1700000000000,"message":` + quote(l) + `,"ingestionTime":1,"eventId":"1"}`
			})),
		"CloudWatch Insights": list(`{"results":[`, `],"statistics":{"recordsMatched":1},"status":"Complete"}`,
			func(l string) string {
				return `[{"field":"@timestamp","value":"2026-11-30 02:11:26.497"},{"field":"@message","value":` + quote(l) + `},{"field":"@ptr","value":"x"}]`
			}),
		"CloudWatch export to S3": each(func(_ int, l string) string { return "2026-11-30T02:11:26.497Z " + l + "\n" }),
		"Azure lines with klog between": each(func(_ int, l string) string {
			return `{"category":"kube-apiserver","properties":{"log":"I1130 02:11:26.1 1 endpoints.go:12] synced","stream":"stderr"}}` + "\n" +
				`{"time":"2026-11-30T02:11:26.497Z","category":"kube-audit","properties":{"log":` + quote(l+"\n") + `,"stream":"stdout","pod":"kube-apiserver-1"}}` + "\n"
		}),
		"Azure records": list(`{"records":[`, `]}`, func(l string) string {
			return `{"time":"2026-11-30T02:11:26.497Z","category":"kube-audit","properties":{"log":` + quote(l) + `,"stream":"stdout"}}`
		}),
		"Azure blobs with klog between": each(func(i int, l string) string {
			return "I1130 02:11:26.123456       1 controller.go:12] started [endpoints] {map[]}\n" +
				indented(`{"records":[{"category":"kube-audit","properties":{"log":`+quote(l)+`}}]}`) + "\n"
		}),
		"Docker's json-file": each(func(_ int, l string) string {
			return `{"log":` + quote(l+"\n") + `,"stream":"stdout","time":"2026-11-30T02:11:26.497Z"}` + "\n"
		}),
		"a CRI prefix": each(func(_ int, l string) string { return "2026-11-30T02:11:26.497Z stdout F " + l + "\n" }),
	}
	want := ScanReader(t.Context(), "plain", bytes.NewReader(plain), Options{})
	for name, text := range formats {
		t.Run(name, func(t *testing.T) {
			got := ScanReader(t.Context(), "log", strings.NewReader(text), Options{})
			if len(got.Coverage.Problems) != 0 {
				t.Errorf("problems %v, want none", got.Coverage.Problems)
			}
			if d := cmp.Diff(want.Findings, got.Findings); d != "" {
				t.Error(d)
			}
			if got.Coverage.Read < len(lines) {
				t.Errorf("read %d records, want at least %d", got.Coverage.Read, len(lines))
			}
			// The same through a file, compressed.
			path := filepath.Join(t.TempDir(), "audit.log.gz")
			if err := os.WriteFile(path, gz(t, []byte(text)), 0o600); err != nil {
				t.Fatal(err)
			}
			got = Scan(t.Context(), []string{path}, nil, Options{})
			if d := cmp.Diff(want.Findings, got.Findings); d != "" {
				t.Error("compressed", d)
			}
		})
	}
}

func gz(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestGoogleEntriesNameUserVerbAndObject(t *testing.T) {
	const entry = `{"insertId":"i%d","logName":"projects/p/logs/cloudaudit.googleapis.com%%2Fdata_access","timestamp":"2026-01-02T03:04:0%d.5Z",` +
		`"labels":{"authorization.k8s.io/decision":"allow","authorization.k8s.io/reason":"RBAC: allowed by ClusterRoleBinding \"b\" of ClusterRole \"r\" to Group \"g\""},` +
		`"operation":{%s"id":"op-%d","producer":"k8s.io"},"protoPayload":{"@type":"type.googleapis.com/google.cloud.audit.AuditLog",` +
		`"authenticationInfo":{"principalEmail":"system:serviceaccount:prod:web"},"authorizationInfo":[{"granted":true,"permission":"io.k8s.core.v1.endpoints.list"}],` +
		`"methodName":"io.k8s.%s","requestMetadata":{"callerIp":"10.0.0.1","callerSuppliedUserAgent":"web/v3"},"resourceName":"%s","serviceName":"k8s.io","status":{"code":%d}}}`
	entries := []string{
		fmt.Sprintf(entry, 1, 1, `"first":true,"last":true,`, 1, "core.v1.endpoints.list", "core/v1/endpoints", 0),
		fmt.Sprintf(entry, 2, 2, `"first":true,`, 2, "core.v1.endpoints.watch", "core/v1/namespaces/prod/endpoints", 0),
		fmt.Sprintf(entry, 3, 3, `"first":true,"last":true,`, 3, "core.v1.endpoints.get", "core/v1/namespaces/prod/endpoints/web", 7),
		fmt.Sprintf(entry, 4, 4, `"first":true,"last":true,`, 4, "discovery.v1.endpointslices.list", "discovery.k8s.io/v1/endpointslices", 7),
		fmt.Sprintf(entry, 5, 5, `"first":true,"last":true,`, 5, "io.example.v1.endpoints.list", "example/v1/endpoints", 0),
	}
	for name, text := range map[string]string{
		"lines":           strings.Join(entries, "\n"),
		"array":           "[" + strings.Join(entries, ",\n  ") + "]",
		"array, indented": indent(t, "["+strings.Join(entries, ",")+"]"),
	} {
		t.Run(name, func(t *testing.T) {
			r := ScanReader(t.Context(), "log", strings.NewReader(text), Options{})
			if len(r.Findings) != 1 {
				t.Fatalf("%d findings, want one: %+v", len(r.Findings), r.Findings)
			}
			f := r.Findings[0]
			if d := cmp.Diff(map[string]int{"list": 1, "watch": 1}, f.Verbs); d != "" || f.Refused != 1 {
				t.Error("verbs", d, "refused", f.Refused)
			}
			if d := cmp.Diff([]string{"*", "prod"}, f.Namespaces); d != "" {
				t.Error("namespaces", d)
			}
			if evidenceOf(&f, "audit/open-watch") == nil || evidenceOf(&f, "audit/slices-refused") == nil {
				t.Errorf("no open watch or no refusal in %+v", f.Evidence)
			}
		})
	}
}

func indent(t *testing.T, s string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(s), "", "  "); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestDamagedInputIsCountedAndTheRestIsRead(t *testing.T) {
	plain, err := os.ReadFile("testdata/real.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	big := strings.Repeat("x", 1<<20)
	long := func(before, after string) string {
		return `{"kind":"Event","auditID":"11111111-1111-4111-8111-111111111111","stage":"ResponseComplete","requestURI":"/api/v1/endpoints","verb":"list",` +
			`"user":{"username":"long"},"userAgent":"long/v1",` + before +
			`"objectRef":{"resource":"endpoints","apiVersion":"v1"},"responseStatus":{"code":200},"responseObject":{"data":"` + after + `"},"stageTimestamp":"2026-11-30T02:12:00Z"}` + "\n"
	}
	cases := map[string]struct {
		text    []byte
		user    string // that must be found
		problem string // that must be reported; "" is none
	}{
		"the last line is cut":            {plain[:len(plain)-200], upstreamSync, "cut"},
		"a line in the middle is cut":     {append([]byte(`{"kind":"Event","auditID":"x","objectRef":{"resource":"endpoints"},"resp`+"\n"), plain...), upstreamSync, "cut"},
		"the first line is a rest":        {append([]byte(`:"list","objectRef":{"resource":"endpoints"}}`+"\n"), plain...), upstreamSync, "cut"},
		"a cut line about something else": {append([]byte(`{"kind":"Event","auditID":"x","verb":"li`+"\n"), plain...), upstreamSync, "cut"},
		"lines of text between":           {append([]byte("I1130 reading endpoints\n\n"), plain...), upstreamSync, ""},
		"a long line, the user in head":   {append([]byte(long("", big)), plain...), "long", ""},
		"a long line, the user behind":    {append([]byte(long(`"x":"`+big+`",`, "")), plain...), upstreamSync, "longer than"},
		"a truncated .gz":                 {truncatedGzip(t, plain), "system:apiserver", "truncated"},
		"a document cut in its middle":    {[]byte(`{"kind":"EventList","items":[` + strings.ReplaceAll(strings.TrimSpace(string(plain)), "\n", ",") + `,{"kind":"Ev`), upstreamSync, "cut"},
		"a binary file":                   {[]byte("\x7fELF\x00\x00endpoints"), "", "binary"},
		"an empty file":                   {nil, "", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audit.log")
			if err := os.WriteFile(path, c.text, 0o600); err != nil {
				t.Fatal(err)
			}
			file := Scan(t.Context(), []string{path}, nil, Options{MaxLine: 256 << 10})
			stream := Scan(t.Context(), []string{"-"}, bytes.NewReader(c.text), Options{MaxLine: 256 << 10})
			for how, r := range map[string]Result{"file": file, "stream": stream} {
				found := c.user == ""
				for _, f := range r.Findings {
					found = found || f.Subject.User == c.user
				}
				if !found {
					t.Errorf("%s: no finding about %s", how, c.user)
				}
				problems := fmt.Sprint(r.Coverage.Problems)
				if c.problem != "" && !strings.Contains(problems, c.problem) {
					t.Errorf("%s: problems %s, want %q", how, problems, c.problem)
				}
				if c.problem == "" && c.user != "" && len(r.Coverage.Problems) != 0 {
					t.Errorf("%s: problems %s, want none", how, problems)
				}
			}
		})
	}
}

func truncatedGzip(t *testing.T, plain []byte) []byte {
	b := gz(t, plain)
	return b[:len(b)*3/4]
}

func TestADirectoryIsReadInOrderOfTimeAndWithoutCopies(t *testing.T) {
	plain, err := os.ReadFile("testdata/real.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(plain, []byte("\n"))
	// The cut is between a watch's beginning and its end.
	half := slices.IndexFunc(lines, func(line []byte) bool { return bytes.Contains(line, []byte("00ef8c07")) }) + 1
	dir := t.TempDir()
	write := func(name string, parts ...[]byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), bytes.Join(parts, nil), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// Rotation leaves the newest part in the file that sorts first.
	write("audit.log", lines[half:]...)
	write("audit-2026-11-30.log", lines[:half]...)
	write("copy.log", lines[half:]...)
	if err := os.Symlink(dir, filepath.Join(dir, "loop")); err != nil {
		t.Fatal(err)
	}
	want := Scan(t.Context(), []string{"testdata/real.jsonl"}, nil, Options{})
	got := Scan(t.Context(), []string{dir}, nil, Options{})
	if d := cmp.Diff(want.Findings, got.Findings); d != "" {
		t.Error(d)
	}
	if !strings.Contains(strings.Join(got.Coverage.Notes, "\n"), "is the same log as") {
		t.Errorf("notes %q do not tell of the copy", got.Coverage.Notes)
	}
}

func TestALogWithoutTheControlPlaneIsNotTrusted(t *testing.T) {
	line := `{"kind":"Event","auditID":"a","stage":"ResponseComplete","verb":"list","user":{"username":"u"},"objectRef":{"resource":"pods","apiVersion":"v1"},"responseStatus":{"code":200},"stageTimestamp":"2026-11-30T02:12:00Z"}`
	r := ScanReader(t.Context(), "log", strings.NewReader(line), Options{})
	if !strings.Contains(fmt.Sprint(r.Coverage.Problems), "audit policy") {
		t.Errorf("problems %v, want a word about the policy", r.Coverage.Problems)
	}
}

func TestScanEndsWhenItsContextDoes(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := Scan(ctx, []string{"testdata/real.jsonl"}, nil, Options{})
	if len(r.Findings) != 0 || len(r.Coverage.Problems) == 0 {
		t.Errorf("%d findings and problems %v of a cancelled scan", len(r.Findings), r.Coverage.Problems)
	}
}
