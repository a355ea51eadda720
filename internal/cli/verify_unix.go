//go:build unix

package cli

import (
	"os/exec"
	"syscall"
)

// endWithChildren has a command's end reach what it started, too: a shell does
// not pass it on.
func endWithChildren(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}
