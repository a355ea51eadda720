package gosource

import (
	"context"
	"fmt"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/slicewright/slicewright/app/internal/find/gosource/analyzer"
)

// analysisRun runs the analyzer over packages in the order of their imports and
// carries its facts from one to the next.
type analysisRun struct {
	checker *checker
	facts   map[factKey]analysis.Fact
	exports map[*node]bool // packages that have facts, own or of their imports
	results map[*node]*analyzer.Result
}

type factKey struct {
	obj  types.Object
	kind reflect.Type
}

// run analyses the packages of a module that can matter: those with candidates,
// and those that import one that said something about itself. Dependencies of
// other modules take part for what they say, not for what they have.
func (r *analysisRun) run(roots []*packages.Package, candidate func(*packages.Package) bool) {
	own := map[*packages.Package]bool{}
	for _, p := range roots {
		own[p] = true
	}
	packages.Visit(roots, nil, func(p *packages.Package) {
		n := r.checker.nodes[p]
		if n == nil || p.PkgPath == "unsafe" {
			return
		}
		called := slices.ContainsFunc(importsOf(n), func(dep *node) bool { return r.exports[dep] })
		switch {
		case own[p]:
			n.bodies = called || candidate(p)
		default:
			n.bodies = !called && isDependencyCandidate(p) || called && candidateCaller(p)
		}
		if n.bodies {
			r.checker.check(n)
			r.analyze(n)
		}
	})
}

// candidateCaller: a package of another module that calls a wrapper is looked
// at only if it has a module at all, which the standard library has not.
func candidateCaller(p *packages.Package) bool { return p.Module != nil && len(p.GoFiles) > 0 }

func importsOf(n *node) []*node {
	var out []*node
	for _, dep := range n.deps {
		out = append(out, dep)
	}
	return out
}

// analyze runs the analyzer on one package that is checked. A panic in it, as
// types with errors can provoke, costs that package only.
func (r *analysisRun) analyze(n *node) {
	defer func() {
		if p := recover(); p != nil {
			n.errors = append(n.errors, fmt.Errorf("the analyzer gave up: %v", p))
		}
	}()
	imported := slices.ContainsFunc(importsOf(n), func(dep *node) bool { return r.exports[dep] })
	pass := &analysis.Pass{
		Analyzer:   analyzer.Analyzer,
		Fset:       r.checker.fset,
		Files:      n.files,
		Pkg:        n.types,
		TypesInfo:  n.info,
		TypesSizes: types.SizesFor("gc", "amd64"),
		Report:     func(analysis.Diagnostic) {},
		ReadFile:   readFile,
		ResultOf:   map[*analysis.Analyzer]any{},
		ImportObjectFact: func(obj types.Object, fact analysis.Fact) bool {
			stored, ok := r.facts[factKey{obj, reflect.TypeOf(fact)}]
			if ok {
				reflect.ValueOf(fact).Elem().Set(reflect.ValueOf(stored).Elem())
			}
			return ok
		},
		ExportObjectFact: func(obj types.Object, fact analysis.Fact) {
			r.facts[factKey{obj, reflect.TypeOf(fact)}] = fact
			r.exports[n] = true
		},
		AllObjectFacts: func() []analysis.ObjectFact {
			if imported {
				return []analysis.ObjectFact{{}} // only whether there are any is asked
			}
			return nil
		},
		ImportPackageFact: func(*types.Package, analysis.Fact) bool { return false },
		ExportPackageFact: func(analysis.Fact) {},
		AllPackageFacts:   func() []analysis.PackageFact { return nil },
	}
	result, err := analyzer.Analyzer.Run(pass)
	if err != nil {
		n.errors = append(n.errors, err)
		return
	}
	r.results[n] = result.(*analyzer.Result)
}

// module loads and analyses one module. Its candidate files that took no part
// are left for the reading by syntax.
func (s *scan) module(ctx context.Context, m *goModule) {
	dir := m.dir
	if strings.HasPrefix(s.tree.root, m.dir) {
		dir = s.tree.root // only a part of the module was asked for
	}
	roots, err := load(ctx, dir, m, s.opts)
	if err != nil {
		s.coverage.Problem(s.moduleLocator(m), fmt.Sprintf("the go command cannot load the module, its packages are read one by one, without dependencies: %v", firstLine(err)))
		s.loose(ctx, m)
		return
	}
	s.analyze(m, roots)
}

// loose analyses the folders of files that no module could be loaded for. The
// shapes of the Kubernetes libraries make up for the missing dependencies; what
// other packages of the tree do is not known.
func (s *scan) loose(ctx context.Context, m *goModule) {
	var dirs []string
	for _, f := range m.files {
		if f.candidate == byTypes {
			dirs = append(dirs, "./"+filepath.ToSlash(filepath.Dir(filepath.FromSlash(f.rel))))
		}
	}
	slices.Sort(dirs)
	if dirs = slices.Compact(dirs); len(dirs) == 0 {
		return
	}
	if roots, err := loadLoose(ctx, s.tree.root, dirs, s.opts); err == nil {
		s.analyze(m, roots)
	} // else all of it is read by syntax, which the coverage says already
}

func (s *scan) analyze(m *goModule, roots []*packages.Package) {
	candidates, all := map[string]*file{}, map[string]*file{}
	for _, f := range m.files {
		all[f.path] = f
		if f.candidate != none {
			candidates[f.path] = f
		}
	}
	run := &analysisRun{
		checker: newChecker(roots),
		facts:   map[factKey]analysis.Fact{},
		exports: map[*node]bool{},
		results: map[*node]*analyzer.Result{},
	}
	reach := reachKubernetes(roots)
	run.run(roots, func(p *packages.Package) bool {
		has := func(what func(*file) bool) bool {
			return slices.ContainsFunc(p.GoFiles, func(path string) bool { return all[path] != nil && what(all[path]) })
		}
		found := has(func(f *file) bool { return f.candidate != none })
		if found && !reach[p] && !has(func(f *file) bool { return f.candidate == bySyntax || f.hasPath() }) {
			for _, path := range p.GoFiles {
				if f := candidates[path]; f != nil {
					f.read = true // the word is there, and nothing that makes it Kubernetes'
				}
			}
			return false
		}
		return found
	})
	s.collect(m, run, candidates)
}

// reachKubernetes are the packages that import something of Kubernetes, however
// far below. What is missing counts by its import path.
func reachKubernetes(roots []*packages.Package) map[*packages.Package]bool {
	reach := map[*packages.Package]bool{}
	packages.Visit(roots, nil, func(p *packages.Package) {
		reach[p] = isKubernetes(p.PkgPath)
		for path, dep := range p.Imports {
			reach[p] = reach[p] || reach[dep] || isKubernetes(path)
		}
	})
	return reach
}

func (s *scan) moduleLocator(m *goModule) string {
	return filepath.ToSlash(filepath.Join(s.tree.rel(m.dir), "go.mod"))
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	return line
}
