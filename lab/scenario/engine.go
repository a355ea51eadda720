// Package scenario runs txtar scripts against a lab: a real control plane,
// Pods that really listen, a real HAProxy, and the program under test.
//
// A script is a testscript (github.com/rogpeppe/go-internal/testscript) with
// the commands listed in commands.go. Scripts run one after another and share
// one control plane; each has a namespace, a HAProxy and listeners of its own,
// and leaves the control plane as it found it.
package scenario

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/slicewright/slicewright/lab"
)

// Engine runs scripts against one lab.
type Engine struct {
	Lab *lab.Lab
	// Slicewright is the program under test; "" makes its command fail.
	Slicewright string
	// Shared is a folder of files that every script gets, unless it has a file
	// of that name itself. In all of a script's files, ${NS} is its first
	// namespace and ${WORK} is its folder.
	Shared string
	// Logs is the folder where a failed script leaves what it knows.
	Logs string
}

// Run runs the scripts, in the order of their names, as subtests of t.
func (e *Engine) Run(t *testing.T, files ...string) {
	testscript.RunT(serial{t}, testscript.Params{
		Files:              files,
		Cmds:               commands(),
		Setup:              e.setup,
		RequireUniqueNames: true,
	})
}

// serial is a testing.T whose subtests do not run in parallel: they share one
// control plane, which some of them take down.
type serial struct{ *testing.T }

func (serial) Parallel()     {}
func (serial) Verbose() bool { return testing.Verbose() }
func (s serial) Run(name string, f func(testscript.T)) {
	s.T.Run(name, func(t *testing.T) { f(serial{t}) })
}

type scriptKey struct{}

// scriptTimeout ends a script that hangs, well before go test would end all
// of them without a word.
const scriptTimeout = 8 * time.Minute

func (e *Engine) setup(env *testscript.Env) error {
	t := env.T().(serial)
	ctx, cancel := context.WithTimeoutCause(context.Background(), scriptTimeout, fmt.Errorf("the script takes longer than %s", scriptTimeout))
	name := filepath.Base(t.Name())
	s, err := newScript(ctx, e, name, env.WorkDir)
	if err != nil {
		cancel()
		return err
	}
	// While the script's files are still there.
	env.Defer(func() {
		defer cancel()
		s.close(t)
	})
	env.Values[scriptKey{}] = s
	env.Setenv("KUBECONFIG", filepath.Join(e.Lab.Dir, "admin.kubeconfig"))
	env.Setenv("LAB", e.Lab.Dir)
	env.Setenv("NS", s.namespace)
	if e.Slicewright != "" {
		env.Setenv("PATH", filepath.Dir(e.Slicewright)+string(os.PathListSeparator)+env.Getenv("PATH"))
	}
	if err := s.prepare(); err != nil {
		return err
	}
	return s.useNamespace(ctx, s.namespace)
}

// prepare gives a script the shared files and fills in the placeholders of all
// its files.
func (s *script) prepare() error {
	if err := s.copyShared(); err != nil {
		return fmt.Errorf("copy the shared files: %w", err)
	}
	files, err := os.ReadDir(s.work)
	if err != nil {
		return fmt.Errorf("read the script's files: %w", err)
	}
	fill := strings.NewReplacer("${NS}", s.namespace, "${WORK}", s.work)
	for _, file := range files {
		if file.IsDir() {
			continue
		}
		path := s.path(file.Name())
		content, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("read the script's files: %w", err)
		}
		if err := os.WriteFile(path, []byte(fill.Replace(string(content))), 0o644); err != nil {
			return fmt.Errorf("fill in the script's files: %w", err)
		}
	}
	return nil
}

func (s *script) copyShared() error {
	files, err := os.ReadDir(s.engine.Shared)
	if err != nil {
		return err
	}
	for _, file := range files {
		to := s.path(file.Name())
		if _, err := os.Stat(to); err == nil {
			continue
		}
		if err := copyFile(to, filepath.Join(s.engine.Shared, file.Name())); err != nil {
			return err
		}
	}
	return nil
}
