package gosource

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// reader is a file that lists Endpoints in line 9, column 9.
const reader = `
-- %s --
package x

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func list(cs kubernetes.Interface) (any, error) {
	return cs.CoreV1().Endpoints("prod").List(nil, metav1.ListOptions{})
}
`

func readerAt(path string) string { return strings.Replace(reader, "%s", path, 1) }

// locators scans and gives "locator detector confidence" for each finding.
func locators(findings []evidence.Finding) []string {
	var out []string
	for _, f := range findings {
		out = append(out, f.Evidence[0].Locator+" "+f.Evidence[0].Detector+" "+string(f.Confidence))
	}
	return out
}

func messages(c evidence.Coverage) string {
	var out []string
	for _, p := range c.Problems {
		out = append(out, p.Locator+": "+p.Message)
	}
	return strings.Join(out, "\n")
}

func TestAFindingSaysWhereWhatAndWhatToDo(t *testing.T) {
	root := project(t, "-- go.mod --\nSTUBS example.org/shop/upstream-sync/v2\n"+readerAt("sync/sync.go"))
	findings, coverage := Scan(context.Background(), root, Options{})
	if len(findings) != 1 || len(coverage.Problems) != 0 {
		t.Fatalf("findings %v, problems %v", locators(findings), coverage.Problems)
	}
	want := evidence.Finding{
		Subject:    evidence.Subject{Application: "upstream-sync"},
		Class:      evidence.Reader,
		Confidence: evidence.Likely,
		Verbs:      map[string]int{"list": 1},
		Access:     []string{"list"},
		Namespaces: []string{"prod"},
		Advice:     findings[0].Advice,
		Evidence: []evidence.Evidence{{
			Source: evidence.SourceGo, Detector: "go/typed-client", Locator: "sync/sync.go:9:9", Count: 1, Verb: "list",
			Excerpt: `return cs.CoreV1().Endpoints("prod").List(nil, metav1.ListOptions{})`,
		}},
	}
	if diff := cmp.Diff(want, findings[0]); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(findings[0].Advice, "kubernetes.io/service-name") {
		t.Errorf("advice %q does not say how to select the slices", findings[0].Advice)
	}
	if coverage.Source != evidence.SourceGo || coverage.Read != 1 {
		t.Errorf("coverage %+v", coverage)
	}
}

func TestATreeWithoutTheWordLoadsNothing(t *testing.T) {
	root := project(t, "-- go.mod --\nSTUBS example.org/x\n-- main.go --\npackage main\n\nfunc main() {}\n")
	s := &scan{coverage: evidence.Coverage{}}
	s.tree = walk(context.Background(), root, Options{}, &s.coverage)
	for _, m := range s.tree.modules {
		if m.hasCandidates() {
			t.Error("a module without the word is a candidate")
		}
	}
	// A PATH without a go command makes any load fail, and failing is reported.
	t.Setenv("PATH", t.TempDir())
	findings, coverage := Scan(context.Background(), root, Options{})
	if len(findings)+len(coverage.Problems) != 0 || coverage.Read != 1 {
		t.Errorf("findings %v, coverage %+v", findings, coverage)
	}
}

func TestTheWordWithoutKubernetesLoadsNothing(t *testing.T) {
	root := project(t, "-- go.mod --\nmodule example.org/sdk\n\ngo 1.24\n-- x.go --\npackage sdk\n\nvar Endpoints = map[string]string{\"eu\": \"https://eu.example.org\"}\n")
	t.Setenv("PATH", t.TempDir())
	findings, coverage := Scan(context.Background(), root, Options{})
	if len(findings)+len(coverage.Problems) != 0 {
		t.Errorf("findings %v, coverage %+v", findings, coverage)
	}
}

func TestWithoutTheGoCommandFilesAreReadBySyntax(t *testing.T) {
	root := project(t, "-- go.mod --\nSTUBS example.org/x\n"+readerAt("x.go"))
	t.Setenv("PATH", t.TempDir())
	findings, coverage := Scan(context.Background(), root, Options{})
	if diff := cmp.Diff([]string{"x.go:9:9 go/typed-client possible"}, locators(findings)); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(messages(coverage), "go.mod: the go command cannot load the module") {
		t.Errorf("problems %q", messages(coverage))
	}
}

