// Package controlplane runs a real Kubernetes control plane: etcd,
// kube-apiserver, kube-controller-manager, kube-scheduler and, when asked,
// kube-proxy, each a process that can be killed and started again on its own.
//
// It has to run inside a sandbox (package sandbox): the components listen on
// their usual ports, which one lab has to itself.
package controlplane

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/slicewright/slicewright/lab/process"
)

// Config says what to run and where.
type Config struct {
	// Dir holds everything that the control plane keeps: etcd's data,
	// certificates, logs, the audit log. It must exist and be empty.
	Dir string
	// Programs are the components' programs.
	Programs Programs
	// Address is what the API server announces itself as. It must be an address
	// of this network and no loopback one.
	Address netip.Addr
	// ProxyNode is the Node that kube-proxy takes itself to be on.
	ProxyNode string
}

// ControlPlane is a running control plane. Its methods may be called
// concurrently.
type ControlPlane struct {
	config    Config // but for Programs
	authority *authority

	mu        sync.Mutex
	programs  Programs                    // of the version that runs; guarded by mu
	processes map[string]*process.Process // guarded by mu
}

// stopGrace is how long a component may take to end by itself. The API server
// would wait for its watches, a minute and more; nothing in a lab is worth it,
// and a kill loses nothing that etcd has taken.
const stopGrace = time.Second

// Start starts etcd, kube-apiserver, kube-controller-manager and
// kube-scheduler, and returns once each says that it is ready. When it fails,
// nothing is left running.
func Start(ctx context.Context, config Config) (*ControlPlane, error) {
	authority, err := newAuthority()
	if err != nil {
		return nil, err
	}
	c := &ControlPlane{config: config, authority: authority, programs: config.Programs, processes: map[string]*process.Process{}}
	if err := os.MkdirAll(filepath.Join(config.Dir, "logs"), 0o755); err != nil {
		return nil, fmt.Errorf("make the folder for logs: %w", err)
	}
	if err := c.writeFiles(); err != nil {
		return nil, err
	}
	if err := c.startBatches(ctx, startOrder); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

// startOrder: the API server needs etcd; the other two only need the API server.
// They retry, but not before some seconds have gone.
var startOrder = [][]string{{Etcd}, {APIServer}, {ControllerManager, Scheduler}}

// startBatches starts components, and goes on once those of a batch are ready.
func (c *ControlPlane) startBatches(ctx context.Context, batches [][]string) error {
	for _, batch := range batches {
		for _, name := range batch {
			if _, err := c.start(name, nil); err != nil {
				return err
			}
		}
		for _, name := range batch {
			if err := waitHealthy(ctx, name, c.process(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Stop ends all components, the API server's clients first.
func (c *ControlPlane) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range slices.Backward(Names) {
		if p := c.processes[name]; p != nil {
			p.Stop(stopGrace)
		}
	}
}

// Kill ends a component as kill -9 does and returns when it is gone.
func (c *ControlPlane) Kill(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, err := c.known(name)
	if err != nil {
		return err
	}
	if p == nil || !p.Running() {
		return fmt.Errorf("%s is not running", name)
	}
	p.Kill()
	return nil
}

// Restart stops a component if it runs, starts it, and returns once it is
// ready. Flags, each --name=value, are in place of the lab's own of the same
// name, for this start: a restart without flags is back at the lab's own.
func (c *ControlPlane) Restart(ctx context.Context, name string, flags ...string) error {
	if err := checkFlags(flags); err != nil {
		return err
	}
	c.mu.Lock()
	p, err := c.known(name)
	if err == nil && p != nil {
		// Old and new would want the same port: wait until the old is gone.
		p.Stop(stopGrace)
	}
	c.mu.Unlock()
	if err != nil {
		return err
	}
	p, err = c.start(name, flags)
	if err != nil {
		return err
	}
	return waitHealthy(ctx, name, p)
}

// Status is what is known of one component.
type Status struct {
	Name    string   `json:"name"`
	Running bool     `json:"running"`
	PID     int      `json:"pid,omitempty"` // inside the sandbox
	Ended   string   `json:"ended,omitempty"`
	Flags   []string `json:"flags,omitempty"`
	Log     string   `json:"log,omitempty"`
	// Resident is the resident memory in bytes.
	Resident int64 `json:"resident,omitempty"`
}

// Status says which components run. One that was never started is left out.
func (c *ControlPlane) Status() []Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	var result []Status
	for _, name := range Names {
		p := c.processes[name]
		if p == nil {
			continue
		}
		s := Status{Name: name, Running: p.Running(), Flags: p.Spec().Args, Log: p.Spec().Log}
		if s.Running {
			s.PID, s.Resident = p.Pid(), p.Resident()
		} else {
			s.Ended = ended(p).Error()
		}
		result = append(result, s)
	}
	return result
}

// LogDir is the folder of the components' logs, one file each.
func (c *ControlPlane) LogDir() string { return filepath.Join(c.config.Dir, "logs") }

// AuditLog is the file of the API server's audit events.
func (c *ControlPlane) AuditLog() string { return filepath.Join(c.config.Dir, "audit.log") }

func (c *ControlPlane) start(name string, flags []string) (*process.Process, error) {
	c.mu.Lock()
	program, err := c.programs.command(name)
	c.mu.Unlock()
	if err != nil {
		return nil, err
	}
	p, err := process.Start(process.Spec{
		Name: name,
		Path: program[0],
		Args: append(program[1:], override(defaultFlags(name, c.config), flags)...),
		Dir:  c.config.Dir,
		Log:  filepath.Join(c.LogDir(), name+".log"),
	})
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.processes[name] = p
	return p, nil
}

func (c *ControlPlane) process(name string) *process.Process {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.processes[name]
}

// ErrUnknownComponent is returned for a name that is not in Names.
var ErrUnknownComponent = errors.New("unknown component")

// known returns a component's process, nil if it was never started. The caller
// holds mu.
func (c *ControlPlane) known(name string) (*process.Process, error) {
	if !slices.Contains(Names, name) {
		return nil, fmt.Errorf("%w %q: one of %v", ErrUnknownComponent, name, Names)
	}
	return c.processes[name], nil
}
