package auditlog

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func event(user, agent, group, resource string) string {
	return fmt.Sprintf(`{"kind":"Event","apiVersion":"audit.k8s.io/v1","verb":"list","requestURI":"/x","user":{"username":%q},"userAgent":%q,"objectRef":{"apiGroup":%q,"resource":%q}}`,
		user, agent, group, resource)
}

// cut adds the beginning of a line.
func cut(t *testing.T, path, text string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func TestRequestsAreTheUsersFromThatMomentOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	empty, err := Now(path)
	if err != nil {
		t.Fatal(err)
	}
	write := func(lines ...string) {
		t.Helper()
		file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if _, err := file.WriteString(strings.Join(lines, "\n") + "\n"); err != nil {
			t.Fatal(err)
		}
	}
	const slices, run = "discovery.k8s.io", "slicewright/v1 run"
	write(event("sw", run, "", "endpoints"), event("sw", run, slices, "endpointslices"))
	later, err := Now(path)
	if err != nil {
		t.Fatal(err)
	}
	write(
		event("sw", run, slices, "endpointslices"),
		event("other", run, "", "endpoints"),
		event("sw", "curl", "", "endpoints"),
		event("sw", run, "example.com", "endpoints"), // a resource of somebody's own
		// An API server was killed while it wrote, and the next one went on.
		event("sw", run, "", "endpoints")[:120]+event("sw", run, slices, "endpointslices"),
	)
	cut(t, path, `{"kind":"Event","aud`)
	part := filepath.Join(t.TempDir(), "part.log")
	rest, err := later.CopyTo(part)
	if err != nil {
		t.Fatal(err)
	}
	copied := Log{path: part}
	write(`itID":"x","verb":"list","user":{"username":"sw"},"userAgent":"late","objectRef":{"resource":"endpoints"}}`)
	if got, err := rest.Of("sw", ""); err != nil || got.Endpoints != 1 {
		t.Errorf("after the part that was copied: %+v, %v", got, err)
	}
	for _, c := range []struct {
		log               Log
		suffix            string
		endpoints, slices int
	}{{empty, " run", 1, 3}, {later, " run", 0, 2}, {copied, " run", 0, 2}, {copied, "", 1, 2}} {
		got, err := c.log.Of("sw", c.suffix)
		if err != nil || got.Endpoints != c.endpoints || got.EndpointSlices != c.slices {
			t.Errorf("from %d, %q: %+v, %v; want %d and %d", c.log.from, c.suffix, got, err, c.endpoints, c.slices)
		}
		if (got.Example == "") != (got.Endpoints == 0) {
			t.Errorf("example %q of %d", got.Example, got.Endpoints)
		}
	}
}

func TestALogThatIsGoneOrCutIsAnErrorAndNotSilence(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	if err := os.WriteFile(path, []byte(event("sw", "a", "", "endpoints")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := Now(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := log.Of("sw", ""); err == nil {
		t.Error("a log that became shorter is read as one without requests")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := log.Of("sw", ""); err == nil {
		t.Error("a log that is gone is read as one without requests")
	}
}
