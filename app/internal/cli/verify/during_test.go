package verify

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/verify"
)

// A command in which a backend dies: what was lost is counted, and named.
func TestVerifyDuring(t *testing.T) {
	t.Parallel()
	s := newShop(t, 3, 0, 1, 2)
	began, goOn := filepath.Join(t.TempDir(), "began"), filepath.Join(t.TempDir(), "go-on")
	go func() {
		for {
			if _, err := os.Stat(began); err == nil || t.Context().Err() != nil {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		s.backends[1].server.Close()
		before := s.requests.Load()
		for s.requests.Load() < before+20 && t.Context().Err() == nil {
			time.Sleep(20 * time.Millisecond)
		}
		s.haproxy.Ask("set server web/s1 state maint")
		os.WriteFile(goOn, nil, 0o600)
	}()
	r, code, errs := s.verify(t.Context(), "-f", s.slices("0", "1", "2"), "--consumer", s.consumer(), "--probe", s.url,
		"--settle", "2s", "--during", fmt.Sprintf("echo it begins; touch %s; while [ ! -e %s ]; do sleep 0.05; done", began, goOn))
	wantCode(t, r, code, errs, command.ExitFinding)
	if !strings.Contains(errs, "it begins") {
		t.Errorf("the command's output is not on stderr: %q", errs)
	}
	p := r.Probes[0]
	if p.LostRequests == 0 || p.Lost[0].Failure != verify.Status || p.Lost[0].First.Before(r.Command.Began) {
		t.Errorf("%d lost: %+v", p.LostRequests, p.Lost)
	}
	if r.Command.ExitCode != 0 || r.Consumers[0].Kinds[verify.Missing].Count != 1 {
		t.Errorf("%+v, %+v", r.Command, r.Consumers[0].Kinds)
	}
}

func TestVerifyACommandThatFails(t *testing.T) {
	for _, c := range []struct {
		name, during string
		args         []string
		code         int
		exit         int
		problem      string
	}{
		{"it works", "true", nil, command.ExitHolds, 0, ""},
		{"it fails", "exit 7", nil, command.ExitFailed, 7, "exit status 7"},
		{"it may fail", "exit 7", []string{"--allow-command-failure"}, command.ExitHolds, 7, "exit status 7"},
		{"it does not end, nor what it started", "sleep 300 & sleep 300", []string{"--timeout", "3s"}, command.ExitFailed, -1, "had not ended after 3s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t, 1, 0)
			began := time.Now()
			r, code, errs := s.verify(t.Context(), append([]string{"-f", s.slices("0"), "--consumer", s.consumer(), "--during", c.during}, c.args...)...)
			wantCode(t, r, code, errs, c.code)
			if r.Command.ExitCode != c.exit || !strings.Contains(r.Command.Problem, c.problem) {
				t.Errorf("%+v", r.Command)
			}
			if time.Since(began) > time.Minute {
				t.Errorf("it took %s", time.Since(began))
			}
		})
	}
}

// A command that is broken off has not failed, and nothing of it is left, whether
// it heeds SIGTERM or not.
func TestVerifyIsInterruptedInTheCommand(t *testing.T) {
	t.Parallel()
	s := newShop(t, 1, 0)
	pids := filepath.Join(t.TempDir(), "pids")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for text := []byte{}; strings.Count(string(text), "\n") < 2 && t.Context().Err() == nil; time.Sleep(20 * time.Millisecond) {
			text, _ = os.ReadFile(pids)
		}
		cancel()
	}()
	r, code, errs := s.verify(ctx, "-f", s.slices("0"), "--consumer", s.consumer(), "--during",
		fmt.Sprintf(`(trap "" TERM; sleep 300 & echo $! >> %[1]s; exec sleep 300) & echo $! >> %[1]s; wait`, pids))
	wantCode(t, r, code, errs, command.ExitUnknown)
	if r.Command == nil || !r.Interrupted {
		t.Fatalf("interrupted %t, command %+v", r.Interrupted, r.Command)
	}
	text, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range strings.Fields(string(text)) {
		// One that has ended can stay as a zombie until init looks after it.
		for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			stat, err := os.ReadFile("/proc/" + pid + "/stat")
			if err != nil || strings.Contains(string(stat), ") Z ") {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("process %s of the command is left: %s", pid, stat)
			}
		}
	}
}
