// Package sandbox gives a program a network of its own, with or without root,
// and makes sure that nothing it started outlives it.
//
// A sandbox is a network namespace and a PID namespace (and, without root, a
// user namespace in which the caller is root). The PID namespace is what keeps
// the promise: when its first process ends, for whatever reason, the kernel
// kills every other process in it. So a Ctrl-C, a crash and a kill -9 all
// leave nothing behind, without anybody having to keep a list of children.
//
// Enter starts the calling program three times over:
//
//	outside   the process that the user started; waits and hands on signals
//	init      the first process of the PID namespace; brings lo up, reaps
//	inside    the program proper; Enter returns only here
package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/vishvananda/netlink"
)

// stageVar tells a started copy of the program which of the three it is. The
// inside copy removes it, so that what it starts may open a sandbox in turn.
const stageVar = "SLICEWRIGHT_SANDBOX_STAGE"

const (
	stageOutside = ""
	stageInit    = "init"
	stageInside  = "inside"
)

// ErrNotPermitted says that this machine does not let the caller make
// namespaces.
var ErrNotPermitted = errors.New("no permission to create namespaces; run as root, or allow user namespaces (sysctl kernel.unprivileged_userns_clone=1)")

// forwarded are the signals that ask a program to end or to say something.
var forwarded = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// Outside reports whether Enter has yet to be called: the place for work that
// needs the machine's own network, such as downloading modules.
func Outside() bool { return os.Getenv(stageVar) == stageOutside }

// Enter returns in a copy of the program that runs inside a new sandbox, with
// env added to its environment. In the other copies it does not return but
// exits with the inside copy's exit code. Call it first thing in main or
// TestMain, before any goroutine or file that the copy should not repeat.
func Enter(env ...string) {
	switch os.Getenv(stageVar) {
	case stageInside:
		if err := os.Unsetenv(stageVar); err != nil {
			fatal(err)
		}
	case stageInit:
		exit(runInit())
	default:
		exit(runOutside(env))
	}
}

func exit(code int, err error) {
	if err != nil {
		fatal(err)
	}
	os.Exit(code)
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "sandbox:", err)
	os.Exit(1)
}

// runOutside starts the init copy in new namespaces and waits for it.
func runOutside(env []string) (int, error) {
	// Pdeathsig fires when the starting thread ends, not the process.
	runtime.LockOSThread()
	cmd, err := self(stageInit, env)
	if err != nil {
		return 0, err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWPID,
		// A group of its own: a Ctrl-C reaches it once, through us.
		Setpgid:   true,
		Pdeathsig: syscall.SIGKILL,
	}
	if uid, gid := os.Geteuid(), os.Getegid(); uid != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: gid, Size: 1}}
	}
	signals := make(chan os.Signal, len(forwarded))
	signal.Notify(signals, forwarded...)
	if err := cmd.Start(); err != nil {
		if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOSPC) {
			return 0, fmt.Errorf("%w (%v)", ErrNotPermitted, err)
		}
		return 0, fmt.Errorf("start in new namespaces: %w", err)
	}
	go forward(signals, cmd.Process)
	err = cmd.Wait()
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) {
		return 0, fmt.Errorf("wait for the sandbox: %w", err)
	}
	return exitCode(cmd.ProcessState.Sys().(syscall.WaitStatus)), nil
}

// runInit is the PID namespace's first process: it brings the network up,
// starts the inside copy, and reaps whatever is left without a parent, such as
// the workers of a load balancer whose master was killed.
func runInit() (int, error) {
	runtime.LockOSThread()
	if err := bringUpLoopback(); err != nil {
		return 0, err
	}
	signals := make(chan os.Signal, len(forwarded))
	signal.Notify(signals, forwarded...)
	cmd, err := self(stageInside, nil)
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("start inside the sandbox: %w", err)
	}
	go forward(signals, cmd.Process)
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return 0, fmt.Errorf("reap: %w", err)
		case pid == cmd.Process.Pid:
			return exitCode(status), nil
		}
	}
}

func self(stage string, env []string) (*exec.Cmd, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the running program: %w", err)
	}
	cmd := exec.Command(path)
	cmd.Args = os.Args
	cmd.Env = append(append(os.Environ(), env...), stageVar+"="+stage)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd, nil
}

func forward(signals <-chan os.Signal, to *os.Process) {
	for s := range signals {
		// Gone already is fine: the waiting side sees it.
		_ = to.Signal(s)
	}
}

// exitCode follows the shell: 128 and the signal's number for a killed one.
func exitCode(status syscall.WaitStatus) int {
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}

func bringUpLoopback() error {
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return fmt.Errorf("find lo in the new network: %w", err)
	}
	if err := netlink.LinkSetUp(lo); err != nil {
		return fmt.Errorf("bring lo up in the new network: %w", err)
	}
	return nil
}
