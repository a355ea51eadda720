package analyzer

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// ScopeOf says what kind of file it is by its name and its header.
func ScopeOf(filename string, file *ast.File) evidence.Scope {
	switch {
	case strings.HasSuffix(filename, "_test.go"):
		return evidence.ScopeTest
	case slices.Contains(strings.Split(filepath.ToSlash(filename), "/"), "vendor"):
		return evidence.ScopeVendor
	case ast.IsGenerated(file):
		return evidence.ScopeGenerated
	}
	return evidence.ScopeOwn
}

// suppression is one directive and the lines that it covers.
type suppression struct {
	first, last int
	reason      string
}

type suppressionList []suppression

// at returns the reason of the directive that covers a position.
func (list suppressionList) at(fset *token.FileSet, pos token.Pos) (reason string, ok bool) {
	line := fset.Position(pos).Line
	for _, s := range list {
		if s.first <= line && line <= s.last {
			return s.reason, true
		}
	}
	return "", false
}

var (
	nolint     = regexp.MustCompile(`^//\s*nolint(?::([\w\-, ]+))?\s*(?:(?://|#)\s*(.*))?$`)
	lintIgnore = regexp.MustCompile(`^//lint:(file-)?ignore\s+(\S+)\s*(.*)$`)
)

// suppressions are the directives of a file that acknowledge findings: golangci-
// lint's for this analyzer, for staticcheck or for all, and staticcheck's own. A
// directive at the end of a line covers it; on a line of its own, or at the start
// of a longer node, it covers that node; at the package clause, the file.
func suppressions(fset *token.FileSet, file *ast.File) suppressionList {
	var list suppressionList
	for _, comments := range file.Comments {
		for _, c := range comments.List {
			reason, whole, ok := directive(c.Text)
			if !ok {
				continue
			}
			line := fset.Position(c.Pos()).Line
			s := suppression{first: line, last: line, reason: reason}
			if whole || c.Pos() < file.Package && line+1 >= fset.Position(file.Package).Line || line == fset.Position(file.Package).Line {
				s.first, s.last = 0, fset.Position(file.End()).Line
			}
			list = append(list, s)
		}
	}
	if len(list) > 0 {
		extend(fset, file, list)
	}
	return list
}

// directive reads one comment; whole means that it covers the file.
func directive(text string) (reason string, whole, ok bool) {
	if m := nolint.FindStringSubmatch(text); m != nil {
		return strings.TrimSpace(m[2]), false, m[1] == "" || names(m[1], Name, "staticcheck", "all", "SA1019")
	}
	if m := lintIgnore.FindStringSubmatch(text); m != nil {
		return strings.TrimSpace(m[3]), m[1] != "", names(m[2], Name, "SA1019", "staticcheck")
	}
	return "", false, false
}

func names(list string, wanted ...string) bool {
	for item := range strings.SplitSeq(list, ",") {
		if slices.Contains(wanted, strings.TrimSpace(item)) {
			return true
		}
	}
	return false
}

// extend stretches every directive over the nodes that start on its line, or
// on the next line if nothing else is on its own line.
func extend(fset *token.FileSet, file *ast.File, list suppressionList) {
	starts := map[int]int{} // line -> last line of the longest node that starts there
	ast.Inspect(file, func(n ast.Node) bool {
		switch n.(type) {
		case ast.Stmt, ast.Decl, ast.Spec, *ast.Field, *ast.KeyValueExpr:
			first, last := fset.Position(n.Pos()).Line, fset.Position(n.End()).Line
			starts[first] = max(starts[first], last)
		}
		return true
	})
	for i, s := range list {
		if s.first == 0 {
			continue
		}
		if last, ok := starts[s.first]; ok {
			list[i].last = max(s.last, last)
		} else if last, ok := starts[s.first+1]; ok {
			list[i].last = max(s.last, last)
		}
	}
}

// Acknowledged reports whether a directive in the file covers a position, and
// the reason that it gives.
func Acknowledged(fset *token.FileSet, file *ast.File, pos token.Pos) (reason string, ok bool) {
	return suppressions(fset, file).at(fset, pos)
}
