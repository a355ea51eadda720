package analyzer

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// wrappers makes callers consumers: a function that uses Endpoints says so in a
// fact, and a call of it from another package is a site. Within one package the
// use itself is the finding, and an acknowledged use is not carried further.
func (in *inspection) wrappers() {
	reads := map[*types.Func]*Reads{}
	for _, site := range in.order {
		if site.api == endpointsAPI && site.fn != nil && carriesOver(site.Detector) && site.Status != evidence.Acknowledged {
			merge(reads, site.fn.Origin(), &Reads{Class: classOf(site), Verbs: site.Verbs, Via: site.fn.FullName()})
		}
	}
	for _, c := range in.calls {
		if r := in.importedReads(c.callee); r != nil {
			in.decl = c.decl
			in.wrapperSite(c.call, nameOf(c.call), r, reads)
		}
	}
	in.eachNode(func(n ast.Node) {
		id, ok := n.(*ast.Ident)
		if !ok {
			return
		}
		fn, ok := in.info.Uses[id].(*types.Func)
		if !ok || in.isCalled(id) {
			return
		}
		if r := in.importedReads(fn.Origin()); r != nil {
			in.wrapperSite(id, id, r, reads)
		}
	})
	in.propagate(reads)
	for fn, r := range reads {
		if fn.Pkg() == in.pass.Pkg && fn.Exported() {
			in.pass.ExportObjectFact(fn, r)
		}
	}
}

// carriesOver: a rule, a review or a literal says what may happen, not that the
// function around it does it.
func carriesOver(detector string) bool {
	switch detector {
	case "go/rbac-rule", "go/rbac-marker", "go/access-review", "go/group-version-resource":
		return false
	}
	return true
}

func (in *inspection) importedReads(fn *types.Func) *Reads {
	if fn == nil || fn.Pkg() == nil || fn.Pkg() == in.pass.Pkg {
		return nil
	}
	var r Reads
	if !in.pass.ImportObjectFact(fn, &r) {
		return nil
	}
	return &r
}

func (in *inspection) wrapperSite(node, name ast.Node, r *Reads, reads map[*types.Func]*Reads) {
	if r.Hops >= maxHops || in.byNode[node] != nil {
		return
	}
	site := in.report(node, name, endpointsAPI, "go/wrapper", Use{Verbs: r.Verbs, Access: []string{"helper"}})
	site.Class = r.Class
	site.Notes = []string{fmt.Sprintf("Endpoints are used in %s, which is called here.", r.Via)}
	if in.decl != nil {
		merge(reads, in.decl.Origin(), &Reads{Class: r.Class, Verbs: r.Verbs, Hops: r.Hops + 1, Via: r.Via})
	}
}

// isCalled reports whether an identifier is the function of a call, and with it
// handled there.
func (in *inspection) isCalled(id *ast.Ident) bool {
	var e ast.Node = id
	if sel, ok := in.parents[id].(*ast.SelectorExpr); ok && sel.Sel == id {
		e = sel
	}
	parent := in.parents[e]
	if index, ok := parent.(*ast.IndexExpr); ok && index.X == e {
		e, parent = index, in.parents[index]
	}
	call, ok := parent.(*ast.CallExpr)
	return ok && call.Fun == e
}

// propagate carries a use to the functions of this package that call the one
// that has it, however many calls lie between.
func (in *inspection) propagate(reads map[*types.Func]*Reads) {
	for changed := true; changed; {
		changed = false
		for _, c := range in.calls {
			if c.callee == nil || c.decl == nil || c.callee.Pkg() != in.pass.Pkg {
				continue
			}
			if r := reads[c.callee]; r != nil && reads[c.decl.Origin()] == nil {
				reads[c.decl.Origin()] = r
				changed = true
			}
		}
	}
}

// merge joins two uses of one function; the nearer one speaks.
func merge(reads map[*types.Func]*Reads, fn *types.Func, r *Reads) {
	old := reads[fn]
	switch {
	case old == nil || r.Hops < old.Hops:
		reads[fn] = r
	case r.Hops == old.Hops:
		old.Verbs = union(old.Verbs, r.Verbs)
		if r.Class == evidence.Producer {
			old.Class = r.Class
		}
	}
}

// walker finds programs that read every resource that the API server offers:
// discovery of all resources beside a dynamic client whose resource is not a
// constant. Endpoints are among what they read.
func (in *inspection) walker(c calledFrom) {
	if c.callee == nil || pkgPath(c.callee.Pkg()) != "k8s.io/client-go/discovery" || !isDiscoveryOfAll(c.callee.Name()) {
		return
	}
	if in.walksResources() {
		site := in.report(c.call, nameOf(c.call), endpointsAPI, "go/walker", Use{Verbs: []string{"list"}, Access: []string{"generic"}})
		site.Confidence = evidence.Possible
		site.Namespaces = []string{"*"}
	}
}

func isDiscoveryOfAll(name string) bool {
	switch name {
	case "ServerPreferredResources", "ServerPreferredNamespacedResources", "ServerGroupsAndResources":
		return true
	}
	return false
}

// walksResources reports whether the package asks a dynamic or metadata client
// for a resource that no constant names.
func (in *inspection) walksResources() bool {
	for _, c := range in.calls {
		if c.callee == nil || c.callee.Name() != "Resource" {
			continue
		}
		path := pkgPath(c.callee.Pkg())
		if !strings.HasPrefix(path, "k8s.io/client-go/dynamic") && !strings.HasPrefix(path, "k8s.io/client-go/metadata") {
			continue
		}
		constant := false
		for _, leaf := range in.flow.leaves(arg(c.call, 0)) {
			if lit, ok := leaf.(*ast.CompositeLit); ok {
				name := literalFields(in.info.TypeOf(lit), lit)["Resource"]
				constant = constant || name != nil && in.firstText(name) != ""
			}
		}
		if !constant {
			return true
		}
	}
	return false
}
