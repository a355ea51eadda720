package search_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/app/internal/find/audit"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/pipeline"
	"github.com/slicewright/slicewright/app/internal/find/search"
)

// step is a source that does what the test says.
type step struct {
	name string
	read func() error
}

func (s step) Doing() string { return s.name }

func (s step) Read(_ context.Context, found *pipeline.Found, progress func(string)) error {
	progress("inside " + s.name)
	found.Trees = append(found.Trees, pipeline.Tree{Name: s.name})
	return s.read()
}

func TestSourcesAreReadInTheirOrderUntilOneFails(t *testing.T) {
	broken := errors.New("broken")
	good := func() error { return nil }
	var doing []string
	found, err := search.Run(t.Context(), []search.Source{step{"a", good}, step{"b", func() error { return broken }}, step{"c", good}},
		func(what string) { doing = append(doing, what) })
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if d := cmp.Diff([]string{"a", "inside a", "b", "inside b"}, doing); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if len(found.Trees) != 2 {
		t.Errorf("%d trees were found", len(found.Trees))
	}
}

func TestASearchEndsWithTheCauseOfItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("enough")
	read := 0
	_, err := search.Run(ctx, []search.Source{
		step{"a", func() error { read++; cancel(stop); return nil }},
		step{"b", func() error { read++; return nil }},
	}, func(string) {})
	if !errors.Is(err, stop) || read != 1 {
		t.Errorf("error %v after %d sources", err, read)
	}
}

func TestWhatCannotBeReadIsTheSourcesCoverage(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "none")
	manifest := filepath.Join(dir, "a.yaml")
	if err := os.WriteFile(manifest, []byte("apiVersion: v1\nkind: Service\nmetadata: {name: a}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := search.Run(t.Context(), []search.Source{
		search.Manifests{Name: manifest, Namespace: "prod"},
		search.Manifests{Name: missing},
		search.Manifests{Name: "-", Stdin: strings.NewReader("apiVersion: v1\nkind: Service\nmetadata: {name: b}\n")},
		search.AuditLogs{Names: []string{missing}, Options: audit.Options{}},
		search.Metrics{Pages: []string{missing}},
	}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	type read struct {
		Services []string
		Problems int
	}
	var got []read
	for _, o := range found.Objects {
		r := read{Problems: len(o.Coverage.Problems)}
		if o.Snapshot != nil {
			for _, s := range o.Snapshot.Services {
				r.Services = append(r.Services, s.Ref.String())
			}
		}
		got = append(got, r)
	}
	if d := cmp.Diff([]read{{[]string{"Service/prod/a"}, 0}, {nil, 1}, {[]string{"Service/default/b"}, 0}}, got); d != "" {
		t.Errorf("objects (-want +got):\n%s", d)
	}
	if len(found.Logs) != 1 || len(found.Logs[0].Coverage.Problems) != 1 || found.Logs[0].Totals == nil {
		t.Errorf("logs %+v", found.Logs)
	}
	if found.Metrics == nil || len(found.Metrics.Unread) != 1 || found.Metrics.Unread[0].Locator != missing {
		t.Errorf("metrics %+v", found.Metrics)
	}
}

func TestAnAggregateThatCannotBeReadEndsTheSearch(t *testing.T) {
	_, err := search.Run(t.Context(), []search.Source{search.Aggregate{Name: filepath.Join(t.TempDir(), "none")}}, func(string) {})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestATreeHasItsNameItsOwnersAndTwoReadings(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sync")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"run.sh": "#!/bin/sh\nkubectl get endpoints\n", "CODEOWNERS": "* @edge\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found, err := search.Run(t.Context(), []search.Source{search.Tree{Dir: dir}}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	tree := found.Trees[0]
	var sources []evidence.Source
	for _, r := range tree.Readings {
		sources = append(sources, r.Coverage.Source)
	}
	if tree.Name != "sync" || tree.OwnerOf("run.sh:2:1") != "@edge" {
		t.Errorf("the tree is %q, its owner %q", tree.Name, tree.OwnerOf("run.sh:2:1"))
	}
	if d := cmp.Diff([]evidence.Source{evidence.SourceGo, evidence.SourceText}, sources); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if len(tree.Readings[1].Findings) != 1 {
		t.Errorf("findings %v", tree.Readings[1].Findings)
	}
}
