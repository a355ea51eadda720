package supervisor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// State is the folder of one lab, as seen from outside and inside its sandbox.
//
// The process that holds the lock on the file "lock" is the lab's supervisor.
// The lock ends with that process, however it ends. A held lock therefore
// means that the process in the file "pid" is alive and is the supervisor; a
// free lock means that nothing of the lab runs.
type State struct{ Dir string }

// DefaultState is the folder of the lab called name.
func DefaultState(name string) (State, error) {
	if name == "" || strings.ContainsAny(name, "/\x00") || name[0] == '.' {
		return State{}, fmt.Errorf("lab name %q: use letters, digits and dashes", name)
	}
	// Short, because a unix socket's path may have 107 bytes.
	return State{filepath.Join(os.TempDir(), fmt.Sprintf("slicewright-lab-%d", os.Getuid()), name)}, nil
}

// Socket is where the supervisor listens.
func (s State) Socket() string { return filepath.Join(s.Dir, "lab.sock") }

// Log is what the supervisor has to say.
func (s State) Log() string { return filepath.Join(s.Dir, "supervisor.log") }

// LabDir is where the lab keeps its files.
func (s State) LabDir() string { return filepath.Join(s.Dir, "lab") }

// AdminKubeconfig is the administrator's kubeconfig, for use inside.
func (s State) AdminKubeconfig() string { return filepath.Join(s.LabDir(), "admin.kubeconfig") }

// ErrRunning says that a lab of that name is up.
var ErrRunning = errors.New("already up")

// Create makes the folder for a new lab. What a crashed one left is removed;
// one that is up is ErrRunning.
func (s State) Create() error {
	parent := filepath.Dir(s.Dir)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return fmt.Errorf("make the folder for labs: %w", err)
	}
	info, err := os.Lstat(parent)
	if err != nil {
		return fmt.Errorf("make the folder for labs: %w", err)
	}
	// In a /tmp that everybody may write to, it could be somebody else's.
	if owner, ok := info.Sys().(*syscall.Stat_t); !info.IsDir() || !ok || int(owner.Uid) != os.Getuid() {
		return fmt.Errorf("%s is not a folder of this user: remove it, or set TMPDIR", parent)
	}
	if s.held() {
		return fmt.Errorf("%s: %w", filepath.Base(s.Dir), ErrRunning)
	}
	if err := s.Remove(); err != nil {
		return err
	}
	if err := os.MkdirAll(s.LabDir(), 0o700); err != nil {
		return fmt.Errorf("make the lab's folder: %w", err)
	}
	return nil
}

// Remove deletes the folder of a lab that is down.
func (s State) Remove() error {
	if err := os.RemoveAll(s.Dir); err != nil {
		return fmt.Errorf("remove the lab's folder: %w", err)
	}
	return nil
}

// Lock takes the lock and writes the PID that /proc knows this process by. The
// file stays open, and the lock held, until the process ends.
func (s State) Lock(pid int) (*os.File, error) {
	lock, err := os.OpenFile(filepath.Join(s.Dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lab's lock: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		lock.Close()
		return nil, fmt.Errorf("lock %s: %w", s.Dir, ErrRunning)
	}
	if err := os.WriteFile(filepath.Join(s.Dir, "pid"), []byte(strconv.Itoa(pid)), 0o600); err != nil {
		lock.Close()
		return nil, fmt.Errorf("write the supervisor's PID: %w", err)
	}
	return lock, nil
}

// PID is the supervisor's process ID, for the machine's /proc. It is an error
// if none runs.
func (s State) PID() (int, error) {
	if !s.held() {
		return 0, fmt.Errorf("lab %s is not up: 'slicewright-lab up' starts it", filepath.Base(s.Dir))
	}
	text, err := os.ReadFile(filepath.Join(s.Dir, "pid"))
	if err != nil {
		return 0, fmt.Errorf("read the supervisor's PID: %w", err)
	}
	return strconv.Atoi(string(text))
}

// WaitDown waits until the supervisor is gone, at most for the time given, and
// reports whether it is.
func (s State) WaitDown(timeout time.Duration) bool {
	for end := time.Now().Add(timeout); s.held(); {
		if time.Now().After(end) {
			return false
		}
		time.Sleep(20 * time.Millisecond)
	}
	return true
}

// Kill ends a supervisor that does not answer, and with it its whole sandbox.
func (s State) Kill() error {
	pid, err := s.PID()
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("kill the supervisor (PID %d): %w", pid, err)
	}
	return nil
}

// held reports whether a supervisor holds the lock.
func (s State) held() bool {
	lock, err := os.Open(filepath.Join(s.Dir, "lock"))
	if err != nil {
		return false
	}
	defer lock.Close()
	// Closing gives it back.
	return errors.Is(syscall.Flock(int(lock.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
