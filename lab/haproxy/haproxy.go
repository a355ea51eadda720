// Package haproxy runs a real HAProxy in master-worker mode, so that it can be
// stopped, restarted and reloaded as an operator would, and reads what it has
// over its runtime API.
package haproxy

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/slicewright/slicewright/lab/process"
)

// ErrMissing says that this machine has no HAProxy.
var ErrMissing = errors.New("haproxy is not installed: run 'make deps' (Debian package haproxy, 2.6 or later)")

// Config says which HAProxy to run.
type Config struct {
	// Dir is its working folder. File and Socket are relative to it, which
	// keeps the socket's path within the 107 bytes that there are.
	Dir string
	// File is the configuration.
	File string
	// Socket is the stats socket that the configuration opens, level admin.
	Socket string
	// Log gets the output.
	Log string
}

// HAProxy is a load balancer that runs or not. Its methods may be called
// concurrently.
type HAProxy struct {
	config Config

	mu      sync.Mutex
	process *process.Process // nil before Start; guarded by mu
}

// New returns a HAProxy that does not run yet.
func New(config Config) *HAProxy { return &HAProxy{config: config} }

const pollInterval = 20 * time.Millisecond

// Start starts it and returns when its socket answers.
func (h *HAProxy) Start(ctx context.Context) error {
	path, err := exec.LookPath("haproxy")
	if err != nil {
		return ErrMissing
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.process != nil && h.process.Running() {
		return errors.New("start haproxy: it runs already")
	}
	p, err := process.Start(process.Spec{
		Name: "haproxy", Path: path, Args: []string{"-W", "-f", h.config.File}, Dir: h.config.Dir, Log: h.config.Log,
	})
	if err != nil {
		return err
	}
	h.process = p
	_, err = h.waitForWorker(ctx, p, "")
	return err
}

// Stop ends it, cutting open connections, and returns when it is gone. It is
// no error if it does not run.
func (h *HAProxy) Stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.process != nil {
		h.process.Stop(5 * time.Second)
	}
}

// Restart stops and starts it: whatever was set at run time is lost.
func (h *HAProxy) Restart(ctx context.Context) error {
	h.Stop()
	return h.Start(ctx)
}

// Reload has the master start a new worker from the configuration file, and
// returns when the new one answers. What was set at run time is lost; the old
// worker finishes its open connections.
func (h *HAProxy) Reload(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.process == nil || !h.process.Running() {
		return errors.New("reload haproxy: it does not run")
	}
	before, err := h.Info(ctx, "Pid")
	if err != nil {
		return err
	}
	if err := h.process.Signal(syscall.SIGUSR2); err != nil {
		return err
	}
	_, err = h.waitForWorker(ctx, h.process, before)
	return err
}

// Running reports whether it runs.
func (h *HAProxy) Running() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.process != nil && h.process.Running()
}

// waitForWorker returns the PID of the worker that answers once it is another
// than before.
func (h *HAProxy) waitForWorker(ctx context.Context, p *process.Process, before string) (string, error) {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		pid, err := h.Info(ctx, "Pid")
		if err == nil && pid != before {
			return pid, nil
		}
		select {
		case <-p.Done():
			return "", fmt.Errorf("haproxy ended (%v); the end of its log:\n%s", p.Err(), p.LogTail(2000))
		case <-ctx.Done():
			return "", fmt.Errorf("haproxy does not answer on %s (%v): %w; the end of its log:\n%s",
				filepath.Join(h.config.Dir, h.config.Socket), err, ctx.Err(), p.LogTail(2000))
		case <-ticker.C:
		}
	}
}
