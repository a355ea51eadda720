package analyzer

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// library finds calls into libraries without source at hand that read, write or
// watch Endpoints: an object client of another make, a generated controller, an
// interface of one's own over them. What is handled is given by the types: the
// receiver's type arguments, an argument or the result.
func (in *inspection) library(c calledFrom) {
	if c.callee == nil || in.byNode[c.call] != nil || !in.isOpaque(c.callee) {
		return
	}
	verb, known := libraryVerb(c.callee.Name())
	if !known {
		return
	}
	which := noAPI
	if sel, ok := ast.Unparen(c.call.Fun).(*ast.SelectorExpr); ok {
		for _, t := range typeArguments(in.info.TypeOf(sel.X)) {
			which = max(which, objectAPI(t))
		}
	}
	results := c.callee.Signature().Results()
	if verb != "" && results.Len() > 0 {
		which = max(which, elementAPI(results.At(0).Type()))
	}
	for _, a := range c.call.Args {
		which = max(which, objectAPI(in.info.TypeOf(a)))
	}
	if which == noAPI {
		return
	}
	use := informerUse
	if verb != "" {
		use = Use{Verbs: []string{verb}, Access: access(verb)}
	}
	site := in.report(c.call, nameOf(c.call), which, "go/object-client", use)
	if sameModule(pkgPath(c.callee.Pkg()), pkgPath(in.pass.Pkg)) && !takesContext(c.callee) {
		site.Confidence = evidence.Possible // Update(ep) may as well tell a handler
	}
}

// takesContext reports whether a function's first parameter is a context, as of
// everything that speaks to the API server since client-go 0.18.
func takesContext(fn *types.Func) bool {
	params := fn.Signature().Params()
	return params.Len() > 0 && isNamed(params.At(0).Type(), "context", "Context")
}

// libraryVerb reads a method's name. Those of informers and controllers have no
// verb of their own.
func libraryVerb(name string) (verb string, known bool) {
	if verb := verbs[name]; verb != "" {
		return verb, true
	}
	return "", slices.Contains([]string{"OnChange", "OnRemove", "AddGenericHandler", "Cache", "Informer"}, name)
}

// isOpaque reports whether a function's body is out of reach: an interface's
// method, or a library's. The standard library and the Kubernetes libraries
// that have rules of their own are not meant.
func (in *inspection) isOpaque(fn *types.Func) bool {
	path := pkgPath(fn.Pkg())
	if !strings.Contains(strings.SplitN(path, "/", 2)[0], ".") && fn.Pkg() != in.pass.Pkg {
		return false
	}
	if HasOwnRules(path) {
		return false
	}
	recv := receiverType(fn)
	return recv != nil && (types.IsInterface(recv) || fn.Pkg() != in.pass.Pkg && !sameModule(path, pkgPath(in.pass.Pkg)))
}

// sameModule guesses from import paths: host, owner and repository agree. A
// function of the same repository has its source here, and with it its facts.
func sameModule(a, b string) bool {
	x, y := strings.SplitN(a, "/", 4), strings.SplitN(b, "/", 4)
	n := min(3, len(x), len(y))
	return slices.Equal(x[:n], y[:n])
}

// elementAPI is objectAPI, also of what a slice holds.
func elementAPI(t types.Type) api {
	if slice, ok := t.Underlying().(*types.Slice); ok {
		t = slice.Elem()
	}
	return objectAPI(t)
}

// instantiation finds generic types of which a method uses its type argument,
// made with Endpoints, when no call on them is seen in the package: a runnable
// that is handed to a manager.
func (in *inspection) instantiation(n ast.Node) {
	e, ok := n.(ast.Expr)
	if !ok || in.byNode[n] != nil {
		return
	}
	switch n.(type) {
	case *ast.CompositeLit, *ast.CallExpr:
	default:
		return
	}
	named := namedType(in.info.TypeOf(e))
	if named == nil || named.TypeArgs() == nil {
		return
	}
	use, index, ok := in.methodTakes(named)
	if !ok || index >= named.TypeArgs().Len() || in.calledOn(named.Origin()) {
		return
	}
	which := objectAPI(named.TypeArgs().At(index))
	if call, isCall := n.(*ast.CallExpr); isCall {
		// NewReader[T]() of this package holds the literal: one site, the caller's.
		if fn := in.callee(call); fn == nil || fn.Signature().TypeParams().Len() == 0 {
			return
		}
	}
	if which != noAPI {
		in.report(n, n, which, "go/generic", use)
	}
}

// methodTakes is the use that a method of a generic type makes of one of the
// type's parameters.
func (in *inspection) methodTakes(named *types.Named) (Use, int, bool) {
	origin := named.Origin()
	for i := range origin.NumMethods() {
		if takes := in.takenBy(origin.Method(i).Origin()); takes != nil {
			for index, use := range takes.TypeParams {
				return use, index, true
			}
		}
	}
	return Use{}, 0, false
}

// calledOn reports whether a site is a method call on the generic type.
func (in *inspection) calledOn(origin *types.Named) bool {
	for _, site := range in.order {
		call, ok := site.node.(*ast.CallExpr)
		if !ok {
			continue
		}
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
			if t := namedType(in.info.TypeOf(sel.X)); t != nil && t.Origin() == origin {
				return true
			}
		}
	}
	return false
}
