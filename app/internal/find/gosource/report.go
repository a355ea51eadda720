package gosource

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/tools/go/packages"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/gosource/analyzer"
	"github.com/slicewright/slicewright/internal/text"
)

// maxExcerpt is how much of a line is shown; longer ones say little more.
const maxExcerpt = 160

// collect turns the results of one module's analysis into findings. Packages
// with errors are read by syntax as well, and the coverage says so.
func (s *scan) collect(m *goModule, run *analysisRun, candidates map[string]*file) {
	used := map[types.Object]bool{}
	for _, result := range run.results {
		for _, obj := range result.Used {
			used[obj] = true
		}
	}
	fset := run.checker.fset
	for _, n := range inOrder(run) {
		if !s.inTree(n.pkg) {
			continue
		}
		if result := run.results[n]; result != nil {
			for _, site := range result.Sites {
				if site.Declares == nil || !used[site.Declares] {
					if len(n.shaped) > 0 && !withoutTypes(site.Detector) {
						site.Confidence = evidence.Possible
						site.Notes = append(site.Notes, "Read against the shape of the Kubernetes libraries: the real ones are not in the module cache.")
					}
					s.add(fset, site, application(m, n.pkg))
				}
			}
		}
		incomplete := len(n.errors) > 0
		s.broken(n, candidates)
		if incomplete {
			continue // its files remain candidates of the reading by syntax
		}
		for _, path := range n.pkg.GoFiles {
			if f := candidates[path]; f != nil {
				f.read = true
			}
		}
	}
}

// withoutTypes are the detectors that need no types of Kubernetes: what they
// find is as sure without its libraries.
func withoutTypes(detector string) bool {
	return detector == "go/raw-url" || detector == "go/kubectl" || detector == "go/rbac-marker"
}

// inOrder are the analysed packages by import path, for equal output.
func inOrder(run *analysisRun) []*node {
	var nodes []*node
	for n := range run.results {
		nodes = append(nodes, n)
	}
	for _, n := range run.checker.nodes {
		if n.bodies && run.results[n] == nil {
			nodes = append(nodes, n)
		}
	}
	slices.SortFunc(nodes, func(a, b *node) int { return strings.Compare(a.pkg.ID, b.pkg.ID) })
	return nodes
}

func (s *scan) inTree(p *packages.Package) bool {
	return len(p.GoFiles) > 0 && strings.HasPrefix(p.GoFiles[0], s.tree.root+string(filepath.Separator)) &&
		(!strings.Contains(p.GoFiles[0], "/vendor/") || s.opts.wants(evidence.ScopeVendor))
}

// broken records the errors of a package that has candidates.
func (s *scan) broken(n *node, candidates map[string]*file) {
	for _, missing := range n.shaped {
		n.errors = append(n.errors, fmt.Errorf("could not import %s (%w)", missing, errMissing))
	}
	if len(n.errors) == 0 || !slices.ContainsFunc(n.pkg.GoFiles, func(path string) bool { return candidates[path] != nil }) {
		return
	}
	more := ""
	if len(n.errors) > 1 {
		more = fmt.Sprintf(" (and %d more)", len(n.errors)-1)
	}
	dir := s.tree.rel(filepath.Dir(n.pkg.GoFiles[0]))
	message := strings.ReplaceAll(firstLine(n.errors[0]), s.tree.root+string(filepath.Separator), "")
	s.coverage.Problem(dir, fmt.Sprintf("does not type-check here, so it is read by what types there are: %s%s", message, more))
}

// bySyntax reads the candidates that no analysis covered: loose files, files
// that the build leaves out, packages with errors, modules that do not load.
func (s *scan) bySyntax() {
	if len(s.tree.loose) > 0 {
		if n := countCandidates(s.tree.loose); n > 0 {
			s.coverage.Problem(".", fmt.Sprintf("this is no Go module: files with candidates that belong to none and are read without dependencies: %d", n))
		}
	}
	left := 0
	for _, f := range s.files() {
		if f.candidate == none || f.read {
			continue
		}
		if f.candidate == byTypes && f.module != nil && !strings.HasSuffix(f.path, "_test.go") {
			left++
		}
		s.readSyntax(f)
	}
	if left > 0 {
		s.coverage.Notes = append(s.coverage.Notes, fmt.Sprintf("Files read by syntax, because no package that type-checks on %s/%s has them: %d.", runtime.GOOS, runtime.GOARCH, left))
	}
}

