package gosource

import (
	"embed"
	"go/ast"
	"go/parser"
	"go/types"
	"path"
	"strings"
	"sync"
)

// shapes are small packages with the declarations of the Kubernetes client
// libraries that the rules know, for trees whose dependencies are not in the
// module cache: with them the analysis goes by object there as well. They are
// ours, written from what the libraries document.
//
//go:embed _shapes
var shapes embed.FS

// shapeSet type-checks shapes when they are asked for. What it imports of the
// standard library comes from the packages that were loaded, or is missing.
type shapeSet struct {
	mu      sync.Mutex // guards known, and that one shape is checked at a time
	known   map[string]*types.Package
	checker *checker
}

// get is the shape of a package, or nil if the package has no shape. mu must
// be held.
func (s *shapeSet) get(importPath string) *types.Package {
	if pkg, ok := s.known[importPath]; ok {
		return pkg
	}
	entries, err := shapes.ReadDir(path.Join("_shapes", importPath))
	if err != nil {
		return nil
	}
	s.known[importPath] = nil // against a cycle, which the shapes do not have
	var files []*ast.File
	for _, entry := range entries {
		name := path.Join("_shapes", importPath, entry.Name())
		if data, err := shapes.ReadFile(name); err == nil && strings.HasSuffix(name, ".go") {
			if f, err := parser.ParseFile(s.checker.fset, name, data, parser.SkipObjectResolution); err == nil {
				files = append(files, f)
			}
		}
	}
	if len(files) == 0 {
		return nil
	}
	config := types.Config{
		Importer:         importerFunc(s.imported),
		IgnoreFuncBodies: true,
		Error:            func(error) {},
	}
	pkg, _ := config.Check(importPath, s.checker.fset, files, nil)
	s.known[importPath] = pkg
	return pkg
}

// imported is what a shape imports: another shape, or the standard library's
// context and time, of which the analysis needs no more than their names.
func (s *shapeSet) imported(importPath string) (*types.Package, error) {
	if pkg := s.get(importPath); pkg != nil {
		return pkg, nil
	}
	if n := s.checker.byPath[importPath]; n != nil && n.types != nil {
		return n.types, nil
	}
	return nil, errMissing
}

type importerFunc func(string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }
