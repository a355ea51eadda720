// Package imports keeps docs/imports.md equal to the imports of the three
// modules.
package imports

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/internal/house"
)

const (
	root    = "../../../.."
	project = "github.com/slicewright/slicewright"
)

// modules are in the order in which they import each other: a module imports
// only modules before it.
var modules = []struct{ name, title string }{
	{"", "Library"},
	{"app", "Programs (`app`)"},
	{"lab", "Lab (`lab`)"},
}

func TestImportsAreDrawn(t *testing.T) {
	var drawn strings.Builder
	drawn.WriteString(`<!-- Made by HOUSE_UPDATE=1 go test -count=1 ./app/internal/house/imports; changes here are lost. -->
# Imports, folder by folder

Each line is a folder with the folders that it imports, without those that it also reaches through another one. A folder imports
only folders on lines below its own, and folders of the modules above. Tests and packages from outside are left out.
The floors behind this order are in [architecture.md](architecture.md#the-floors-of-the-house).
`)
	for _, m := range modules {
		fmt.Fprintf(&drawn, "\n## %s\n\n```\n%s```\n", m.title, draw(t, m.name))
	}
	file := filepath.Join(root, "docs/imports.md")
	if os.Getenv("HOUSE_UPDATE") != "" {
		if err := os.WriteFile(file, []byte(drawn.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(drawn.String(), "\n"), strings.Split(string(text), "\n")); diff != "" {
		t.Errorf("docs/imports.md is not what the packages import (HOUSE_UPDATE=1 go test -count=1 ./app/internal/house/imports writes it; -wanted +file):\n%s", diff)
	}
}

// draw returns the lines of a module.
func draw(t *testing.T, module string) string {
	t.Helper()
	own := map[string][]string{}
	for _, p := range house.List(t, filepath.Join(root, module), "./...") {
		imported := []string{}
		for _, path := range p.Imports {
			if path == project || strings.HasPrefix(path, project+"/") {
				imported = append(imported, below(path, module))
			}
		}
		own[below(p.ImportPath, module)] = imported
	}
	if len(own) < 10 {
		t.Fatalf("module %q has only %d packages", module, len(own))
	}
	g := graph{imports: own, height: map[string]int{}}
	rows := slices.SortedFunc(maps.Keys(own), func(a, b string) int {
		if d := g.heightOf(b) - g.heightOf(a); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	width := 0
	for _, row := range rows {
		width = max(width, len(row))
	}
	var text strings.Builder
	for _, row := range rows {
		line := fmt.Sprintf("%-*s  %s", width, row, strings.Join(g.reduced(row), "  "))
		text.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return text.String()
}

// below returns a path as it is written in a module's part: the module's own
// folders by their path below it ("." for its top), others after the name of theirs.
func below(path, module string) string {
	path = strings.TrimPrefix(strings.TrimPrefix(path, project), "/")
	if module == "" {
		if path == "" {
			return "."
		}
		return path
	}
	if inside, ok := strings.CutPrefix(path+"/", module+"/"); ok {
		if inside = strings.TrimSuffix(inside, "/"); inside == "" {
			return "."
		}
		return inside
	}
	if rest, ok := strings.CutPrefix(path, "app/"); ok {
		return "app:" + rest
	}
	return "library:" + path
}

// graph has the folders of a module with all that they import directly.
type graph struct {
	imports map[string][]string
	height  map[string]int
}

// heightOf returns how many folders of the module are on the longest way down.
// Go has no import cycles, so there is one.
func (g graph) heightOf(folder string) int {
	if h, ok := g.height[folder]; ok {
		return h
	}
	h := 0
	for _, imported := range g.imports[folder] {
		h = max(h, 1+g.heightOf(imported))
	}
	g.height[folder] = h
	return h
}

// reaches reports whether a folder imports another, directly or not.
func (g graph) reaches(folder, other string) bool {
	return slices.ContainsFunc(g.imports[folder], func(imported string) bool {
		return imported == other || g.reaches(imported, other)
	})
}

// reduced returns the imports of a folder that no other of its imports reaches.
func (g graph) reduced(folder string) []string {
	var left []string
	for _, imported := range g.imports[folder] {
		if !slices.ContainsFunc(g.imports[folder], func(other string) bool { return g.reaches(other, imported) }) {
			left = append(left, imported)
		}
	}
	slices.Sort(left)
	return left
}
