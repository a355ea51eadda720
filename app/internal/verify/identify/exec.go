package identify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// What Exec's program finds in its environment.
const (
	// EnvLocal and EnvRemote are the ends of the connection, as IP:PORT. By the
	// local one a load balancer's table of sessions or log names the backend.
	EnvLocal  = "SLICEWRIGHT_LOCAL"
	EnvRemote = "SLICEWRIGHT_REMOTE"
	// EnvStatus is the HTTP status; not set for other protocols.
	EnvStatus = "SLICEWRIGHT_STATUS"
)

// program asks a program of the user's.
type program struct{ argv []string }

// Exec returns a How for backends that do not tell: it runs a program, which
// prints an address or a name as its only line. The connection is open
// meanwhile, the answer's body is the program's stdin, and the rest is in its
// environment. Nothing of an answer is ever an argument, and there is no shell.
// A program that fails, or prints nothing, has not told.
//
// What it does counts into the time of the request.
func Exec(argv ...string) How { return program{argv} }

func (p program) String() string { return "exec:" + strings.Join(p.argv, " ") }

func (p program) Who(ctx context.Context, a Answer) (Who, error) {
	cmd := exec.CommandContext(ctx, p.argv[0], p.argv[1:]...)
	cmd.Env = append(os.Environ(), EnvLocal+"="+a.Local.String(), EnvRemote+"="+a.Remote.String())
	if a.Status != 0 {
		cmd.Env = append(cmd.Env, EnvStatus+"="+strconv.Itoa(a.Status))
	}
	cmd.Stdin = bytes.NewReader(a.Body)
	// A grandchild that keeps the pipes open does not hold us.
	cmd.WaitDelay = time.Second
	var out, problem limited
	cmd.Stdout, cmd.Stderr = &out, &problem
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err != nil && ctx.Err() != nil:
		return Who{}, fmt.Errorf("%s: %w", p.argv[0], ctx.Err())
	case errors.As(err, &exit):
		return Who{}, fmt.Errorf("%w: %s: %w: %.120q", errSilent, p.argv[0], err, problem.text)
	case err != nil:
		return Who{}, fmt.Errorf("%w: %w", errSilent, err)
	}
	return Read(string(out.text))
}

// limited keeps the beginning of what is written, and takes the rest without
// keeping it: a program that says too much is not stopped by that.
type limited struct{ text []byte }

func (l *limited) Write(text []byte) (int, error) {
	l.text = append(l.text, text[:min(len(text), 4096-len(l.text))]...)
	return len(text), nil
}
