package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/app/internal/timeline/store"
	"github.com/slicewright/slicewright/endpointset"
)

// The test binary is also the program that is killed: it runs what the variable
// names, and nothing else.
const childEnv = "SLICEWRIGHT_STORE_TEST_CHILD"

func TestMain(m *testing.M) {
	switch role := os.Getenv(childEnv); role {
	case "":
		goleak.VerifyTestMain(m)
	case "write":
		writeUntilKilled(os.Getenv("FILE"))
	case "fill":
		fillDisk()
	default:
		fmt.Fprintln(os.Stderr, "unknown role", role)
		os.Exit(1)
	}
}

// service is an event that is easy to count.
func service(n int) timeline.Event {
	return timeline.Event{
		At: time.UnixMicro(int64(n)).UTC(), Op: timeline.Added,
		Service: &timeline.Service{Key: endpointset.ServiceKey{Namespace: "t", Name: "s" + strconv.Itoa(n%100)}, ResourceVersion: strconv.Itoa(n)},
	}
}

// writeUntilKilled commits batches of ten and says after each how many events
// are kept, for ever.
func writeUntilKilled(path string) {
	ctx := context.Background()
	w, err := store.Create(ctx, path, store.Run{Source: "test"})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	for n := 1; ; n++ {
		if err := w.Append(ctx, service(n)); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		if n%10 == 0 {
			if err := w.Commit(ctx); err != nil {
				fmt.Println("error", err)
				os.Exit(1)
			}
			fmt.Println(n)
		}
	}
}

func child(t *testing.T, role string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), childEnv+"="+role), env...)
	cmd.Stderr = os.Stderr
	return cmd
}

// TestKilledRecorderLosesOnlyTheLastBatch kills a writer with -9 in the middle
// of writing, opens what is left, and goes on with it.
func TestKilledRecorderLosesOnlyTheLastBatch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "killed.db")
	cmd := child(t, "write", "FILE="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	promised := 0
	lines := bufio.NewScanner(out)
	for promised < 3000 && lines.Scan() {
		if promised, err = strconv.Atoi(lines.Text()); err != nil {
			t.Fatalf("the child says %q", lines.Text())
		}
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() { // what it had committed and said before the kill
		if n, err := strconv.Atoi(lines.Text()); err == nil {
			promised = n
		}
	}
	_ = cmd.Wait() // "signal: killed"

	got := count(t, path)
	if got < promised || got > promised+10 {
		t.Errorf("%d events are there; %d were promised, and a batch of 10 was open", got, promised)
	}
	w, err := store.Create(t.Context(), path, store.Run{Source: "test"})
	if err != nil {
		t.Fatalf("the recording does not go on: %v", err)
	}
	if len(w.State().Services) != 100 {
		t.Errorf("%d Services were taken up, want 100", len(w.State().Services))
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestTheFileKeepsALog: a rollback journal in memory would pass the test above
// most of the time, and leave half a transaction in the file once in a while.
func TestTheFileKeepsALog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.db")
	closeWriter(t, create(t, path, store.Run{Source: "test"}))
	header, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// Bytes 18 and 19 are the versions that write and read the file: 2 is WAL.
	if header[18] != 2 || header[19] != 2 {
		t.Errorf("the file's format is %d/%d, want 2/2", header[18], header[19])
	}
}

func count(t *testing.T, path string) int {
	t.Helper()
	r, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatalf("what is left does not open: %v", err)
	}
	defer r.Close()
	n := 0
	for ev, err := range r.Events(t.Context(), time.Time{}, time.Time{}) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Op != timeline.Restated {
			n++
		}
	}
	return n
}

// TestFullDisk fills a real file system of 2 MiB: recording stops with an error
// that says so, and what was written is readable while the disk is still full.
func TestFullDisk(t *testing.T) {
	cmd := child(t, "fill", "FOLDER="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if !strings.HasPrefix(string(out), "ok ") {
		t.Errorf("the child says %q", out)
	}
}

// fillDisk runs in a mount namespace of its own.
func fillDisk() {
	ctx := context.Background()
	folder := os.Getenv("FOLDER")
	exit := func(err error) {
		fmt.Println(err)
		os.Exit(1)
	}
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=2m"); err != nil {
		exit(fmt.Errorf("mount a small disk: %w", err))
	}
	path := filepath.Join(folder, "full.db")
	w, err := store.Create(ctx, path, store.Run{Source: "test"})
	if err != nil {
		exit(err)
	}
	committed, n := 0, 0
	for err == nil {
		if n++; n > 1_000_000 {
			exit(errors.New("the disk never gets full"))
		}
		if err = w.Append(ctx, service(n)); err == nil && n%100 == 0 {
			if err = w.Commit(ctx); err == nil {
				committed = n
			}
		}
	}
	if !strings.Contains(err.Error(), "full") || !strings.Contains(err.Error(), "is kept") {
		exit(fmt.Errorf("the error does not say what is the matter: %w", err))
	}
	if again := w.Append(ctx, service(n)); !errors.Is(again, err) {
		exit(fmt.Errorf("after the error it went on: %v", again))
	}
	_ = w.Close(ctx) // it says the same again
	// The reader must do without the file that it would share with the writer.
	if err := os.Remove(path + "-shm"); err != nil && !errors.Is(err, os.ErrNotExist) {
		exit(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "filler"), make([]byte, 2<<20), 0o600); err == nil {
		exit(errors.New("the disk is not full"))
	}
	r, err := store.Open(ctx, path)
	if err != nil {
		exit(fmt.Errorf("what was written does not open: %w", err))
	}
	got := 0
	for ev, err := range r.Events(ctx, time.Time{}, time.Time{}) {
		if err != nil {
			exit(err)
		}
		if ev.Op != timeline.Restated {
			got++
		}
	}
	if got != committed || committed == 0 {
		exit(fmt.Errorf("%d events are readable, %d were committed", got, committed))
	}
	fmt.Println("ok", got)
	r.Close()
}
