package gosource

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/slicewright/slicewright/app/internal/find/gosource/analyzer"
)

// checker type-checks packages from source, each once, those it depends on
// first. It is safe for concurrent use.
type checker struct {
	fset   *token.FileSet
	nodes  map[*packages.Package]*node
	byPath map[string]*node // of the standard library, for shapes
	shapes *shapeSet
	slots  chan struct{} // one for each package that is being worked on
}

// node is a package that is checked at most once.
type node struct {
	pkg    *packages.Package
	bodies bool // types inside functions are wanted, too
	deps   map[string]*node
	once   sync.Once

	types  *types.Package
	info   *types.Info
	files  []*ast.File
	errors []error
	shaped []string // imports that stand for what is missing
	shapes *shapeSet
}

var errMissing = errors.New("it is not in the module cache")

// newChecker prepares the packages that roots depend on.
func newChecker(roots []*packages.Package) *checker {
	c := &checker{
		fset:   token.NewFileSet(),
		nodes:  map[*packages.Package]*node{},
		byPath: map[string]*node{},
		slots:  make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
	c.shapes = &shapeSet{known: map[string]*types.Package{}, checker: c}
	packages.Visit(roots, nil, func(p *packages.Package) {
		n := &node{pkg: p, deps: map[string]*node{}, shapes: c.shapes}
		if p.Module == nil {
			c.byPath[p.PkgPath] = n
		}
		for path, dep := range p.Imports {
			if d := c.nodes[dep]; d != nil {
				n.deps[path] = d
			}
		}
		c.nodes[p] = n
	})
	return c
}

// check type-checks a package and everything below it.
func (c *checker) check(n *node) {
	n.once.Do(func() {
		var wg sync.WaitGroup
		for _, dep := range n.deps {
			wg.Go(func() { c.check(dep) })
		}
		wg.Wait()
		c.slots <- struct{}{}
		defer func() { <-c.slots }()
		c.checkOne(n)
	})
}

func (c *checker) checkOne(n *node) {
	if n.pkg.PkgPath == "unsafe" {
		n.types = types.Unsafe
		return
	}
	mode := parser.SkipObjectResolution
	if n.bodies {
		mode = parser.ParseComments
	}
	for _, path := range n.pkg.GoFiles {
		f, err := c.parse(path, mode)
		if err != nil {
			n.errors = append(n.errors, err)
		}
		if f != nil {
			n.files = append(n.files, f)
		}
	}
	config := types.Config{
		Importer:         n,
		IgnoreFuncBodies: !n.bodies,
		FakeImportC:      true,
		Sizes:            types.SizesFor("gc", runtime.GOARCH),
		GoVersion:        goVersion(n.pkg),
		Error:            func(err error) { n.errors = append(n.errors, err) },
	}
	if n.bodies {
		n.info = &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
			Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
			Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{},
			Scopes: map[ast.Node]*types.Scope{}, FileVersions: map[*ast.File]string{},
		}
	}
	n.types = checkFiles(&config, n, c.fset)
	if n.bodies && len(n.errors)+len(n.shaped) == 0 {
		// Of a missing import the type checker has just said so itself.
		for _, err := range n.pkg.Errors {
			n.errors = append(n.errors, err)
		}
	}
	if !n.bodies {
		n.files = nil // parsed declarations are of no further use
	}
}

// checkFiles calls the type checker. It must not be felled by a tree that finds
// a bug in it.
func checkFiles(config *types.Config, n *node, fset *token.FileSet) (pkg *types.Package) {
	pkg = types.NewPackage(n.pkg.PkgPath, n.pkg.Name)
	defer func() {
		if r := recover(); r != nil {
			n.errors = append(n.errors, fmt.Errorf("the type checker gave up: %v", r))
		}
	}()
	checked, _ := config.Check(n.pkg.PkgPath, fset, n.files, n.info) // errors went to config.Error
	if checked != nil {
		pkg = checked
	}
	return pkg
}

// parse reads a file of bounded size. With an error, what was understood before
// it is returned as well.
func (c *checker) parse(path string, mode parser.Mode) (*ast.File, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return parser.ParseFile(c.fset, path, data, mode)
}

// Import gives the package that an import path means to this one.
func (n *node) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	dep := n.deps[path]
	if dep != nil && dep.types != nil && len(dep.pkg.GoFiles) > 0 {
		return dep.types, nil
	}
	n.shapes.mu.Lock()
	defer n.shapes.mu.Unlock()
	if shape := n.shapes.get(path); shape != nil {
		n.shaped = append(n.shaped, path)
		return shape, nil
	}
	return nil, errMissing
}

// goVersion is the language version of a package's module, "" for the newest.
func goVersion(p *packages.Package) string {
	if p.Module == nil || p.Module.GoVersion == "" {
		return ""
	}
	return "go" + strings.TrimPrefix(p.Module.GoVersion, "go")
}

// isDependencyCandidate reports whether a package of another module may wrap
// Endpoints: it has the word, and something of Kubernetes.
func isDependencyCandidate(p *packages.Package) bool {
	if p.Module == nil || len(p.GoFiles) == 0 || analyzer.HasOwnRules(p.PkgPath) {
		return false // the standard library has no module
	}
	kubernetes := false
	for path := range p.Imports {
		kubernetes = kubernetes || isKubernetes(path)
	}
	for _, path := range p.GoFiles {
		data, err := readFile(path)
		if err == nil && bytes.Contains(data, typed) && (kubernetes || paths.In(data)) {
			return true
		}
	}
	return false
}
