package conformance

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/slicewright/slicewright/lab"
)

// Config says what a run plays.
type Config struct {
	// Dir gets everything of the run. It must exist and be empty, and its name
	// short, since sockets are in it.
	Dir       string
	Built     Built
	Consumers []*Consumer
	Scenarios []*Scenario
	// Parallel, Repeats and Again are those of Engine.
	Parallel, Repeats int
	Again             func(Cell) bool
	// Log gets a line for each play; nil is nothing.
	Log *slog.Logger
}

// startPatienceOfLab is far above what a start takes on a loaded machine.
const startPatienceOfLab = 3 * time.Minute

// Run starts a lab, which has to be inside a sandbox, plays everything in it and
// ends it.
func Run(ctx context.Context, c Config) (_ *Results, err error) {
	began := time.Now()
	dirs := map[string]string{"lab": filepath.Join(c.Dir, "lab"), "consumers": filepath.Join(c.Dir, "c")}
	for _, dir := range dirs {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, fmt.Errorf("make a folder: %w", err)
		}
	}
	start, cancel := context.WithTimeout(ctx, startPatienceOfLab)
	defer cancel()
	l, err := lab.Start(start, lab.Options{Dir: dirs["lab"], Programs: c.Built.ControlPlane})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	engine := &Engine{Lab: l, Dir: dirs["consumers"], Built: c.Built, Parallel: c.Parallel, Repeats: c.Repeats, Again: c.Again, Log: c.Log}
	results := &Results{APIVersion: APIVersion, Kind: KindResults, Began: began.UTC().Truncate(time.Second)}
	if results.Consumers, err = engine.Describe(ctx, c.Consumers); err != nil {
		return nil, err
	}
	version, err := l.Client.Discovery().ServerVersion()
	if err != nil {
		return nil, fmt.Errorf("ask for the API server's version: %w", err)
	}
	results.Kubernetes = version.GitVersion
	for i := range c.Consumers {
		if c.Consumers[i].Component != "" {
			// A component of the control plane is of its version.
			results.Consumers[i].Versions = append(results.Consumers[i].Versions, "Kubernetes "+version.GitVersion)
		}
	}
	for _, s := range c.Scenarios {
		results.Scenarios = append(results.Scenarios, s.Name)
	}
	if results.Cells, err = engine.Run(ctx, c.Consumers, c.Scenarios); err != nil {
		return nil, err
	}
	results.Took = time.Since(began).Round(time.Second).Seconds()
	return results, nil
}
