package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/slicewright/slicewright/lab/conformance"
	"github.com/slicewright/slicewright/lab/controlplane"
	"github.com/slicewright/slicewright/lab/gobuild"
	"github.com/slicewright/slicewright/lab/sandbox"
)

// conformanceFlags say what to run.
type conformanceFlags struct {
	consumers []string
	scenarios []string
	dirs      []string
	fast      bool
	write     bool
	render    bool
	list      bool
	verbose   bool
	keep      string
	parallel  int
	repeats   int

	reproductions string
}

func newConformanceCommand() *cobra.Command {
	var f conformanceFlags
	cmd := &cobra.Command{
		Use:   "conformance",
		Short: "Run consumers of EndpointSlices through the same scenarios, and say what each did",
		Long: `Run consumers of EndpointSlices and Endpoints through the same scenarios, in a
lab of its own, and say of each cell whether new connections went where they
have to go, and by which rule. Consumers of your own join by a YAML file in a
folder that --consumers-dir names; docs/conformance.md says how.

Exit code 0: every cell is as its consumer promises, 1: something could not be
run, 3: a cell breaks a rule (those of the control do not count).`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runConformance(cmd.Context(), f, cmd.OutOrStdout()) },
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.consumers, "consumer", nil, "only these consumers")
	flags.StringSliceVar(&f.scenarios, "scenario", nil, "only these scenarios")
	flags.StringSliceVar(&f.dirs, "consumers-dir", nil, "folders of consumers, in addition to the lab's own")
	flags.BoolVar(&f.fast, "fast", false, "only the consumers that need nothing but Debian and this checkout")
	flags.BoolVar(&f.write, "write", false, "write lab/conformance/results.json and docs/conformance.md with its pages: only of a whole run")
	flags.BoolVar(&f.render, "render", false, "make the document and its pages of the results that are kept, and run nothing")
	flags.StringVar(&f.reproductions, "write-reproductions", "", "write a script for each cell that breaks in the results that are kept into this folder, and run nothing")
	flags.BoolVar(&f.verbose, "verbose", false, "a line on stderr for each play and each cell, also where that is no terminal")
	flags.BoolVar(&f.list, "list", false, "list consumers and scenarios, and run nothing")
	flags.StringVar(&f.keep, "keep", "", "leave all logs and files in this folder, which must not exist")
	flags.IntVar(&f.parallel, "parallel", 2, "scenarios at once")
	flags.IntVar(&f.repeats, "repeats", 2, "how often to play again what broke")
	return cmd
}

// conformanceVar hands what was built outside the sandbox to the inside.
const conformanceVar = "SLICEWRIGHT_LAB_CONFORMANCE"

func runConformance(ctx context.Context, f conformanceFlags, out io.Writer) error {
	source, err := controlplane.FindSource(".")
	if err != nil {
		return err
	}
	if f.render {
		return render(source)
	}
	if f.reproductions != "" {
		return writeReproductions(source, f.reproductions, out)
	}
	if f.write && (len(f.consumers)+len(f.scenarios) > 0 || f.fast) {
		return errors.New("--write is for a whole run: leave out --consumer, --scenario and --fast")
	}
	consumers, scenarios, err := f.choose(source)
	if err != nil {
		return err
	}
	if f.list {
		for _, c := range consumers {
			fmt.Fprintf(out, "consumer  %-24s %s\n", c.Name, c.Title)
		}
		for _, s := range scenarios {
			fmt.Fprintf(out, "scenario  %-24s %s\n", s.Name, s.Title)
		}
		return nil
	}
	var env []string
	if sandbox.Outside() {
		cache := gobuild.Cache{Progress: os.Stderr, Terminal: term.IsTerminal(int(os.Stderr.Fd()))}
		if cache.Dir, err = controlplane.CacheDir(); err != nil {
			return err
		}
		built, err := conformance.BuildAll(ctx, source, cache, consumers)
		if err != nil {
			return err
		}
		content, err := json.Marshal(built)
		if err != nil {
			return err
		}
		env = []string{conformanceVar + "=" + string(content)}
	}
	sandbox.Enter(env...)
	var built conformance.Built
	if err := json.Unmarshal([]byte(os.Getenv(conformanceVar)), &built); err != nil {
		return fmt.Errorf("read what was built: %w", err)
	}
	results, err := f.run(ctx, built, consumers, scenarios)
	if err != nil {
		return err
	}
	return f.report(results, source, out)
}

// render makes the documents again, of what was seen the last time and of what
// the consumers' files say of it now.
func render(source string) error {
	results, err := keptResults(source)
	if err != nil {
		return err
	}
	consumers, err := conformance.LoadConsumers(filepath.Join(source, "conformance", "consumers"))
	if err != nil {
		return err
	}
	if err := results.Rejudge(consumers); err != nil {
		return err
	}
	return results.WriteAll(filepath.Dir(source))
}

