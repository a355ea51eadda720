package analyzer

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// heldValue finds what names Endpoints and is not seen to flow into a call of
// this package: a GroupVersionResource in a table or an exported variable, the
// TypeMeta of an unstructured or metadata-only object.
func (in *inspection) heldValue(n ast.Node) {
	switch n := n.(type) {
	case *ast.CompositeLit:
		if in.consumed[n] || in.isCompared(n) || in.isLookup(n) {
			return
		}
		t := in.info.TypeOf(n)
		switch {
		case isSchema(t, "GroupVersionResource", "GroupVersionKind", "GroupResource", "GroupKind"):
			if which := in.schemaLiteral(n, map[param]Kind{}); which != noAPI {
				in.reportHeld(n, in.resourceKey(n), which)
			}
		case isNamed(t, "k8s.io/apimachinery/pkg/apis/meta/v1", "TypeMeta"):
			in.typeMeta(n)
		default:
			in.objectMap(n)
		}
	case *ast.CallExpr:
		in.setKind(n)
		if in.consumed[n] || in.isCompared(n) || in.byNode[n] != nil || !isSchema(in.info.TypeOf(n), "GroupVersionResource", "GroupVersionKind", "GroupResource", "GroupKind") {
			return
		}
		if which := in.schemaCall(n, map[param]Kind{}); which != noAPI && !in.passedOn(n) {
			in.reportHeld(n, n, which)
		}
	}
}

// passedOn reports whether a value is only an intermediate of another one, such
// as the receiver of WithVersion.
func (in *inspection) passedOn(n ast.Node) bool {
	sel, ok := in.parents[n].(*ast.SelectorExpr)
	return ok && sel.X == n
}

func (in *inspection) reportHeld(n, at ast.Node, which api) {
	if in.insideSite(n) || in.errorArgument(n) {
		return
	}
	site := in.report(at, at, which, "go/group-version-resource", Use{Access: []string{"generic"}})
	obj := in.declaredBy(n)
	if obj == nil {
		return
	}
	if obj.Exported() {
		in.pass.ExportObjectFact(obj, &Holds{Slices: which == sliceAPI})
		site.Declares = obj
	}
}

// errorArgument: apierrors.NewNotFound(corev1.Resource("endpoints"), name) only
// words an error.
func (in *inspection) errorArgument(n ast.Node) bool {
	call, ok := in.parents[n].(*ast.CallExpr)
	if !ok {
		return false
	}
	fn := in.callee(call)
	return fn != nil && pkgPath(fn.Pkg()) == "k8s.io/apimachinery/pkg/api/errors"
}

// declaredBy is the package variable whose value n is.
func (in *inspection) declaredBy(n ast.Node) types.Object {
	parent := in.parents[n]
	if u, ok := parent.(*ast.UnaryExpr); ok {
		parent = in.parents[u]
	}
	spec, ok := parent.(*ast.ValueSpec)
	if !ok {
		return nil
	}
	for i, value := range spec.Values {
		if value.Pos() <= n.Pos() && n.End() <= value.End() && i < len(spec.Names) {
			obj := in.info.Defs[spec.Names[i]]
			if obj != nil && obj.Parent() == in.pass.Pkg.Scope() {
				return obj
			}
		}
	}
	return nil
}

// resourceKey is the key that names the resource in a keyed literal.
func (in *inspection) resourceKey(lit *ast.CompositeLit) ast.Node {
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok && (key.Name == "Resource" || key.Name == "Kind") {
				return kv
			}
		}
	}
	return lit
}

// typeMeta finds the TypeMeta of Endpoints where the object around it is not an
// Endpoints: PartialObjectMetadata, an unstructured list.
func (in *inspection) typeMeta(lit *ast.CompositeLit) {
	fields := literalFields(in.info.TypeOf(lit), lit)
	if !in.isEndpointsMeta(fields["APIVersion"], fields["Kind"]) {
		return
	}
	for p := in.parents[lit]; p != nil; p = in.parents[p] {
		if outer, ok := p.(*ast.CompositeLit); ok && objectAPI(in.info.TypeOf(outer)) == endpointsAPI {
			return
		}
	}
	in.reportHeld(lit, in.resourceKey(lit), endpointsAPI)
}

func (in *inspection) isEndpointsMeta(version, kind ast.Expr) bool {
	if version == nil || kind == nil {
		return false
	}
	v, k := in.firstText(version), in.firstText(kind)
	return (v == "v1" || v == "core/v1") && (k == "Endpoints" || k == "EndpointsList")
}

// objectMap finds unstructured content: map[string]any{"apiVersion": "v1",
// "kind": "Endpoints"}.
func (in *inspection) objectMap(lit *ast.CompositeLit) {
	t := in.info.TypeOf(lit)
	if t == nil {
		return
	}
	mapping, ok := t.Underlying().(*types.Map)
	if !ok {
		return
	}
	if types.IsInterface(mapping.Key()) {
		in.objectKeys(lit)
	}
	var version, kind ast.Expr
	var at ast.Node = lit
	for _, elt := range lit.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		switch s, _ := in.flow.text(kv.Key); s {
		case "apiVersion":
			version = kv.Value
		case "kind":
			kind, at = kv.Value, kv
		}
	}
	if in.isEndpointsMeta(version, kind) {
		in.report(at, at, endpointsAPI, "go/unstructured", Use{Access: []string{"generic"}})
	}
}

// objectKeys finds a cache's options by object: cache.Options{ByObject:
// map[client.Object]cache.ByObject{&corev1.Endpoints{}: {}}}.
func (in *inspection) objectKeys(lit *ast.CompositeLit) {
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if which := objectAPI(in.info.TypeOf(kv.Key)); which != noAPI {
				in.report(kv, kv, which, "go/controller-runtime", informerUse)
			}
		}
	}
}

const unstructuredPackage = "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// setKind finds u.SetKind("Endpoints") on an unstructured object whose version
// is not set to another group's.
func (in *inspection) setKind(call *ast.CallExpr) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "SetKind" {
		return
	}
	kind := in.firstText(arg(call, 0))
	t := in.info.TypeOf(sel.X)
	if kind != "Endpoints" && kind != "EndpointsList" || !isNamed(t, unstructuredPackage, "Unstructured") && !isNamed(t, unstructuredPackage, "UnstructuredList") {
		return
	}
	for _, c := range in.calls {
		other, ok := ast.Unparen(c.call.Fun).(*ast.SelectorExpr)
		if !ok || other.Sel.Name != "SetAPIVersion" || in.flow.objectOf(other.X) != in.flow.objectOf(sel.X) {
			continue
		}
		if version := in.firstText(arg(c.call, 0)); strings.Contains(version, "/") {
			return
		}
	}
	in.report(call, sel.Sel, endpointsAPI, "go/unstructured", Use{Access: []string{"generic"}})
}

// isLookup reports whether a literal is only the key of a map that is read: one
// that says what to leave out, for instance.
func (in *inspection) isLookup(lit *ast.CompositeLit) bool {
	index, ok := in.parents[lit].(*ast.IndexExpr)
	if !ok {
		return false
	}
	assign, ok := in.parents[index].(*ast.AssignStmt)
	return !ok || !slices.Contains(assign.Lhs, ast.Expr(index))
}
