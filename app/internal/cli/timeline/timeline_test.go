package timeline

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/app/internal/cli/clitest"
	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/output"
	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/app/internal/timeline/store"
	"github.com/slicewright/slicewright/app/internal/timeline/timelinetest"
)

const vectorWatch = "../../timeline/record/testdata/vector-watch.jsonl"

// rolloutFile is a recording of the rollout in which much goes wrong.
func rolloutFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rollout.db")
	w, err := store.Create(t.Context(), path, store.Run{Source: "test", Started: timelinetest.Start})
	if err != nil {
		t.Fatal(err)
	}
	for _, ev := range timelinetest.Rollout() {
		if err := w.Append(t.Context(), ev); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return path
}

func vectorFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "vector.db")
	if out, errs, code := run(t, "", "record", "--events", vectorWatch, "--out", path); code != command.ExitHolds || !strings.Contains(out, "imported 73 documents") {
		t.Fatalf("code %d: %s%s", code, out, errs)
	}
	return path
}

// TestImportedRecordingTellsTheEnd: what the real watch stream left at its end
// is what the recording says of it.
func TestImportedRecordingTellsTheEnd(t *testing.T) {
	out, errs, code := run(t, "", "timeline", "at", "end", vectorFile(t), "reports", "-o", "json")
	if code != command.ExitHolds {
		t.Fatalf("code %d: %s", code, errs)
	}
	clitest.CheckSchema(t, "timelineset", out)
	var set timeline.SetReport
	if err := json.Unmarshal([]byte(out), &set); err != nil {
		t.Fatal(err)
	}
	svc := set.Services[0]
	moved := 0
	for _, b := range svc.Active {
		if strings.HasPrefix(b.Endpoint, "10.43.0.") {
			moved++
		}
	}
	if len(svc.Active) != 237 || moved != 24 || len(svc.Draining) != 1 || svc.Draining[0].Endpoint != "10.42.0.40:8080" {
		t.Errorf("%d active, %d of them moved, draining %+v; want 237, 24 and 10.42.0.40", len(svc.Active), moved, svc.Draining)
	}
}

// TestImportFromStdin: "-" is what a pipe writes.
func TestImportFromStdin(t *testing.T) {
	text, err := os.ReadFile(vectorWatch)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "r.db")
	if out, errs, code := run(t, string(text), "record", "--events", "-", "--out", path); code != command.ExitHolds {
		t.Errorf("code %d: %s%s", code, out, errs)
	}
}

// TestTheSameEventsGiveTheSameTimeline: a recording that is written and read
// back says what the events themselves say.
func TestTheSameEventsGiveTheSameTimeline(t *testing.T) {
	out, errs, code := run(t, "", "timeline", rolloutFile(t), "-o", "json")
	if code != command.ExitHolds {
		t.Fatalf("code %d: %s", code, errs)
	}
	clitest.CheckSchema(t, "timeline", out)
	var b timeline.Builder
	for _, ev := range timelinetest.Rollout() {
		b.Add(ev)
	}
	var want bytes.Buffer
	if err := output.JSON(&want, timeline.NewReport(b.Build(time.Time{}), timeline.Filter{}, timeline.Options{})); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.String(), out); diff != "" {
		t.Errorf("(-events +recording):\n%s", diff)
	}
}

func TestTimelineTable(t *testing.T) {
	path := rolloutFile(t)
	out, errs, code := run(t, "", "timeline", path, "web", "--endpoint", "10.0.0.3")
	if code != command.ExitHolds {
		t.Fatalf("code %d: %s", code, errs)
	}
	for _, says := range []string{
		"found, ready", "left the slices", "Pod gone", "haproxy fails 31 requests until 10:00:33.800: no route to host",
		"in-slices-after-gone", "slices held the address for 4s after Pod t/web-c was gone",
	} {
		if !strings.Contains(out, says) {
			t.Errorf("the table does not say %q:\n%s", says, out)
		}
	}
	if strings.Contains(out, "10.0.0.4") {
		t.Errorf("another address is shown:\n%s", out)
	}
	out, _, _ = run(t, "", "timeline", path, "--since", "start+20s", "--until", "10:00:25")
	if !strings.Contains(out, "10.0.0.5") || strings.Contains(out, "web-d") {
		t.Errorf("between 20 s and 25 s only 10.0.0.5 changes:\n%s", out)
	}
}

func TestTimelinePageIsWritten(t *testing.T) {
	out, errs, code := run(t, "", "timeline", rolloutFile(t), "-o", "html")
	if code != command.ExitHolds || !strings.HasPrefix(out, "<!doctype html>") {
		t.Errorf("code %d, %q…: %s", code, out[:min(len(out), 60)], errs)
	}
}

func TestTheSetAtATime(t *testing.T) {
	path := rolloutFile(t)
	tests := []struct {
		args []string
		want string // use and address of each row
	}{
		{[]string{"at", "start+12.3s", path}, "active 10.0.0.2:8080, active 10.0.0.3:8080, active 10.0.0.4:8080, draining 10.0.0.1:8080"},
		{[]string{"at", "10:00:11", path, "web"}, "active 10.0.0.1:8080, active 10.0.0.2:8080, active 10.0.0.3:8080, active 10.0.0.4:8080"},
		{[]string{path, "at", "10:00:22.500", "t/web"}, "active 10.0.0.2:8080, active 10.0.0.3:8080, active 10.0.0.4:8080, not-ready 10.0.0.5:8080"},
		{[]string{path, "web", "at", "2026-11-30T10:00:45Z"}, "UNCERTAIN, active 10.0.0.2:8080, active 10.0.0.4:8080, active 10.0.0.5:8080"},
	}
	for _, tt := range tests {
		out, errs, code := run(t, "", append([]string{"timeline"}, tt.args...)...)
		if code != command.ExitHolds {
			t.Errorf("%v: code %d: %s", tt.args, code, errs)
			continue
		}
		var got []string
		for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
			switch fields := strings.Fields(line); {
			case strings.HasPrefix(line, "UNCERTAIN"):
				got = append(got, "UNCERTAIN")
			case fields[0] != "SERVICE":
				got = append(got, fields[1]+" "+fields[3])
			}
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.args, diff)
		}
	}
}

