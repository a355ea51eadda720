package shadow

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slicewright/slicewright/app/internal/cli/clitest"
	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/shadow"
)

// shadowOf runs the command with -o json and checks what it prints.
func shadowOf(t *testing.T, stdin string, wantCode int, args ...string) *shadow.Report {
	t.Helper()
	out, errs, code := run(t, stdin, append([]string{"shadow", "-o", "json"}, args...)...)
	if code != wantCode {
		t.Fatalf("exit code %d, want %d: %s", code, wantCode, errs)
	}
	clitest.CheckSchema(t, "shadowreport", out)
	var r shadow.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

func TestShadowOfManifests(t *testing.T) {
	if r := shadowOf(t, clitest.ShadowObjects("10.0.0.1"), command.ExitHolds, "-f", "-"); r.Outcome != shadow.Equal || len(r.Services) != 1 {
		t.Errorf("%+v", r)
	}
	r := shadowOf(t, clitest.ShadowObjects("10.0.0.9"), command.ExitFinding, "-f", "-")
	if r.Services[0].Classes[shadow.EndpointsStale] != 1 || r.Services[0].Classes[shadow.EndpointsBehind] != 1 {
		t.Errorf("%+v", r.Services)
	}
	shadowOf(t, clitest.ShadowObjects("10.0.0.1"), command.ExitUnknown, "-f", "-", "shop/absent")
	shadowOf(t, clitest.ShadowObjects("10.0.0.9"), command.ExitUnknown, "-f", "-", "-n", "other")
}

func TestShadowShowsATable(t *testing.T) {
	out, _, code := run(t, clitest.ShadowObjects("10.0.0.9"), "shadow", "-f", "-")
	want := `SERVICE      OUTCOME    ENDPOINTS  SLICES  DIFFERENCES
shop/prices  different  1          1       1 endpoints-behind, 1 endpoints-stale

shop/prices
  endpoints-behind  10.0.0.1:8080 http TCP  only-slices: the Endpoints could hold it
  endpoints-stale   10.0.0.9:8080 http TCP  only-endpoints: no slice has it; Pods were not looked at
`
	if code != command.ExitFinding || !strings.HasPrefix(out, want) || strings.Count(out, "Not read: ") != 3 {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

func TestShadowWritesAPage(t *testing.T) {
	out, errs, code := run(t, clitest.ShadowObjects("10.0.0.9"), "shadow", "-f", "-", "-o", "html")
	if code != command.ExitFinding || !strings.HasPrefix(out, "<!doctype html>") || !strings.Contains(out, "10.0.0.9:8080") {
		t.Errorf("exit code %d: %s%.200s", code, errs, out)
	}
}

func TestShadowWithAReference(t *testing.T) {
	file := filepath.Join(t.TempDir(), "reference.yaml")
	text := "apiVersion: slicewright.dev/v1alpha1\nkind: ShadowReference\nservices: [{service: shop/prices, backends: [{port: http, endpoint: \"10.0.0.1:8080\"}]}]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := shadowOf(t, clitest.ShadowObjects("10.0.0.9"), command.ExitHolds, "-f", "-", "--reference", file); !r.Services[0].Reference {
		t.Errorf("%+v", r.Services)
	}
	if err := os.WriteFile(file, []byte("kind: Config\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := run(t, clitest.ShadowObjects("10.0.0.9"), "shadow", "-f", "-", "--reference", file); code != command.ExitFailed || !strings.Contains(errs, file) {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

func TestShadowRefusesWhatMakesNoSense(t *testing.T) {
	for _, args := range [][]string{
		{"-o", "pdf"},
		{"-A", "shop/prices"},
		{"--settle", "0s"},
		{"--for", "1s"},
		{"-f", "-", "--for", "1m"},
		{"-f", "-", "--events-on-service"},
		{"a/b/c"},
	} {
		if _, errs, code := run(t, "", append([]string{"shadow"}, args...)...); code != command.ExitUsage || errs == "" {
			t.Errorf("%v: exit code %d: %s", args, code, errs)
		}
	}
	incomplete := "apiVersion: v1\nkind: EndpointsList\nmetadata: {continue: abc}\nitems: []\n"
	if _, errs, code := run(t, incomplete, "shadow", "-f", "-"); code != command.ExitUnknown || !strings.Contains(errs, "the EndpointsList is an incomplete list") {
		t.Errorf("an incomplete list: exit code %d, %s", code, errs)
	}
	if _, _, code := run(t, "a: [", "shadow", "-f", "-"); code != command.ExitFailed {
		t.Errorf("no YAML: exit code %d", code)
	}
}

func TestShadowOfACluster(t *testing.T) {
	s := clitest.NewShadowServer(t)
	args := []string{"--server", s.URL, "--settle", "100ms", "shop/prices"}
	if r := shadowOf(t, "", command.ExitHolds, args...); r.Services[0].Outcome != shadow.Equal || len(r.Unread) > 0 {
		t.Errorf("%+v", r)
	}
	s.IP = "10.0.0.9"
	if r := shadowOf(t, "", command.ExitFinding, args...); r.Services[0].Classes[shadow.EndpointsStale] != 1 {
		t.Errorf("%+v", r)
	}
}

func TestShadowOfAClusterThatRefuses(t *testing.T) {
	s := clitest.NewShadowServer(t)
	s.Refused = "endpoints"
	// Refused, it does not wait out its time.
	began := time.Now()
	r := shadowOf(t, "", command.ExitUnknown, "--server", s.URL, "--for", "10m", "-A")
	if r.Outcome != shadow.Unknown || len(r.Unread) != 1 || !r.Unread[0].Needed || !r.Unread[0].Refused {
		t.Errorf("%+v", r)
	}
	if took := time.Since(began); took > 5*time.Minute {
		t.Errorf("it took %s", took)
	}
}
