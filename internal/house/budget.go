package house

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Budget is the most external packages that a package or program may reach.
// External is what belongs neither to the standard library nor to the project.
type Budget struct {
	// Package is the path below the module.
	Package string
	Most    int
}

// updateVariable makes Budgets write the lists instead of comparing them.
const updateVariable = "HOUSE_UPDATE"

// Budgets compares the external packages behind each package with its list in the
// folder deps, a file a package, and fails the test for each difference and for
// each package above its budget. The lists show in a review what a change pulls in.
func (m Module) Budgets(t *testing.T, budgets []Budget) {
	t.Helper()
	for _, b := range budgets {
		t.Run(strings.ReplaceAll(b.Package, "/", "-"), func(t *testing.T) {
			var external []string
			for _, p := range List(t, m.Dir, "-deps", m.Path+"/"+b.Package) {
				if !p.Standard && !within(p.ImportPath, project) {
					external = append(external, p.ImportPath)
				}
			}
			slices.Sort(external)
			if len(external) > b.Most {
				t.Errorf("%s reaches %d external packages, at most %d", b.Package, len(external), b.Most)
			}
			file := filepath.Join("deps", strings.ReplaceAll(b.Package, "/", "-")+".txt")
			text := strings.Join(external, "\n") + "\n"
			if os.Getenv(updateVariable) != "" {
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			listed, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			before := strings.Fields(string(listed))
			for _, path := range external {
				if !slices.Contains(before, path) {
					t.Errorf("%s reaches %s, which %s does not list (%s=1 go test writes the lists)", b.Package, path, file, updateVariable)
				}
			}
			for _, path := range before {
				if !slices.Contains(external, path) {
					t.Errorf("%s lists %s, which %s no longer reaches (%s=1 go test writes the lists)", file, path, b.Package, updateVariable)
				}
			}
		})
	}
}