// TestTimelineExitCodes: what goes wrong has its code, and its text names the
// object and what to do.
func TestTimelineExitCodes(t *testing.T) {
	path := rolloutFile(t)
	exists := vectorFile(t)
	empty := filepath.Join(t.TempDir(), "empty.db")
	if w, err := store.Create(t.Context(), empty, store.Run{Source: "test"}); err != nil {
		t.Fatal(err)
	} else if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	fresh := filepath.Join(t.TempDir(), "fresh.db")
	tests := []struct {
		args string
		code int
		says string
	}{
		{"timeline " + path + " --fail-on any", command.ExitFinding, "8 findings of any"},
		{"timeline " + path + " --fail-on shared-ip", command.ExitHolds, ""},
		{"timeline " + path + " --fail-on published-before-ready,flapping", command.ExitFinding, "2 findings"},
		{"timeline " + path + " --fail-on nonsense", command.ExitUsage, "published-before-ready"},
		{"timeline", command.ExitUsage, "FILE.db"},
		{"timeline " + path + " nobody", command.ExitUnknown, "it holds t/web"},
		{"timeline " + path + " web extra", command.ExitUsage, "one Service at a time"},
		{"timeline " + path + " -o xml", command.ExitUsage, "table, json, html"},
		{"timeline " + path + " --since yesterday", command.ExitUsage, "start+30s or end-5m"},
		{"timeline " + path + " --since end --until start", command.ExitUsage, "is before --since"},
		{"timeline " + empty, command.ExitUnknown, "holds no events"},
		{"timeline " + vectorWatch, command.ExitFailed, "not a slicewright recording"},
		{"timeline nothing.db", command.ExitFailed, "nothing.db"},
		{"timeline at start-1h " + path, command.ExitUnknown, "tells of 2026-11-30T10:00:00Z to"},
		{"timeline at start " + path + " --policy best", command.ExitUsage, "--policy"},
		{"timeline at start " + path + " nobody", command.ExitUnknown, "it holds t/web"},
		{"record", command.ExitUsage, "--out FILE.db"},
		{"record -A --out mysql://u:secret@db/recordings", command.ExitUsage, "a file or a postgres:// URL"},
		{"record -A --max-size 1Gi --out postgres://db/recordings", command.ExitUsage, "--max-size is for files"},
		{"timeline postgres://u:secret@127.0.0.1:1/recordings", command.ExitFailed, "postgres://127.0.0.1:1/recordings"},
		{"record --out " + fresh, command.ExitUsage, "Services, -l SELECTOR or -A"},
		{"record web -A --out " + fresh, command.ExitUsage, "not both"},
		{"record a/web b/web --out " + fresh, command.ExitUsage, "of one namespace"},
		{"record -A -l a=(b --out " + fresh, command.ExitUsage, "-l"},
		{"record -A --max-size 1Mi --out " + fresh, command.ExitUsage, "at least 32Mi"},
		{"record -A --max-size lots --out " + fresh, command.ExitUsage, "--max-size"},
		{"record web --events f.jsonl --out " + fresh, command.ExitUsage, "choose with 'timeline'"},
		{"record --events nothing.jsonl --out " + fresh, command.ExitFailed, "nothing.jsonl"},
		{"record --events " + vectorWatch + " --out " + exists, command.ExitUsage, "needs a new file"},
		{"record --events ../../../../go.mod --out " + fresh, command.ExitFailed, "document 1"},
		{"record -A --out " + filepath.Join(t.TempDir(), "no", "folder.db"), command.ExitFailed, "folder.db"},
	}
	for _, tt := range tests {
		out, errs, code := run(t, "", strings.Fields(tt.args)...)
		if code != tt.code || !strings.Contains(errs, tt.says) {
			t.Errorf("%s\n  code %d, want %d, and %q\n  %s%s", tt.args, code, tt.code, tt.says, errs, out[:min(len(out), 200)])
		}
	}
}

// TestTerminalsAreSafeFromNames: a name cannot move a terminal's cursor.
func TestTerminalsAreSafeFromNames(t *testing.T) {
	events := timelinetest.MustParse(`0s slice web-1 10.0.0.1=a:T/T/F`)
	events[0].Slice.Key.Name = "web\x1b[2J\u009b1"
	path := filepath.Join(t.TempDir(), "r.db")
	w, err := store.Create(t.Context(), path, store.Run{Source: "test"})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(t.Context(), events[0]); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"timeline", path}, {"timeline", "at", "start", path}} {
		out, _, code := run(t, "", args...)
		if code != command.ExitHolds || strings.ContainsAny(out, "\x1b\u009b") || !strings.Contains(out, "web\uFFFD[2J") {
			t.Errorf("%v: code %d, %q", args, code, out)
		}
	}
}