func keptResults(source string) (*conformance.Results, error) {
	return conformance.LoadResults(filepath.Join(source, "conformance", "results.json"))
}

func writeReproductions(source, dir string, out io.Writer) error {
	results, err := keptResults(source)
	if err != nil {
		return err
	}
	n, err := results.WriteReproductions(dir)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%d scripts are in %s\n", n, dir)
	return err
}

// choose loads the consumers and picks those, and the scenarios, that were
// asked for.
func (f conformanceFlags) choose(source string) ([]*conformance.Consumer, []*conformance.Scenario, error) {
	var consumers []*conformance.Consumer
	for _, dir := range append([]string{filepath.Join(source, "conformance", "consumers")}, f.dirs...) {
		loaded, err := conformance.LoadConsumers(dir)
		if err != nil {
			return nil, nil, err
		}
		consumers = append(consumers, loaded...)
	}
	names := func(c *conformance.Consumer) string { return c.Name }
	consumers, err := pick("consumer", consumers, names, f.consumers)
	if err != nil {
		return nil, nil, err
	}
	if f.fast {
		consumers = slices.DeleteFunc(consumers, func(c *conformance.Consumer) bool { return !c.Fast })
	}
	scenarios, err := pick("scenario", conformance.Scenarios(), func(s *conformance.Scenario) string { return s.Name }, f.scenarios)
	return consumers, scenarios, err
}

func pick[T any](what string, all []T, name func(T) string, wanted []string) ([]T, error) {
	if len(wanted) == 0 {
		return all, nil
	}
	var picked []T
	for _, w := range wanted {
		i := slices.IndexFunc(all, func(t T) bool { return name(t) == w })
		if i < 0 {
			return nil, fmt.Errorf("there is no %s %q; --list lists them", what, w)
		}
		picked = append(picked, all[i])
	}
	return picked, nil
}

func (f conformanceFlags) run(ctx context.Context, built conformance.Built, consumers []*conformance.Consumer, scenarios []*conformance.Scenario) (_ *conformance.Results, err error) {
	dir, err := os.MkdirTemp("", "lab-")
	if err != nil {
		return nil, fmt.Errorf("make a folder: %w", err)
	}
	defer func() {
		if f.keep != "" {
			err = errors.Join(err, os.CopyFS(f.keep, regularFiles(dir)))
		}
		_ = os.RemoveAll(dir) // a folder in the temporary one
	}()
	var log *slog.Logger
	if f.verbose || term.IsTerminal(int(os.Stderr.Fd())) {
		log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	return conformance.Run(ctx, conformance.Config{
		Dir: dir, Built: built, Consumers: consumers, Scenarios: scenarios, Parallel: f.parallel, Repeats: f.repeats, Log: log,
	})
}

func (f conformanceFlags) report(results *conformance.Results, source string, out io.Writer) error {
	if f.write {
		if err := results.WriteAll(filepath.Dir(source)); err != nil {
			return err
		}
	}
	broken, unknown := 0, 0
	control := map[string]bool{}
	for _, c := range results.Consumers {
		control[c.Name] = c.Control
	}
	for _, cell := range results.Cells {
		fmt.Fprintln(out, describeCell(cell))
		switch {
		case cell.Verdict == conformance.NotRun:
			unknown++
		case cell.Verdict == conformance.Breaks && !control[cell.Consumer]:
			broken++
		}
	}
	if unknown > 0 {
		return fmt.Errorf("%d cells could not be run", unknown)
	}
	if broken > 0 && !f.write { // written down, it is a test's to say whether it is known
		return exitError{fmt.Errorf("%d cells break a rule that their consumer promises", broken), exitFinding}
	}
	return nil
}

// describeCell is a line for people, and more of what is not as expected.
func describeCell(cell conformance.Cell) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%-22s %-24s %s", cell.Scenario, cell.Consumer, cell.Verdict)
	if cell.Rule != "" {
		fmt.Fprintf(&text, " (%s)", cell.Rule)
	}
	if cell.Broken > 0 {
		fmt.Fprintf(&text, ", in %d of %d plays", cell.Broken, cell.Plays)
	}
	if cell.RestartHeals != "" {
		fmt.Fprintf(&text, ", a restart heals: %s", cell.RestartHeals)
	}
	if cell.Note != "" {
		fmt.Fprintf(&text, ": %s", cell.Note)
	}
	for _, o := range cell.Observations {
		if !o.OK {
			fmt.Fprintf(&text, "\n    step %d, Service %s: want %s, got %s", o.Step, o.Service, o.Want, o.Summary())
		}
	}
	return text.String()
}

// regularFiles is a folder without what cannot be copied: sockets.
func regularFiles(dir string) fs.FS { return onlyRegular{os.DirFS(dir)} }

type onlyRegular struct{ fs.FS }

func (o onlyRegular) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(o.FS, name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !e.IsDir() && !e.Type().IsRegular() }), err
}