func TestWhatDoesNotTypeCheckIsReadBySyntaxAndSaid(t *testing.T) {
	for name, archive := range map[string]string{
		"dependencies are missing": "-- go.mod --\nmodule x\n\ngo 1.24\n" + readerAt("x.go"),
		"the code has an error":    "-- go.mod --\nSTUBS x\n" + readerAt("x.go") + "-- bad.go --\npackage x\n\nvar n int = \"endpoints\"\n",
		"a file does not parse":    "-- go.mod --\nSTUBS x\n" + readerAt("x.go") + "-- bad.go --\npackage x\n\nfunc endpoints( {\n",
	} {
		t.Run(name, func(t *testing.T) {
			findings, coverage := Scan(context.Background(), project(t, archive), Options{})
			if len(findings) != 1 || !strings.HasPrefix(findings[0].Evidence[0].Locator, "x.go:9:9") {
				t.Errorf("findings %v", locators(findings))
			}
			if !strings.Contains(messages(coverage), "does not type-check") {
				t.Errorf("problems %q", messages(coverage))
			}
		})
	}
}

func TestModulesOfOneTree(t *testing.T) {
	for name, tc := range map[string]struct {
		archive  string
		want     []string
		problems []string // substrings
	}{
		"each module by itself": {
			archive: "-- a/go.mod --\nSTUBS example.org/a\n" + readerAt("a/a.go") +
				"-- b/go.mod --\nSTUBS example.org/b\n" + readerAt("b/deep/b.go"),
			want: []string{"a/a.go:9:9 go/typed-client likely", "b/deep/b.go:9:9 go/typed-client likely"},
		},
		"a module inside another": {
			archive: "-- go.mod --\nSTUBS example.org/a\n" + readerAt("a.go") +
				"-- tools/go.mod --\nSTUBS example.org/b\n" + readerAt("tools/b.go"),
			want: []string{"a.go:9:9 go/typed-client likely", "tools/b.go:9:9 go/typed-client likely"},
		},
		"a workspace that uses one and not the other": {
			archive: "-- go.work --\ngo 1.24\n\nuse ./a\n-- a/go.mod --\nSTUBS example.org/a\n" + readerAt("a/a.go") +
				"-- b/go.mod --\nSTUBS example.org/b\n" + readerAt("b/b.go"),
			want: []string{"a/a.go:9:9 go/typed-client likely", "b/b.go:9:9 go/typed-client likely"},
		},
		"a workspace with a module that is not there": {
			archive: "-- go.work --\ngo 1.24\n\nuse ./a\nuse ./gone\n-- a/go.mod --\nSTUBS example.org/a\n" + readerAt("a/a.go"),
			want:    []string{"a/a.go:9:9 go/typed-client likely"},
		},
		"no module at all": {
			archive:  readerAt("x.go"),
			want:     []string{"x.go:9:9 go/typed-client possible"},
			problems: []string{"this is no Go module"},
		},
		"a go.mod that is none": {
			archive:  "-- go.mod --\nmodule\nrequire (\n" + readerAt("x.go"),
			want:     []string{"x.go:9:9 go/typed-client possible"},
			problems: []string{"is no valid go.mod"},
		},
		"a module that asks for a newer go command": {
			archive:  "-- go.mod --\nmodule example.org/a\n\ngo 9.99\n" + readerAt("x.go"),
			want:     []string{"x.go:9:9 go/typed-client possible"},
			problems: []string{"go.mod: the go command cannot load the module"},
		},
		"a client of long ago": {
			archive:  strings.Replace(readerAt("x.go"), "CoreV1()", "Core()", 1),
			want:     []string{"x.go:9:9 go/typed-client possible"},
			problems: []string{"this is no Go module"},
		},
		"testdata, hidden and vendored folders": {
			archive: "-- go.mod --\nSTUBS example.org/a\n" + readerAt("testdata/x.go") + readerAt(".hidden/x.go") +
				readerAt("_old/x.go") + readerAt("vendor/example.org/x/x.go") + readerAt("node_modules/x.go"),
		},
		"files for another system": {
			archive: "-- go.mod --\nSTUBS example.org/a\n-- y.go --\npackage x\n" + readerAt("x_plan9.go"),
			want:    []string{"x_plan9.go:9:9 go/typed-client possible"},
		},
		"a package with cgo": {
			archive: "-- go.mod --\nSTUBS example.org/a\n" + strings.Replace(readerAt("x.go"), "import (", "// #include <no-such-header.h>\nimport \"C\"\n\nimport (", 1),
			want:    []string{"x.go:12:9 go/typed-client likely"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			findings, coverage := Scan(context.Background(), project(t, tc.archive), Options{})
			if diff := cmp.Diff(tc.want, locators(findings)); diff != "" {
				t.Errorf("%s\nproblems %s", diff, messages(coverage))
			}
			if len(tc.problems) == 0 && len(coverage.Problems) > 0 {
				t.Errorf("problems %s", messages(coverage))
			}
			for _, part := range tc.problems {
				if !strings.Contains(messages(coverage), part) {
					t.Errorf("problems %q say nothing of %q", messages(coverage), part)
				}
			}
		})
	}
}

