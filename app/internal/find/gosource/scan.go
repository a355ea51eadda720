package gosource

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// Options of a scan. The zero value reports a project's own, shipped code.
type Options struct {
	// Scopes are reported as well: evidence.ScopeTest, ScopeGenerated,
	// ScopeVendor.
	Scopes []evidence.Scope
	// BuildTags are set when packages are loaded, as with go build -tags.
	BuildTags []string
	// Environ is what the go command gets, in the form of os.Environ; what
	// would reach the network or change the tree is overridden. Nil is the
	// environment of this process.
	Environ []string
}

func (o Options) wants(scope evidence.Scope) bool {
	return scope == evidence.ScopeOwn || slices.Contains(o.Scopes, scope)
}

// Scan reads the Go source below dir. Locators are relative to dir. It never
// fails as a whole: what could not be read is in the coverage, and a
// cancelled ctx ends the scan at that point. Findings are sorted by locator.
func Scan(ctx context.Context, dir string, opts Options) ([]evidence.Finding, evidence.Coverage) {
	s := &scan{opts: opts, coverage: evidence.Coverage{Source: evidence.SourceGo}}
	root, err := filepath.Abs(dir)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		s.coverage.Problem(dir, fmt.Sprintf("cannot open the source directory: %v", err))
		return nil, s.coverage
	}
	s.tree = walk(ctx, root, opts, &s.coverage)
	s.libraries()
	for _, m := range s.tree.modules {
		if ctx.Err() != nil {
			break
		}
		if m.hasCandidates() {
			s.module(ctx, m)
		}
	}
	s.loose(ctx, &goModule{dir: root, path: filepath.Base(root), files: s.tree.loose})
	s.bySyntax()
	if err := ctx.Err(); err != nil {
		s.coverage.Problem(".", fmt.Sprintf("the scan was stopped before its end: %v", err))
	}
	s.summarize()
	return s.sorted(), s.coverage
}

// scan is one run.
type scan struct {
	opts     Options
	tree     *tree
	coverage evidence.Coverage
	findings []located
	hidden   map[evidence.Scope]int // sites in scopes that were not asked for
}

// located is a finding with what sorts it and tells it from others.
type located struct {
	evidence.Finding
	file      string
	line, col int
}

func (s *scan) sorted() []evidence.Finding {
	slices.SortFunc(s.findings, func(a, b located) int {
		return cmp.Or(strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.col, b.col),
			strings.Compare(a.Evidence[0].Detector, b.Evidence[0].Detector))
	})
	var out []evidence.Finding
	for _, f := range s.findings {
		out = append(out, f.Finding)
	}
	return out
}

// summarize says what was left out on purpose.
func (s *scan) summarize() {
	for _, scope := range []evidence.Scope{evidence.ScopeTest, evidence.ScopeGenerated, evidence.ScopeVendor} {
		if n := s.hidden[scope]; n > 0 {
			s.coverage.Notes = append(s.coverage.Notes, fmt.Sprintf("Places of scope %s, not reported unless that scope is asked for: %d.", scope, n))
		}
	}
	if n := s.tree.links; n > 0 {
		s.coverage.Notes = append(s.coverage.Notes, fmt.Sprintf("Symbolic links not followed: %d.", n))
	}
	slices.SortFunc(s.coverage.Problems, func(a, b evidence.Problem) int {
		return cmp.Or(strings.Compare(a.Locator, b.Locator), strings.Compare(a.Message, b.Message))
	})
}
