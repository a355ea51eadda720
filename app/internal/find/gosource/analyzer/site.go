package analyzer

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// Site is one place that uses Endpoints: a call, or the key that names the
// resource where there is no call.
type Site struct {
	// Pos is where the call starts; if the call is spread over lines, the place
	// of the name that makes it a call for Endpoints.
	Pos, End token.Pos
	// Detector is the stable name of the rule, such as "go/typed-client".
	Detector   string
	Class      evidence.Class
	Confidence evidence.Confidence
	Status     evidence.Status
	Scope      evidence.Scope
	Verbs      []string
	Access     []string
	Namespaces []string
	// Advice is the EndpointSlice way, in a sentence.
	Advice string
	Notes  []string
	// Declares is the exported variable that the site only declares; a site in
	// another package that uses it makes this one redundant.
	Declares types.Object

	api  api
	node ast.Node
	fn   *types.Func // the declared function around it, or nil
	name string      // of the object, if constant

	literal ast.Node // in ReadSyntax: what the key named by node belongs to
}

// sites collects what the detectors find, one site a node.
type sites struct {
	byNode map[ast.Node]*Site
	order  []*Site
}

// add keeps the first site of a node: detectors run from the specific to the
// general.
func (s *sites) add(site *Site) *Site {
	if old := s.byNode[site.node]; old != nil {
		return old
	}
	if s.byNode == nil {
		s.byNode = map[ast.Node]*Site{}
	}
	s.byNode[site.node] = site
	s.order = append(s.order, site)
	return site
}

// remove drops the site of a node and returns it, or nil.
func (s *sites) remove(node ast.Node) *Site {
	site := s.byNode[node]
	if site == nil {
		return nil
	}
	delete(s.byNode, node)
	s.order = slices.DeleteFunc(s.order, func(other *Site) bool { return other == site })
	return site
}

// within are the sites that lie inside a node.
func (s *sites) within(node ast.Node) []*Site {
	var out []*Site
	for _, site := range s.order {
		if node.Pos() <= site.node.Pos() && site.node.End() <= node.End() {
			out = append(out, site)
		}
	}
	return out
}

// absorbReceivers makes one site of a chain of calls: the outermost call knows
// the verb, what it is called on knows the namespace.
func (s *sites) absorbReceivers() {
	for _, site := range slices.Clone(s.order) {
		if s.byNode[site.node] != site || site.namedByArgument() {
			continue // absorbed meanwhile, or one of several in a chain of options
		}
		for inner := receiver(site.node); inner != nil; inner = receiver(inner) {
			absorbed := s.byNode[inner]
			if absorbed == nil || absorbed.api != site.api {
				continue
			}
			s.remove(inner)
			site.Namespaces = union(site.Namespaces, absorbed.Namespaces)
			site.Notes = union(site.Notes, absorbed.Notes)
			if len(site.Verbs) == 0 {
				site.Verbs = absorbed.Verbs
			}
			if site.name == "" {
				site.name = absorbed.name
			}
			site.Pos = absorbed.Pos
		}
	}
}

// namedByArgument reports whether the call itself names Endpoints, whatever it
// is called on: Owns(&a).Watches(&b) are two sites.
func (s *Site) namedByArgument() bool {
	return s.Detector == "go/controller-runtime" || s.Detector == "go/resource-builder"
}

// receiver is what a call or selector is called or selected on, or nil.
func receiver(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.CallExpr:
		return ast.Unparen(n.Fun)
	case *ast.SelectorExpr:
		return ast.Unparen(n.X)
	case *ast.IndexExpr:
		return ast.Unparen(n.X)
	}
	return nil
}

// position is where a site is reported: the start of the call if the name that
// gives it away is on the same line, else that name.
func position(fset *token.FileSet, start, name token.Pos) token.Pos {
	if !name.IsValid() || fset.Position(start).Line == fset.Position(name).Line {
		return start
	}
	return name
}

// union appends what is new, in order.
func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a[:len(a):len(a)], s)
		}
	}
	return a
}
