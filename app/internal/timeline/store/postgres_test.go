package store_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/app/internal/timeline/store"
	"github.com/slicewright/slicewright/app/internal/timeline/timelinetest"
)

// startPostgres runs a real server on a Unix socket, and returns a URL for it.
func startPostgres(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(found) == 0 {
		t.Fatal("no PostgreSQL under /usr/lib/postgresql: run 'make deps'")
	}
	bin := found[len(found)-1]
	// A socket's path has a limit of some 100 bytes, which a test's folder exceeds.
	folder, err := os.MkdirTemp("", "pg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	as := unprivileged(t, folder)
	data := filepath.Join(folder, "data")
	setup := exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-A", "trust", "-U", "test", "--no-sync", "-E", "UTF8", "--locale=C")
	setup.SysProcAttr, setup.Dir = as, folder
	if out, err := setup.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	server := exec.Command(filepath.Join(bin, "postgres"), "-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off")
	server.SysProcAttr, server.Dir = as, folder
	log, err := os.Create(filepath.Join(folder, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	server.Stdout, server.Stderr = log, log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGINT) // a fast shutdown
		_ = server.Wait()
	})
	url := fmt.Sprintf("postgres://test:secret@/postgres?host=%s", folder)
	waitForPostgres(t, url, filepath.Join(folder, "log"))
	return url
}

// unprivileged is who the server runs as: it refuses root.
func unprivileged(t *testing.T, folder string) *syscall.SysProcAttr {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := strconv.ParseUint(nobody.Uid, 10, 32)
	gid, _ := strconv.ParseUint(nobody.Gid, 10, 32)
	if err := os.Chown(folder, int(uid), int(gid)); err != nil {
		t.Fatal(err)
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}

func waitForPostgres(t *testing.T, url, log string) {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for late := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if err = db.PingContext(t.Context()); err == nil {
			return
		}
		if time.Now().After(late) {
			text, _ := os.ReadFile(log)
			t.Fatalf("the server does not answer: %v\n%s", err, text)
		}
	}
}

// TestPostgres: a server keeps what a file keeps, and refuses what it refuses.
func TestPostgres(t *testing.T) {
	url := startPostgres(t)
	t.Run("an empty database is no recording", func(t *testing.T) {
		if _, err := store.Open(t.Context(), url); !errors.Is(err, store.ErrNotARecording) {
			t.Errorf("got %v", err)
		}
	})
	events := timelinetest.Rollout()
	// What a text of this server cannot hold.
	events[5].Observation.Detail = "a\x00b\xff"
	t.Run("events are read back as they were", func(t *testing.T) {
		w := create(t, url, store.Run{Source: "test", Started: timelinetest.Start})
		write(t, w, events)
		closeWriter(t, w)
		events[5].Observation.Detail = "a\uFFFDb\uFFFD"
		if diff := cmp.Diff(withoutGone(events), read(t, open(t, url), time.Time{}, time.Time{})); diff != "" {
			t.Errorf("(-written +read):\n%s", diff)
		}
	})
	t.Run("a recording goes on, and a moment is found", func(t *testing.T) {
		w := create(t, url, store.Run{Source: "test"})
		later := timelinetest.MustParse("90s service late")
		write(t, w, later)
		closeWriter(t, w)
		want, got := timeline.NewState(), timeline.NewState()
		for _, ev := range append(events, later...) {
			want.Apply(ev)
		}
		for _, ev := range read(t, open(t, url), timelinetest.At("90s"), timelinetest.At("90s")) {
			got.Apply(ev)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-folded +read):\n%s", diff)
		}
		info, err := open(t, url).Info(t.Context())
		if err != nil || len(info.Runs) != 2 || info.Runs[1].Ended.IsZero() {
			t.Errorf("%+v, %v", info, err)
		}
	})
	t.Run("the newer of two recorders stays", func(t *testing.T) {
		older := create(t, url, store.Run{Source: "older"})
		newer := create(t, url, store.Run{Source: "newer"})
		if err := older.Commit(t.Context()); !errors.Is(err, store.ErrTakenOver) {
			t.Errorf("got %v", err)
		}
		_ = older.Close(t.Context())
		closeWriter(t, newer)
	})
	t.Run("a size cannot be bounded", func(t *testing.T) {
		if _, err := store.Create(t.Context(), url, store.Run{MaxSize: store.MinSize}); err == nil {
			t.Error("it was accepted")
		}
	})
	t.Run("another version is refused", func(t *testing.T) {
		db, err := sql.Open("pgx", url)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Exec(`UPDATE meta SET value = '2' WHERE name = 'slicewright schema'`); err != nil {
			t.Fatal(err)
		}
		_, err = store.Open(t.Context(), url)
		if !errors.Is(err, store.ErrVersion) || !strings.Contains(err.Error(), "version 2, this program reads version 1") {
			t.Errorf("reading: %v", err)
		}
		if strings.Contains(fmt.Sprint(err), "secret") {
			t.Errorf("the error tells the password: %v", err)
		}
		if _, err := store.Create(t.Context(), url, store.Run{}); !errors.Is(err, store.ErrVersion) {
			t.Errorf("writing: %v", err)
		}
	})
}

func TestAServersPasswordIsNotShown(t *testing.T) {
	for _, name := range []string{"postgres://u:secret@db.example/x?password=secret", "postgresql://u:secret@[bad/x"} {
		if shown := store.DisplayName(name); strings.Contains(shown, "secret") {
			t.Errorf("%s is shown as %s", name, shown)
		}
		if _, err := store.Open(t.Context(), "postgres://u:secret@[bad/x"); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("got %v", err)
		}
	}
}
