package analyzer

import (
	"go/ast"
	"go/types"
	"strings"
)

// restVerbs maps the methods that start a request to verbs.
var restVerbs = map[string]string{
	"Get": "get", "Post": "create", "Put": "update", "Patch": "patch", "Delete": "delete",
}

// restSink finds client.Get().Namespace(ns).Resource("endpoints").Do(ctx).
func (in *inspection) restSink(c calledFrom) {
	if foreignRESTClient(in.info, c.call) || in.decodesForeign(c.call) {
		return
	}
	use := Use{Kind: ResourceName, Detector: "go/rest-client", Access: []string{"get"}}
	if verb := in.restVerb(c.call); verb != "" {
		use.Verbs, use.Access = []string{verb}, access(verb)
	}
	in.sink(c.call, arg(c.call, 0), use)
	if site := in.byNode[c.call]; site != nil {
		in.eachInChain(c.call, func(call *ast.CallExpr, name string) {
			switch name {
			case "Namespace":
				site.Namespaces = in.namespaces(arg(call, 0))
			case "Name":
				site.name = in.firstText(arg(call, 0))
			}
		})
	}
}

// restVerb reads the verb from the whole chain: a GET without a name is a list,
// with Watch() a watch.
func (in *inspection) restVerb(call *ast.CallExpr) string {
	verb, named := "", false
	in.eachInChain(call, func(_ *ast.CallExpr, name string) {
		switch {
		case name == "Name":
			named = true
		case name == "Watch":
			verb = "watch"
		case restVerbs[name] != "" && verb != "watch":
			verb = restVerbs[name]
		}
	})
	if verb == "get" && !named {
		return "list"
	}
	return verb
}

// decodesForeign reports whether the chain ends in Into(&x) with x of a type
// that is not Kubernetes' own: another group's resource called endpoints.
func (in *inspection) decodesForeign(call *ast.CallExpr) bool {
	foreign := false
	in.eachInChain(call, func(call *ast.CallExpr, name string) {
		if name != "Into" || len(call.Args) != 1 {
			return
		}
		named := namedType(in.info.TypeOf(call.Args[0]))
		if named != nil && objectAPI(named) == noAPI {
			_, isStruct := named.Underlying().(*types.Struct)
			foreign = isStruct && !strings.Contains(pkgPath(named.Obj().Pkg()), "k8s.io/apimachinery/")
		}
	})
	return foreign
}

// eachInChain visits the calls below and above a call of one chain of methods.
func (in *inspection) eachInChain(call *ast.CallExpr, visit func(*ast.CallExpr, string)) {
	for n := ast.Node(call); n != nil; n = receiver(n) {
		if c, ok := n.(*ast.CallExpr); ok {
			if sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
				visit(c, sel.Sel.Name)
			}
		}
	}
	for n := ast.Node(call); ; {
		sel, ok := in.parents[n].(*ast.SelectorExpr)
		if !ok || sel.X != n {
			return
		}
		outer, ok := in.parents[sel].(*ast.CallExpr)
		if !ok {
			return
		}
		visit(outer, sel.Sel.Name)
		n = outer
	}
}

// foreignRESTClient reports whether a chain starts at the RESTClient() of a
// typed client of another group than core: its "endpoints" are not ours.
func foreignRESTClient(info *types.Info, e ast.Expr) bool {
	for n := ast.Node(e); n != nil; n = receiver(n) {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			continue
		}
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != "RESTClient" {
			continue
		}
		named := namedType(info.TypeOf(sel.X))
		if named == nil {
			return false
		}
		path := pkgPath(named.Obj().Pkg())
		return strings.Contains(path, "/typed/") && !strings.HasSuffix(path, "/typed/core/v1")
	}
	return false
}
