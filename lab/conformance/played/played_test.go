package played

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/term"

	"github.com/slicewright/slicewright/lab/conformance"
	"github.com/slicewright/slicewright/lab/controlplane"
	"github.com/slicewright/slicewright/lab/gobuild"
	"github.com/slicewright/slicewright/lab/sandbox"
)

// builtVar hands what was built outside the sandbox, where there is a network,
// to the inside.
const builtVar = "SLICEWRIGHT_CONFORMANCE_BUILT"

func TestMain(m *testing.M) {
	var env []string
	if sandbox.Outside() {
		built, err := build()
		if err != nil {
			fmt.Fprintln(os.Stderr, "conformance:", err)
			os.Exit(1)
		}
		env = []string{builtVar + "=" + built}
	}
	sandbox.Enter(env...)
	os.Exit(m.Run())
}

func build() (string, error) {
	source, err := controlplane.FindSource(".")
	if err != nil {
		return "", err
	}
	cache := gobuild.Cache{Progress: os.Stderr, Terminal: term.IsTerminal(int(os.Stderr.Fd()))}
	if cache.Dir, err = controlplane.CacheDir(); err != nil {
		return "", err
	}
	built, err := conformance.BuildAll(context.Background(), source, cache, nil)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(built)
	return string(text), err
}

// Ours do what they promise in every scenario; the control, which reads the
// first slice alone, fails those with several and only those; and kube-proxy's
// connections go where its rules say.
func TestFastConsumers(t *testing.T) {
	consumers, err := conformance.LoadConsumers("../consumers")
	if err != nil {
		t.Fatal(err)
	}
	consumers = slices.DeleteFunc(consumers, func(c *conformance.Consumer) bool { return !c.Fast })
	known, err := conformance.LoadBreaks("../testdata/breaks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	config := conformance.Config{
		Consumers: consumers, Scenarios: conformance.Scenarios(), Parallel: 3,
		// Once more for what breaks and is not known to: a machine under load is no
		// consumer's fault.
		Repeats: 1,
		Again:   func(c conformance.Cell) bool { return !slices.Contains(known[c.Consumer], c.Scenario) },
		Log:     slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}
	if err := json.Unmarshal([]byte(os.Getenv(builtVar)), &config.Built); err != nil {
		t.Fatal(err)
	}
	// Not t.TempDir: sockets are in it, and its name has to be short.
	if config.Dir, err = os.MkdirTemp("", "lab-"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("logs are in %s", config.Dir)
			return
		}
		_ = os.RemoveAll(config.Dir) // a folder in the temporary one
	})
	results, err := conformance.Run(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	for i, cell := range results.Cells {
		if cell.Verdict == conformance.Breaks && cell.Broken < cell.Plays {
			t.Logf("not every time: %s in %s broke %d times of %d: %+v", cell.Consumer, cell.Scenario, cell.Broken, cell.Plays, cell.Observations)
			results.Cells[i].Verdict = conformance.Expected
		}
	}
	differences, err := results.CompareBreaks("../testdata/breaks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range differences {
		t.Error(d)
	}
	compared, differences := results.CompareViews("kube-proxy")
	for _, d := range differences {
		t.Error(d)
	}
	if compared < len(conformance.Scenarios()) {
		t.Errorf("kube-proxy's rules were compared %d times alone", compared)
	}
	if err := goleak.Find(); err != nil {
		t.Error(err)
	}
}
