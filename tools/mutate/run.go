package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

type outcome int

const (
	noticed  outcome = iota // a test failed, or ran for too long
	survived                // all tests passed
	invalid                 // it does not compile
)

// built are the test binaries that hold all swaps of a package.
type built struct {
	overlay string
	tests   []testBinary
}

type testBinary struct {
	path  string
	of    *pkg
	usual time.Duration // how long it takes without a swap
}

// try makes one swap and runs the tests that should notice it. Files are in dir.
func try(ctx context.Context, dir string, l *place) (outcome, error) {
	p := l.in
	p.once.Do(func() {
		if p.built, p.err = build(ctx, dir, p); p.err != nil {
			p.err = fmt.Errorf("%s: %w", p.ImportPath, p.err)
		}
	})
	if p.err != nil {
		return 0, p.err
	}
	if l.unusable {
		return invalid, nil
	}
	for _, t := range p.built.tests {
		// A loop without end is noticed by the time-out.
		_, err := t.run(ctx, p.built.overlay, fmt.Sprint(l.number), 5*t.usual+10*time.Second)
		var exit *exec.ExitError
		switch {
		case ctx.Err() != nil:
			return 0, context.Cause(ctx)
		case errors.As(err, &exit) || errors.Is(err, exec.ErrWaitDelay):
			return noticed, nil
		case err != nil:
			return 0, err
		}
	}
	return survived, nil
}

// build compiles the tests of a package with all swaps in it, leaves out those
// that do not compile, and sees the tests pass while no swap is made.
func build(ctx context.Context, dir string, p *pkg) (*built, error) {
	dir, err := os.MkdirTemp(dir, "")
	if err != nil {
		return nil, err
	}
	b := &built{}
	for i, of := range p.testedBy {
		t := testBinary{path: filepath.Join(dir, fmt.Sprintf("%d.test", i)), of: of}
		for {
			if b.overlay, err = overlay(p, dir); err != nil {
				return nil, err
			}
			text, err := command(ctx, "go", "test", "-c", "-vet=off", "-overlay="+b.overlay, "-o="+t.path, of.ImportPath).CombinedOutput()
			if err == nil {
				break
			}
			if ctx.Err() != nil || !p.dropUnusable(string(text)) {
				return nil, fmt.Errorf("build the tests of %s: %w\n%s", of.ImportPath, err, text)
			}
		}
		began := time.Now()
		if text, err := t.run(ctx, b.overlay, "", 15*time.Minute); err != nil {
			return nil, fmt.Errorf("the tests of %s do not pass without a swap: %w\n%s", of.ImportPath, err, text)
		}
		t.usual = time.Since(began)
		b.tests = append(b.tests, t)
	}
	return b, nil
}

// run runs the tests with a swap, or without if its number is empty.
func (t testBinary) run(ctx context.Context, overlay, number string, timeout time.Duration) (string, error) {
	args := []string{"-test.paniconexit0", "-test.failfast", "-test.timeout=" + timeout.String()}
	if t.of.usesRapid() {
		// The first failure is enough, and it is not for the tree to keep.
		args = append(args, "-rapid.nofailfile", "-rapid.shrinktime=1ms")
	}
	// A swap can make a loop that takes memory without end: 4 GB are enough.
	cmd := command(ctx, "sh", slices.Concat([]string{"-c", `ulimit -d 4000000; exec "$0" "$@"`, t.path}, args)...)
	cmd.Dir = t.of.Dir
	// What a test builds has the swap too.
	cmd.Env = append(os.Environ(), "PWD="+cmd.Dir, placeVariable+"="+number, strings.TrimSpace("GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+overlay))
	text, err := cmd.CombinedOutput()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it started and left
	}
	return string(text), err
}

// command is a command whose children end with it.
func command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}
