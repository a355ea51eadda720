//go:build !unix

package cli

import (
	"os/exec"
	"time"
)

func endWithChildren(*exec.Cmd) {}

func killRest(*exec.Cmd, time.Time) {}
