// Package scenarios holds the lab's scenarios: what must hold of the whole,
// against a real control plane, real listeners and a real HAProxy.
package scenarios

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/term"

	"github.com/slicewright/slicewright/lab"
	"github.com/slicewright/slicewright/lab/controlplane"
	"github.com/slicewright/slicewright/lab/product"
	"github.com/slicewright/slicewright/lab/sandbox"
	"github.com/slicewright/slicewright/lab/scenario"
)

// What the copy outside the sandbox, where there is a network to build with,
// tells the one inside.
const (
	programVar     = "SLICEWRIGHT_SCENARIOS_CONTROL_PLANE"
	slicewrightVar = "SLICEWRIGHT_SCENARIOS_SLICEWRIGHT"
)

// engine runs the scripts; TestMain makes it.
var engine *scenario.Engine

func TestMain(m *testing.M) {
	var env []string
	if sandbox.Outside() {
		var err error
		if env, err = build(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, "scenarios:", err)
			os.Exit(1)
		}
	}
	sandbox.Enter(env...)
	code, err := runInLab(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "scenarios:", err)
		code = 1
	}
	os.Exit(code)
}

// build makes the control plane and the program under test, once for all
// scripts.
func build(ctx context.Context) ([]string, error) {
	source, err := controlplane.FindSource(".")
	if err != nil {
		return nil, err
	}
	cache, err := controlplane.CacheDir()
	if err != nil {
		return nil, err
	}
	program, err := controlplane.Build{
		Source: source, Cache: cache, Progress: os.Stderr, Terminal: term.IsTerminal(int(os.Stderr.Fd())),
	}.Program(ctx)
	if err != nil {
		return nil, err
	}
	// A program built elsewhere, such as a release, can be put to the test.
	if slicewright := os.Getenv(slicewrightVar); slicewright != "" {
		return []string{programVar + "=" + program}, nil
	}
	slicewright, err := product.Build(ctx, source, cache)
	if err != nil {
		return nil, err
	}
	return []string{programVar + "=" + program, slicewrightVar + "=" + slicewright}, nil
}

// runInLab runs the tests in a lab, and then looks whether the lab left
// anything running.
func runInLab(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "lab-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	start := time.Now()
	l, err := lab.Start(ctx, lab.Options{
		Dir:      dir,
		Programs: controlplane.Programs{MultiCall: os.Getenv(programVar), Assets: os.Getenv("KUBEBUILDER_ASSETS")},
		Log:      slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	if err != nil {
		return 0, err
	}
	fmt.Printf("lab is up after %s\n", time.Since(start).Round(100*time.Millisecond))
	engine = &scenario.Engine{Lab: l, Slicewright: os.Getenv(slicewrightVar), Shared: "shared", Logs: logFolder()}
	code := m.Run()
	if err := l.Close(); err != nil {
		return 0, err
	}
	if err := goleak.Find(); err != nil {
		return 0, fmt.Errorf("after the lab went down: %w", err)
	}
	return code, nil
}

// logFolder is where failed scripts leave their logs.
func logFolder() string {
	if dir := os.Getenv("SLICEWRIGHT_LAB_LOGS"); dir != "" {
		return dir
	}
	return filepath.Join(os.TempDir(), "slicewright-lab-logs")
}

func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	engine.Run(t, files...)
}
