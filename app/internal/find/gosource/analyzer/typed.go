package analyzer

import (
	"go/ast"
	"go/types"
	"strings"
)

// typedVerb finds calls on the typed client, the typed informer and the typed
// lister, wherever their value comes from: the method is what counts.
func (in *inspection) typedVerb(c calledFrom) {
	fn, recv := c.callee, receiverType(c.callee)
	if fn == nil {
		return
	}
	sel, _ := ast.Unparen(c.call.Fun).(*ast.SelectorExpr)
	if recv == nil {
		in.constructor(c)
		return
	}
	if sel == nil {
		return
	}
	var site *Site
	switch name := fn.Name(); {
	case clientAPI(recv) != noAPI && verbs[name] != "":
		site = in.clientSite(c.call, sel, clientAPI(recv), name)
	case informerAPI(recv) != noAPI && (name == "Informer" || name == "TypedInformer"):
		site = in.report(c.call, sel.Sel, informerAPI(recv), "go/informer", informerUse)
	case informerAPI(recv) != noAPI && name == "Lister":
		site = in.report(c.call, sel.Sel, informerAPI(recv), "go/lister", Use{Verbs: []string{"list", "watch"}, Access: []string{"lister"}})
	case listerAPI(recv) != noAPI && (verbs[name] != "" || name == "Endpoints" || name == "EndpointSlices"):
		site = in.listerSite(c.call, sel, listerAPI(recv), name)
	default:
		return
	}
	in.consumeReceiver(site, sel.X)
}

// clientSite is a verb of a typed client.
func (in *inspection) clientSite(call *ast.CallExpr, sel *ast.SelectorExpr, which api, name string) *Site {
	verb := verbs[name]
	site := in.report(call, sel.Sel, which, "go/typed-client", Use{Verbs: []string{verb}, Access: access(verb)})
	switch {
	case verb == "get" || verb == "delete" || name == "Patch":
		site.name = in.firstText(arg(call, 1))
	case verb == "list" || verb == "watch":
		site.name = in.selectedName(arg(call, 1))
	}
	return site
}

// listerSite is a read from a lister, or the choice of its namespace.
func (in *inspection) listerSite(call *ast.CallExpr, sel *ast.SelectorExpr, which api, name string) *Site {
	site := in.report(call, sel.Sel, which, "go/lister", Use{Access: []string{"lister"}})
	verb := verbs[name]
	if verb == "" {
		site.Namespaces = in.namespaces(arg(call, 0))
		return site
	}
	site.Verbs = []string{verb}
	if name == "Get" {
		site.name = in.firstText(arg(call, 0))
	}
	return site
}

// selectedName is the one name that a field selector leaves, such as
// metadata.name=kubernetes.
func (in *inspection) selectedName(options ast.Expr) string {
	if options == nil {
		return ""
	}
	for _, leaf := range in.flow.leaves(options) {
		if lit, ok := leaf.(*ast.CompositeLit); ok {
			selector := in.firstText(literalFields(in.info.TypeOf(lit), lit)["FieldSelector"])
			if name, ok := strings.CutPrefix(selector, "metadata.name="); ok {
				return name
			}
		}
	}
	return ""
}

var informerUse = Use{Verbs: []string{"list", "watch"}, Access: []string{"informer"}}

// constructor finds client-go's functions that make one informer or lister.
func (in *inspection) constructor(c calledFrom) {
	path, name := pkgPath(c.callee.Pkg()), c.callee.Name()
	which := noAPI
	switch {
	case strings.Contains(name, "EndpointSlice"):
		which = sliceAPI
	case strings.Contains(name, "Endpoints"):
		which = endpointsAPI
	}
	if which == noAPI || !strings.HasPrefix(name, "New") {
		return
	}
	fun := ast.Unparen(c.call.Fun)
	switch {
	case strings.Contains(path, "/informers/") && strings.Contains(name, "Informer"):
		in.report(c.call, fun, which, "go/informer", informerUse)
	case strings.Contains(path, "/listers/") && strings.Contains(name, "Lister"):
		in.report(c.call, fun, which, "go/lister", Use{Access: []string{"lister"}})
	}
}

