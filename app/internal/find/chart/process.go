package chart

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/slicewright/slicewright/internal/text"
)

// Process renders each chart in a process of its own, which is killed when it
// takes too long. The process reads a [Request] as JSON and writes a [Response]:
// engine.Serve does, and puts limits of memory and processor time on itself.
type Process struct {
	// Command is the program with its arguments.
	Command []string
	// Timeout bounds one chart by the clock; 0 is a minute.
	Timeout time.Duration
}

// MaxResponse bounds what a chart renders to, in bytes.
const MaxResponse = 32 << 20

// Render runs the process. It is handed nothing of this process's environment.
func (p Process) Render(ctx context.Context, r Request) (Response, error) {
	timeout := p.Timeout
	if timeout == 0 {
		timeout = time.Minute
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("rendering takes longer than %s", timeout))
	defer cancel()
	request, err := json.Marshal(r)
	if err != nil {
		return Response{}, err
	}
	// #nosec G204: the command is the caller's own program.
	cmd := exec.CommandContext(ctx, p.Command[0], p.Command[1:]...)
	cmd.Env = []string{"GOTRACEBACK=none"}
	cmd.Stdin = bytes.NewReader(request)
	answer := &bounded{left: 2 * MaxResponse} // JSON escapes
	said := &bounded{left: 4 << 10}
	cmd.Stdout, cmd.Stderr = answer, said
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return Response{}, context.Cause(ctx)
	case err != nil:
		// Without memory the process says so, and then prints its stack.
		why, _, _ := strings.Cut(strings.TrimSpace(said.text.String()), "\n")
		return Response{}, fmt.Errorf("rendering ended without an answer: it takes more memory or processor time than is granted (%w) %s", err, text.Excerpt(why, maxMessage))
	}
	var out Response
	if err := json.Unmarshal(answer.text.Bytes(), &out); err != nil {
		return Response{}, fmt.Errorf("the renderer's answer: %w", err)
	}
	return out, nil
}

// bounded keeps what is written up to a limit and refuses the rest.
type bounded struct {
	text bytes.Buffer
	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errors.New("more output than is granted")
	}
	return b.text.Write(p)
}
