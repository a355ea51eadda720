package registry_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/registry"
	"github.com/slicewright/slicewright/app/internal/find/registry/registryfile"
)

var commentLine = regexp.MustCompile(`#.*`)

// comments are a file's, in their order.
func comments(text []byte) []string {
	return commentLine.FindAllString(string(text), -1)
}

func TestCommentsOfPeopleStay(t *testing.T) {
	file := filepath.Join(t.TempDir(), "registry.yaml")
	found := func() *registry.Registry {
		return registry.Build([]evidence.Finding{written("alpha", "a.go:1:1"), written("beta", "b.go:1:1"), written("beta", "b.go:7:1")}, nil)
	}
	if err := registryfile.Save(file, found()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	edited := string(text)
	for _, edit := range [][2]string{
		{"apiVersion:", "# kept by the network team\n# ask in #net\n\napiVersion:"},
		{"entries:", "# what is left\nentries:"},
		{"- access:", "# first: this one\n- access:"},
		{"  application: alpha", "  # in two places\n  application: alpha # its old name"},
		{"  publishesTo: \"\"", "  publishesTo: \"\" # nobody knows"},
		{"    locator: b.go:7:1", "    locator: b.go:7:1 # Anna rewrites this"},
	} {
		if !strings.Contains(edited, edit[0]) {
			t.Fatalf("no %q in\n%s", edit[0], edited)
		}
		edited = strings.Replace(edited, edit[0], edit[1], 1)
	}
	edited += "# the end\n"
	if err := os.WriteFile(file, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	want := comments([]byte(edited))
	for run := range 3 {
		earlier, err := registryfile.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		now := found()
		registry.Reconcile(now, earlier)
		if err := registryfile.Save(file, now); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, comments(text)); diff != "" {
			t.Fatalf("comments after run %d (-want +got):\n%s\n%s", run+1, diff, text)
		}
	}
	// An entry that is not found any more stays if somebody commented it.
	earlier, err := registryfile.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	now := registry.Build(nil, nil)
	registry.Reconcile(now, earlier)
	if len(now.Entries) != 2 || !now.Entries[0].Missing || !now.Entries[1].Missing {
		t.Errorf("entries %+v, want both as missing", now.Entries)
	}
}

// A process that keeps the file current keeps its comments too, and without any
// the file is what it always was.
func TestARefreshKeepsComments(t *testing.T) {
	r, err := registry.Parse([]byte("apiVersion: slicewright.dev/v1alpha1\nkind: ConsumerRegistry\nentries: [] # none yet\ncoverage: []\n"))
	if err != nil {
		t.Fatal(err)
	}
	registry.Refresh(r, registry.Build([]evidence.Finding{written("alpha", "a.go:1:1")}, nil), evidence.SourceAudit)
	file := filepath.Join(t.TempDir(), "registry.yaml")
	if err := registryfile.Save(file, r); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "# none yet") || !strings.Contains(string(text), "application: alpha") {
		t.Errorf("the file is\n%s", text)
	}
}

// Whatever is in a registry file, what was read is what is written back.
func FuzzCommentsChangeNothing(f *testing.F) {
	f.Add("apiVersion: slicewright.dev/v1alpha1 # a\nkind: ConsumerRegistry\n# b\nentries:\n# c\n- key: x # d\n  application: y\n  # e\n\n# f\ncoverage: []\n# g\n")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := registry.Parse([]byte(text))
		if err != nil {
			t.Skip()
		}
		file := filepath.Join(t.TempDir(), "registry.yaml")
		if err := registryfile.Save(file, r); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		again, err := registryfile.Load(file)
		if err != nil {
			written, _ := os.ReadFile(file)
			t.Fatalf("%v\nfrom\n%s\nto\n%s", err, text, written)
		}
		r.Comments, again.Comments = nil, nil
		if diff := cmp.Diff(r, again); diff != "" {
			t.Fatalf("(-read +written)\n%s\nfrom\n%s", diff, text)
		}
	})
}
