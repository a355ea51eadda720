//go:build unix

package verify

import (
	"os/exec"
	"syscall"
	"time"
)

// endWithChildren has a command's end reach what it started, too: a shell does
// not pass it on.
func endWithChildren(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}

// killRest kills what is left of the group that a command began, at a moment until
// which it can end by itself: the end of the shell is not that of its children,
// which may not heed SIGTERM.
func killRest(cmd *exec.Cmd, at time.Time) {
	if cmd.Process == nil {
		return
	}
	group := -cmd.Process.Pid
	for ; time.Now().Before(at); time.Sleep(20 * time.Millisecond) {
		if syscall.Kill(group, 0) != nil {
			return // nobody is left, or nobody of ours
		}
	}
	_ = syscall.Kill(group, syscall.SIGKILL) // the last of them may have ended just now
}
