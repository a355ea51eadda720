package supervisor

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func state(t *testing.T) State {
	t.Helper()
	return State{Dir: filepath.Join(t.TempDir(), "labs", "it")}
}

func create(t *testing.T, s State) {
	t.Helper()
	if err := s.Create(); err != nil {
		t.Fatal(err)
	}
}

func TestLabOfOneNameIsUpOnce(t *testing.T) {
	s := state(t)
	create(t, s)
	lock, err := s.Lock(4711)
	if err != nil {
		t.Fatal(err)
	}
	if pid, err := s.PID(); err != nil || pid != 4711 {
		t.Errorf("PID %d, %v", pid, err)
	}
	if err := s.Create(); !errors.Is(err, ErrRunning) {
		t.Errorf("a second one: %v", err)
	}
	if _, err := s.Lock(1); !errors.Is(err, ErrRunning) {
		t.Errorf("a second lock: %v", err)
	}
	if s.WaitDown(0) {
		t.Error("it is down while the lock is held")
	}
	lock.Close()
	if !s.WaitDown(time.Minute) {
		t.Error("it is up after its lock went")
	}
	if _, err := s.PID(); err == nil {
		t.Error("the PID of one that is down would be somebody else's")
	}
	if err := s.Kill(); err == nil {
		t.Error("killed what may be somebody else")
	}
}

func TestWhatACrashLeftIsRemoved(t *testing.T) {
	s := state(t)
	create(t, s)
	left := filepath.Join(s.LabDir(), "etcd")
	if err := os.WriteFile(left, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	create(t, s)
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", left, err)
	}
	if err := s.Remove(); err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(); err != nil {
		t.Errorf("a second time: %v", err)
	}
}

func TestNameThatWouldLeaveTheFolderIsRefused(t *testing.T) {
	for _, name := range []string{"", "..", ".", "a/b", "../x", "a\x00"} {
		if s, err := DefaultState(name); err == nil {
			t.Errorf("%q gives %s", name, s.Dir)
		}
	}
	if s, err := DefaultState("demo"); err != nil || len(s.Socket()) > 107 {
		t.Errorf("%s, %v", s.Socket(), err)
	}
}