func countCandidates(files []*file) int {
	n := 0
	for _, f := range files {
		if f.candidate == byTypes {
			n++
		}
	}
	return n
}

func (s *scan) files() []*file {
	out := slices.Clone(s.tree.loose)
	for _, m := range s.tree.modules {
		out = append(out, m.files...)
	}
	return out
}

func (s *scan) readSyntax(f *file) {
	data, err := readFile(f.path)
	if err != nil {
		return // the walk said so
	}
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, f.path, data, parser.ParseComments)
	if err != nil {
		s.coverage.Problem(f.rel, fmt.Sprintf("does not parse, so it is read up to the error: %s", strings.ReplaceAll(firstLine(err), s.tree.root+string(filepath.Separator), "")))
	}
	if parsed == nil {
		return
	}
	application := filepath.Base(s.tree.root)
	if f.module != nil {
		application = moduleName(f.module.path)
	}
	for _, site := range analyzer.ReadSyntax(fset, parsed) {
		if len(site.Verbs) == 0 && s.foundNear(fset, parsed, f.rel, site.Pos) {
			continue // the variable of a call that is known with types
		}
		s.add(fset, site, application)
	}
}

// foundNear reports whether the function around a position, or the file outside
// of functions, has a finding already.
func (s *scan) foundNear(fset *token.FileSet, file *ast.File, rel string, pos token.Pos) bool {
	first, last := 1, fset.Position(file.End()).Line
	for _, decl := range file.Decls {
		if _, ok := decl.(*ast.FuncDecl); ok && decl.Pos() <= pos && pos < decl.End() {
			first, last = fset.Position(decl.Pos()).Line, fset.Position(decl.End()).Line
		}
	}
	return slices.ContainsFunc(s.findings, func(f located) bool {
		return f.file == rel && first <= f.line && f.line <= last
	})
}

// add makes a finding of a site, unless its scope is not wanted or the place is
// known: from another variant of its package, or from the analysis with types.
func (s *scan) add(fset *token.FileSet, site analyzer.Site, application string) {
	if !s.opts.wants(site.Scope) {
		if s.hidden == nil {
			s.hidden = map[evidence.Scope]int{}
		}
		s.hidden[site.Scope]++
		return
	}
	at := fset.Position(site.Pos)
	rel := s.tree.rel(at.Filename)
	for _, other := range s.findings {
		if other.file == rel && other.line == at.Line && (other.col == at.Column || site.Confidence == evidence.Possible) {
			return
		}
	}
	verb := ""
	counts := map[string]int{}
	for i, v := range site.Verbs {
		counts[v] = 1
		if i == 0 {
			verb = v
		}
	}
	s.findings = append(s.findings, located{
		Finding: evidence.Finding{
			Subject:    evidence.Subject{Application: application},
			Class:      site.Class,
			Confidence: site.Confidence,
			Status:     site.Status,
			Verbs:      counts,
			Access:     site.Access,
			Namespaces: site.Namespaces,
			Advice:     site.Advice,
			Notes:      site.Notes,
			Evidence: []evidence.Evidence{{
				Source:   evidence.SourceGo,
				Detector: site.Detector,
				Locator:  fmt.Sprintf("%s:%d:%d", rel, at.Line, at.Column),
				Count:    1,
				Verb:     verb,
				Scope:    site.Scope,
				Excerpt:  s.excerpt(at),
			}},
		},
		file: rel, line: at.Line, col: at.Column,
	})
}

// excerpt is the line at a position, without what could disturb a terminal.
func (s *scan) excerpt(at token.Position) string {
	data, err := readFile(at.Filename)
	if err != nil {
		return ""
	}
	lines := strings.Split(string(data), "\n")
	if at.Line < 1 || at.Line > len(lines) {
		return ""
	}
	return text.Excerpt(lines[at.Line-1], maxExcerpt)
}

// application names what a package belongs to: its folder for a command, its
// module otherwise.
func application(m *goModule, p *packages.Package) string {
	if p.Name == "main" && p.PkgPath != m.path {
		return path.Base(p.PkgPath)
	}
	return moduleName(m.path)
}

// moduleName is the last element of a module path that is no major version.
func moduleName(modulePath string) string {
	if prefix, _, ok := module.SplitPathVersion(modulePath); ok {
		modulePath = prefix
	}
	return path.Base(modulePath)
}