// consumeReceiver follows what a verb is called on back to the getter, which
// then is no site of its own, and learns the namespace from it.
func (in *inspection) consumeReceiver(site *Site, x ast.Expr) {
	for _, leaf := range in.flow.leaves(x) {
		if p, ok := in.flow.param(leaf); ok {
			in.received[p] = true
		}
		call, ok := leaf.(*ast.CallExpr)
		if !ok {
			in.consumed[leaf] = true
			continue
		}
		in.consumed[call] = true
		if isGetterName(call) {
			if call == ast.Unparen(x) {
				site.Pos = position(in.pass.Fset, call.Pos(), nameOf(call).Pos())
			}
			site.Namespaces = union(site.Namespaces, in.namespaces(arg(call, 0)))
		}
		// A getter in a variable: eps := cs.CoreV1().Endpoints; eps(ns).List().
		for _, value := range in.flow.leaves(call.Fun) {
			if sel, ok := value.(*ast.SelectorExpr); ok && in.getterAPI(sel) != noAPI {
				in.consumed[sel] = true
				site.Namespaces = union(site.Namespaces, in.namespaces(arg(call, 0)))
			}
		}
	}
}

func isGetterName(call *ast.CallExpr) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	return ok && (sel.Sel.Name == "Endpoints" || sel.Sel.Name == "EndpointSlices")
}

// unusedGetters finds getters, and getters as method values, of which the
// package does not show the verb: handed on, stored for others, embedded.
func (in *inspection) unusedGetters() {
	in.eachNode(func(n ast.Node) {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return
		}
		which := in.getterAPI(sel)
		if which == noAPI || in.consumed[sel] {
			return
		}
		var node ast.Expr = sel
		parent := in.parents[sel]
		if call, ok := parent.(*ast.CallExpr); ok && ast.Unparen(call.Fun) == sel {
			node, parent = call, in.parents[call]
		}
		if in.consumed[node] || in.isReceiver(node, parent) || in.passedToReader(node, parent) {
			return
		}
		fn := in.info.Uses[sel.Sel].(*types.Func)
		result := fn.Signature().Results().At(0).Type()
		detector, use := "go/typed-client", Use{}
		if informerAPI(result) != noAPI {
			detector, use = "go/informer", informerUse
		}
		site := in.report(node, sel.Sel, which, detector, use)
		if call, ok := node.(*ast.CallExpr); ok {
			site.Namespaces = in.namespaces(arg(call, 0))
		}
	})
}

// getterAPI says what sel gets if it is the method Endpoints or EndpointSlices
// of a generated clientset or informer group.
func (in *inspection) getterAPI(sel *ast.SelectorExpr) api {
	if sel.Sel.Name != "Endpoints" && sel.Sel.Name != "EndpointSlices" {
		return noAPI
	}
	fn, ok := in.info.Uses[sel.Sel].(*types.Func)
	if !ok || fn.Signature().Results().Len() != 1 {
		return noAPI
	}
	result := fn.Signature().Results().At(0).Type()
	if which := clientAPI(result); which != noAPI {
		return which
	}
	return informerAPI(result)
}

// isReceiver reports whether a site or getter is called upon at once; the outer
// call is then the site, if anything is.
func (in *inspection) isReceiver(node ast.Node, parent ast.Node) bool {
	for {
		paren, ok := parent.(*ast.ParenExpr)
		if !ok {
			break
		}
		node, parent = paren, in.parents[paren]
	}
	sel, ok := parent.(*ast.SelectorExpr)
	return ok && sel.X == node && in.byNode[in.parents[sel]] != nil
}

// passedToReader reports whether node is an argument of a function of this
// package that calls the verb on its parameter: the verb is the site.
func (in *inspection) passedToReader(node, parent ast.Node) bool {
	call, ok := parent.(*ast.CallExpr)
	if !ok {
		return false
	}
	fn := in.callee(call)
	for i, a := range call.Args {
		if a == node && fn != nil && in.received[param{fn, i}] {
			return true
		}
	}
	return false
}

// access is how a verb of a client reads; a write reads nothing.
func access(verb string) []string {
	if verb == "" || writes[verb] {
		return nil
	}
	return []string{verb}
}

func receiverType(fn *types.Func) types.Type {
	if fn == nil || fn.Signature().Recv() == nil {
		return nil
	}
	return fn.Signature().Recv().Type()
}

// arg is the i-th argument, or nil.
func arg(call *ast.CallExpr, i int) ast.Expr {
	if i < 0 || i >= len(call.Args) {
		return nil
	}
	return call.Args[i]
}
