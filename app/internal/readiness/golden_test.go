package readiness

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

var update = flag.Bool("update", false, "write the golden files again")

// golden compares text with a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; -update writes it again):\n%s", path, diff)
	}
}

// inWords is what a verdict says of the criteria that are not met.
func inWords(name string, v *Verdict) string {
	var text strings.Builder
	fmt.Fprintf(&text, "# %s\n", name)
	for _, r := range v.Criteria {
		if r.Status == Met {
			continue
		}
		fmt.Fprintf(&text, "%s %s\n", r.Name, r.Status)
		for _, line := range r.Evidence {
			fmt.Fprintf(&text, "  %s\n", line)
		}
		for _, line := range r.Settle {
			fmt.Fprintf(&text, "  -> %s\n", line)
		}
	}
	return text.String()
}

// A whole verdict in each format: criteria that are met, not met, unknown, waived
// and once waived.
func TestAVerdictInEachFormat(t *testing.T) {
	f := complete()
	f.Registry.Entries[0].Owner = ""
	f.Experiments[0].Checks[0].Result = Failed
	f.Audit.Totals.Interruptions = 2
	f.Cluster.Unread = map[string]string{"leases": "forbidden"}
	f.Audit.Findings = append(f.Audit.Findings,
		evidence.Finding{Subject: evidence.Subject{User: "mallory"}, Class: evidence.Reader, Verbs: map[string]int{"get": 1, "list": 2}},
		evidence.Finding{Subject: evidence.Subject{ServiceAccount: "shop/old"}, Class: evidence.Reader, Refused: 3},
		evidence.Finding{Subject: evidence.Subject{ServiceAccount: "shop/both"}, Class: evidence.Reader, Verbs: map[string]int{"get": 1}, Refused: 3},
	)
	c := DefaultCriteria()
	c.Waivers = []Waiver{
		{Criterion: "consumers-owned", By: "Ada", Reason: "the team is new", Expires: "2026-06-01"},
		{Criterion: "consumers-owned", By: "Bob", Reason: "shorter", Expires: "2026-05-25"},
		{Criterion: "window-leader-change", By: "Cleo", Reason: "was true once", Expires: "2026-05-01"},
		{Criterion: "window-leader-change", By: "Dora", Reason: "is no date", Expires: "soon"},
	}
	v := Evaluate(c, f, now)
	for format, file := range map[string]string{"table": "verdict.txt", "markdown": "verdict.markdown"} {
		var out bytes.Buffer
		if err := v.Write(&out, format); err != nil {
			t.Fatal(err)
		}
		golden(t, file, out.String())
	}
}
