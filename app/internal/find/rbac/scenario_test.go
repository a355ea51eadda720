package rbac_test

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/manifests"
	"github.com/slicewright/slicewright/app/internal/find/objects"
	"github.com/slicewright/slicewright/app/internal/find/rbac"
)

var update = flag.Bool("update", false, "rewrite the want sections of testdata")

// TestScenarios reads the manifests of each archive in testdata and compares
// everything that was concluded with its want section. The comment of an archive
// says what it shows.
func TestScenarios(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want := ""
			var files []txtar.File
			for _, file := range archive.Files {
				if file.Name == "want" {
					want = string(file.Data)
				} else {
					files = append(files, file)
				}
			}
			fsys, err := txtar.FS(&txtar.Archive{Files: files})
			if err != nil {
				t.Fatal(err)
			}
			snapshot, loaded := load(t, fsys)
			analysis := rbac.Analyze(snapshot)
			got := render(analysis, loaded)
			if *update {
				archive.Files = append(files, txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func load(t *testing.T, fsys fs.FS) (*objects.Snapshot, evidence.Coverage) {
	t.Helper()
	snapshot, coverage, err := manifests.Read(context.Background(), fsys, manifests.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return snapshot, coverage
}

// render writes an analysis as text: whatever a reader would see.
func render(a *rbac.Analysis, loaded evidence.Coverage) string {
	var b strings.Builder
	for _, f := range a.Findings {
		b.WriteString(renderFinding(f))
	}
	for _, p := range a.Patches {
		fmt.Fprintf(&b, "patch at %s for %s\n", p.Locator, strings.Join(p.For, "; "))
		b.WriteString(indent(p.YAML()))
	}
	for _, c := range []evidence.Coverage{loaded, a.Coverage} {
		for _, p := range c.Problems {
			fmt.Fprintf(&b, "problem %s: %s\n", p.Locator, p.Message)
		}
	}
	return b.String()
}

func renderFinding(f evidence.Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %q", f.Confidence, f.Class, f.Subject.Application)
	if f.Subject.ServiceAccount != "" {
		fmt.Fprintf(&b, " sa=%s", f.Subject.ServiceAccount)
	}
	if w := f.Subject.Workload; w.Name != "" {
		fmt.Fprintf(&b, " %s/%s/%s", w.Kind, w.Namespace, w.Name)
	}
	if f.Subject.Owner != "" {
		fmt.Fprintf(&b, " owner=%s", f.Subject.Owner)
	}
	var verbs []string
	for _, verb := range []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"} {
		if n := f.Verbs[verb]; n > 0 {
			verbs = append(verbs, fmt.Sprintf("%s:%d", verb, n))
		}
	}
	fmt.Fprintf(&b, " in=%s verbs=%s\n", strings.Join(f.Namespaces, ","), strings.Join(verbs, ","))
	for _, image := range f.Subject.Images {
		fmt.Fprintf(&b, "    image %s\n", strings.TrimSpace(image.Image+" "+image.Digest))
	}
	for _, e := range f.Evidence {
		fmt.Fprintf(&b, "    %s %s: %s\n", e.Detector, e.Locator, e.Excerpt)
	}
	for _, note := range f.Notes {
		fmt.Fprintf(&b, "    note: %s\n", note)
	}
	if f.Advice != "" {
		fmt.Fprintf(&b, "    do: %s\n", f.Advice)
	}
	return b.String()
}

func indent(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n    ") + "\n"
}
