package process

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t *testing.T, script string) *Process {
	t.Helper()
	p, err := Start(Spec{Name: "it", Path: "/bin/sh", Args: []string{"-c", script}, Log: filepath.Join(t.TempDir(), "log")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

// said waits until the process has written text.
func said(t *testing.T, p *Process, text string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !strings.Contains(p.LogTail(1000), "\n"+text); {
		if time.Now().After(end) {
			t.Fatalf("it never says %q but:\n%s", text, p.LogTail(1000))
		}
		time.Sleep(time.Millisecond)
	}
}

func TestStopAsksFirst(t *testing.T) {
	p := start(t, `trap 'echo bye; exit 3' TERM; echo ready; while :; do sleep 0.01; done`)
	said(t, p, "ready")
	p.Stop(time.Minute)
	if p.Running() || p.ExitCode() != 3 || p.Err() == nil {
		t.Errorf("running %t, exit code %d, error %v", p.Running(), p.ExitCode(), p.Err())
	}
	said(t, p, "bye")
}

func TestStopKillsWhatDoesNotListen(t *testing.T) {
	p := start(t, `trap '' TERM; echo ready; while :; do sleep 0.01; done`)
	said(t, p, "ready")
	p.Stop(10 * time.Millisecond)
	if p.Running() || p.ExitCode() != -1 {
		t.Errorf("running %t, exit code %d", p.Running(), p.ExitCode())
	}
}

func TestMissingProgramIsNamed(t *testing.T) {
	_, err := Start(Spec{Name: "the thing", Path: "/no/such/program", Log: filepath.Join(t.TempDir(), "log")})
	if err == nil || !strings.Contains(err.Error(), "the thing") {
		t.Errorf("got %v", err)
	}
}

func TestResidentMemoryIsKnownWhileItRuns(t *testing.T) {
	p := start(t, "echo ready; sleep 100")
	said(t, p, "ready")
	if p.Resident() <= 0 || OwnResident() <= 0 {
		t.Errorf("%d and %d bytes", p.Resident(), OwnResident())
	}
	p.Kill()
	if got := p.Resident(); got != 0 {
		t.Errorf("%d bytes after its end", got)
	}
}

func TestTailBeginsAtALine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte("first\nsecond\nthird\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int64]string{6: "", 9: "third\n", 100: "first\nsecond\nthird\n"} {
		if got := Tail(path, n); got != want {
			t.Errorf("the last %d bytes: %q, want %q", n, got, want)
		}
	}
}
