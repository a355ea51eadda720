package template

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// most is how much of a command's output an error carries.
const most = 4 << 10

// run runs a command, without a shell, to its end or its time-out.
func (d *Driver) run(ctx context.Context, what string, args []string) error {
	ctx, cancel := context.WithTimeout(ctx, d.config.CommandTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	var output tail
	cmd.Stdout, cmd.Stderr = &output, &output
	// A child that keeps the pipe open must not keep us.
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("%w after %s", ctx.Err(), d.config.CommandTimeout)
	}
	return fmt.Errorf("template: %s %q: %w: %s", what, args, err, strings.TrimSpace(output.String()))
}

// tail keeps the last part of what is written to it.
type tail struct{ bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	if n > most {
		p = p[n-most:]
	}
	if excess := t.Len() + len(p) - most; excess > 0 {
		t.Next(excess)
	}
	t.Buffer.Write(p)
	return n, nil
}
