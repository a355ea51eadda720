package analyzer

import "go/ast"

// dynamicVerb finds List, Watch and so on upon a dynamic or metadata client of
// Endpoints that was made earlier and kept in a variable or field. Made in the
// same chain, the two become one site anyway.
func (in *inspection) dynamicVerb(c calledFrom) {
	recv := namedType(receiverType(c.callee))
	if recv == nil || verbs[c.callee.Name()] == "" {
		return
	}
	path := pkgPath(recv.Obj().Pkg())
	if path != "k8s.io/client-go/dynamic" && path != "k8s.io/client-go/metadata" {
		return
	}
	sel, ok := ast.Unparen(c.call.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	source, namespace := in.resourceClient(sel.X, 0)
	made := in.byNode[source]
	if made == nil {
		return
	}
	verb := verbs[c.callee.Name()]
	site := in.report(c.call, sel.Sel, made.api, made.Detector, Use{Verbs: []string{verb}, Access: access(verb)})
	site.Namespaces = in.namespaces(namespace)
	if verb == "get" {
		site.name = in.firstText(arg(c.call, 1))
	}
	in.consumed[source] = true
}

// resourceClient follows x to the call that named the resource, through
// Namespace(ns), which it returns.
func (in *inspection) resourceClient(x ast.Expr, depth int) (source ast.Node, namespace ast.Expr) {
	if depth > 4 {
		return nil, nil
	}
	for _, leaf := range in.flow.leaves(x) {
		call, ok := leaf.(*ast.CallExpr)
		if !ok {
			continue
		}
		if in.byNode[call] != nil {
			return call, namespace
		}
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && sel.Sel.Name == "Namespace" {
			if source, _ := in.resourceClient(sel.X, depth+1); source != nil {
				return source, arg(call, 0)
			}
		}
	}
	return nil, nil
}
