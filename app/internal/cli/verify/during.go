package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/slicewright/slicewright/app/internal/verify"
)

// duringGrace is how long a command, and what it started, may take to end after
// they were told to.
const duringGrace = 5 * time.Second

// runDuring runs what the user wrote, as the user's shell would. It gets no
// input, and its output goes to stderr: stdout is the report's.
func runDuring(ctx context.Context, command string, timeout time.Duration, stderr io.Writer) verify.CommandReport {
	report := verify.CommandReport{Command: command, Began: time.Now()}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(limited, "sh", "-c", command)
	cmd.Stdout, cmd.Stderr = stderr, stderr
	endWithChildren(cmd)
	cmd.WaitDelay = duringGrace
	told := make(chan time.Time, 1)
	context.AfterFunc(limited, func() { told <- time.Now() })
	err := cmd.Run()
	if limited.Err() != nil {
		killRest(cmd, (<-told).Add(duringGrace))
	}
	report.Ended, report.ExitCode = time.Now(), cmd.ProcessState.ExitCode()
	var exited *exec.ExitError
	switch {
	case errors.Is(limited.Err(), context.DeadlineExceeded) && ctx.Err() == nil:
		report.Problem = fmt.Sprintf("it had not ended after %s: see --timeout", timeout)
	case ctx.Err() != nil:
		report.Problem = "it was interrupted"
	case errors.As(err, &exited):
		report.Problem = exited.Error()
	case err != nil:
		report.Problem = err.Error()
	}
	return report
}