func TestBuildTagsMakeAFilePartOfTheBuild(t *testing.T) {
	root := project(t, "-- go.mod --\nSTUBS x\n"+strings.Replace(readerAt("x.go"), "package x", "//go:build legacy\n\npackage x", 1))
	findings, _ := Scan(context.Background(), root, Options{})
	if diff := cmp.Diff([]string{"x.go:11:9 go/typed-client possible"}, locators(findings)); diff != "" {
		t.Errorf("without the tag: %s", diff)
	}
	findings, _ = Scan(context.Background(), root, Options{BuildTags: []string{"legacy"}})
	if diff := cmp.Diff([]string{"x.go:11:9 go/typed-client likely"}, locators(findings)); diff != "" {
		t.Errorf("with the tag: %s", diff)
	}
}

func TestScopesAreReportedOnlyWhenAskedFor(t *testing.T) {
	root := project(t, "-- go.mod --\nSTUBS x\n-- x.go --\npackage x\n"+readerAt("x_test.go")+
		strings.Replace(readerAt("generated.go"), "package x", "// Code generated by gen. DO NOT EDIT.\n\npackage x", 1))
	writeFile(t, filepath.Join(root, "generated.go"), strings.ReplaceAll(read(t, filepath.Join(root, "generated.go")), "func list", "func generatedList"))
	findings, coverage := Scan(context.Background(), root, Options{})
	if len(findings) != 0 {
		t.Errorf("findings %v", locators(findings))
	}
	if notes := strings.Join(coverage.Notes, "\n"); !strings.Contains(notes, "scope test, not reported unless that scope is asked for: 1.") || !strings.Contains(notes, "scope generated, not reported unless that scope is asked for: 1.") {
		t.Errorf("notes %q do not say what is left out", notes)
	}
	findings, _ = Scan(context.Background(), root, Options{Scopes: []evidence.Scope{evidence.ScopeTest, evidence.ScopeGenerated}})
	want := []string{"generated.go:11:9 go/typed-client likely", "x_test.go:9:9 go/typed-client likely"}
	if diff := cmp.Diff(want, locators(findings)); diff != "" {
		t.Error(diff)
	}
}

func TestVendoredCodeIsAScopeOfItsOwn(t *testing.T) {
	root := project(t, "-- go.mod --\nmodule x\n\ngo 1.24\n-- x.go --\npackage x\n"+readerAt("vendor/example.org/kube/kube.go"))
	if findings, _ := Scan(context.Background(), root, Options{}); len(findings) != 0 {
		t.Errorf("findings %v", locators(findings))
	}
	findings, _ := Scan(context.Background(), root, Options{Scopes: []evidence.Scope{evidence.ScopeVendor}})
	if len(findings) != 1 || findings[0].Evidence[0].Scope != evidence.ScopeVendor || findings[0].Evidence[0].Locator != "vendor/example.org/kube/kube.go:9:9" {
		t.Errorf("findings %+v", findings)
	}
}

