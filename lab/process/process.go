// Package process runs a program the way the lab needs it: output in a log
// file, a process group of its own, and an end that somebody waits for.
package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Spec says what to run.
type Spec struct {
	Name string // how logs and errors call it
	Path string // the program
	Args []string
	Env  []string // in addition to the caller's
	Dir  string
	Log  string // file that gets stdout and stderr, appended
}

// Process is a started program. Its methods may be called concurrently.
type Process struct {
	spec Spec
	cmd  *exec.Cmd
	done chan struct{} // closed by the waiting goroutine once err is set
	err  error
}

// Start runs spec. The program gets a process group of its own, so that a
// Ctrl-C at the terminal does not reach it before its starter decides in
// which order things end.
func Start(spec Spec) (*Process, error) {
	log, err := os.OpenFile(spec.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the log of %s: %w", spec.Name, err)
	}
	defer log.Close()
	fmt.Fprintf(log, "--- %s %s %s\n", time.Now().Format(time.RFC3339Nano), filepath.Base(spec.Path), strings.Join(spec.Args, " "))

	cmd := exec.Command(spec.Path, spec.Args...)
	cmd.Env = append(os.Environ(), spec.Env...)
	cmd.Dir = spec.Dir
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Name, err)
	}
	p := &Process{spec: spec, cmd: cmd, done: make(chan struct{})}
	go func() {
		p.err = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// Pid is the process ID, in the caller's PID namespace.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Spec returns what was started.
func (p *Process) Spec() Spec { return p.spec }

// Done is closed when the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Running reports whether the program has not ended yet.
func (p *Process) Running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// Err is how the program ended: nil for exit code 0 or while it runs.
func (p *Process) Err() error {
	if p.Running() {
		return nil
	}
	return p.err
}

// ExitCode is the exit code of an ended program, -1 if a signal ended it or
// it still runs.
func (p *Process) ExitCode() int {
	if p.Running() {
		return -1
	}
	return p.cmd.ProcessState.ExitCode()
}

// Signal sends s to the program alone.
func (p *Process) Signal(s os.Signal) error {
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("send %s to %s: %w", s, p.spec.Name, err)
	}
	return nil
}

// Kill ends the program and its process group at once, as kill -9 does, and
// waits until it is gone.
func (p *Process) Kill() {
	// The group still exists while its leader has not been waited for, so this
	// cannot hit another process that got the number later.
	if p.Running() {
		_ = syscall.Kill(-p.Pid(), syscall.SIGKILL)
	}
	<-p.done
}

// Stop asks the program to end, kills it after grace, and waits until it is
// gone.
func (p *Process) Stop(grace time.Duration) {
	_ = p.Signal(syscall.SIGTERM)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		p.Kill()
	}
}

// LogTail returns about the last n bytes of the log, from a line's beginning.
func (p *Process) LogTail(n int64) string { return Tail(p.spec.Log, n) }

// Tail returns about the last n bytes of a file, from a line's beginning, or
// why it cannot be read.
func Tail(path string, n int64) string {
	f, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err.Error()
	}
	from := max(0, info.Size()-n)
	b, err := io.ReadAll(io.NewSectionReader(f, from, n))
	if err != nil {
		return err.Error()
	}
	tail := string(b)
	if from > 0 {
		if _, rest, ok := strings.Cut(tail, "\n"); ok {
			tail = rest
		}
	}
	return tail
}
