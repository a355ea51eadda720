package conformance

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newInstance(t *testing.T, c *Consumer) *instance {
	t.Helper()
	dir := t.TempDir()
	i := &instance{consumer: c, values: values{"DIR": dir, "SERVICE": "web; touch " + dir + "/injected"}, dir: dir}
	t.Cleanup(i.stop)
	return i
}

func TestInstanceRunsItsProgramsAndRestartsThoseThatAreNotKept(t *testing.T) {
	i := newInstance(t, &Consumer{
		Name:  "mine",
		Files: map[string]string{"conf/one.txt": "follows ${SERVICE}\n"},
		Start: []Program{
			{Name: "balancer", Argv: []string{"sleep", "600"}, Keep: true},
			{Name: "follower", Argv: []string{"sh", "-c", `cp conf/one.txt up; exec sleep 600`, "${SERVICE}"}, Ready: "file:${DIR}/up"},
		},
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := i.start(ctx); err != nil {
		t.Fatal(err)
	}
	// It was waited for, the file was filled in, and nothing was run by a shell.
	content, err := os.ReadFile(filepath.Join(i.dir, "up"))
	if err != nil || string(content) != "follows "+i.values["SERVICE"]+"\n" {
		t.Errorf("the file is %q, %v", content, err)
	}
	if _, err := os.Stat(filepath.Join(i.dir, "injected")); err == nil {
		t.Error("a value was run")
	}
	balancer, follower := i.processes[0].Pid(), i.processes[1]
	if err := i.restart(ctx); err != nil {
		t.Fatal(err)
	}
	if i.processes[0].Pid() != balancer || !i.processes[0].Running() {
		t.Error("what is to be kept was restarted")
	}
	if follower.Running() || i.processes[1].Pid() == follower.Pid() {
		t.Error("the follower was not restarted")
	}
	if err := i.ended(); err != nil {
		t.Errorf("ended: %v", err)
	}
	i.processes[1].Kill()
	if err := i.ended(); err == nil || !strings.Contains(err.Error(), "mine/follower") {
		t.Errorf("one was killed, and ended says %v", err)
	}
}

func TestInstanceThatDoesNotComeUpSaysWhy(t *testing.T) {
	for _, test := range []struct {
		name, want string
		program    Program
	}{
		{"no such program", "make deps", Program{Name: "p", Argv: []string{"no-such-program-anywhere"}}},
		{"ends at once", "no luck", Program{Name: "p", Argv: []string{"sh", "-c", "echo no luck; exit 3"}, Ready: "file:${DIR}/never"}},
		{"no value", "${ZONE}", Program{Name: "p", Argv: []string{"echo", "${ZONE}"}}},
	} {
		i := newInstance(t, &Consumer{Name: "mine", Start: []Program{test.program}})
		if err := i.start(t.Context()); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