func TestSymbolicLinksAreNotFollowed(t *testing.T) {
	root := project(t, "-- go.mod --\nSTUBS x\n"+readerAt("x.go"))
	if err := os.Symlink(root, filepath.Join(root, "loop")); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "source")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{root, link} {
		findings, coverage := Scan(context.Background(), dir, Options{})
		if diff := cmp.Diff([]string{"x.go:9:9 go/typed-client likely"}, locators(findings)); diff != "" {
			t.Error(diff)
		}
		if !slices.Contains(coverage.Notes, "Symbolic links not followed: 1.") {
			t.Errorf("notes %q", coverage.Notes)
		}
	}
}

func TestAScanOfAFolderOfAModuleStaysInIt(t *testing.T) {
	root := project(t, "-- go.mod --\nSTUBS x\n"+readerAt("a/a.go")+readerAt("b/b.go"))
	findings, coverage := Scan(context.Background(), filepath.Join(root, "a"), Options{})
	if diff := cmp.Diff([]string{"a.go:9:9 go/typed-client likely"}, locators(findings)); diff != "" {
		t.Errorf("%s%s", diff, messages(coverage))
	}
}

func TestADirectoryThatIsNotThereIsAProblem(t *testing.T) {
	findings, coverage := Scan(context.Background(), filepath.Join(t.TempDir(), "absent"), Options{})
	if len(findings) != 0 || len(coverage.Problems) != 1 {
		t.Errorf("findings %v, problems %v", findings, coverage.Problems)
	}
}

func TestACancelledScanSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, coverage := Scan(ctx, project(t, "-- go.mod --\nSTUBS x\n"+readerAt("x.go")), Options{})
	if !strings.Contains(messages(coverage), "stopped before its end") {
		t.Errorf("problems %q", messages(coverage))
	}
}

func TestDualSitesSayHowTheyFallBack(t *testing.T) {
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(filepath.Join(stubSource, "corpus", "dual"))); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(root, "go.mod"), stubbed(t, "dual"))
	findings, _ := Scan(context.Background(), root, Options{})
	if len(findings) != 2 || findings[0].Status != evidence.Dual || findings[1].Status != evidence.Dual {
		t.Fatalf("findings %+v", findings)
	}
	if len(findings[0].Notes) != 1 || !strings.Contains(findings[0].Notes[0], "on any error") {
		t.Errorf("a fallback on any error has the notes %q", findings[0].Notes)
	}
	if len(findings[1].Notes) != 0 {
		t.Errorf("a fallback on a missing API has the notes %q", findings[1].Notes)
	}
}

func TestAcknowledgedSitesKeepTheirReason(t *testing.T) {
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(filepath.Join(stubSource, "corpus", "acknowledged"))); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(root, "go.mod"), stubbed(t, "acknowledged"))
	findings, _ := Scan(context.Background(), root, Options{})
	byStatus := map[evidence.Status]int{}
	for _, f := range findings {
		byStatus[f.Status]++
	}
	if diff := cmp.Diff(map[evidence.Status]int{evidence.Acknowledged: 5, "": 2}, byStatus); diff != "" {
		t.Error(diff)
	}
	if !slices.Contains(findings[0].Notes, "Acknowledged in place: compared with slices on purpose") {
		t.Errorf("notes %q", findings[0].Notes)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestWalkersAndKubectlNeedNoLoad(t *testing.T) {
	root := project(t, `
-- go.mod --
module x

go 1.24
-- walk.go --
package x

import (
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
)

func walk(c discovery.DiscoveryInterface, d dynamic.Interface) {
	_, _ = c.ServerPreferredResources()
}
-- run.go --
package x

import "os/exec"

func run() error {
	return exec.Command("kubectl", "get", "ep", "web").Run()
}
-- discover.go --
package x

import "k8s.io/client-go/discovery"

func version(c discovery.DiscoveryInterface) {
	_, _ = c.ServerPreferredResources()
}
`)
	t.Setenv("PATH", t.TempDir()) // no go command
	findings, coverage := Scan(context.Background(), root, Options{})
	want := []string{"run.go:6:9 go/kubectl possible", "walk.go:9:9 go/walker possible"}
	if diff := cmp.Diff(want, locators(findings)); diff != "" {
		t.Error(diff)
	}
	if len(coverage.Problems) != 0 {
		t.Errorf("problems %s", messages(coverage))
	}
}
