package analyzer

import (
	"go/ast"
	"go/types"
	"strings"
)

// named says which API an expression names, in one of the forms of [Kind], and
// which parameters would name it, with the form in which they take it.
func (in *inspection) named(e ast.Expr, kind Kind) (api, map[param]Kind) {
	found := noAPI
	params := map[param]Kind{}
	if kind == Object {
		found = objectAPI(in.info.TypeOf(e))
	}
	for _, leaf := range in.flow.leaves(e) {
		if p, ok := in.flow.param(leaf); ok {
			params[p] = kind
		}
		which := noAPI
		switch kind {
		case ResourceName:
			which = in.resourceName(leaf)
		case ResourceList:
			which = in.resourceList(leaf)
		case LockName:
			if s, ok := in.flow.text(leaf); ok && isLockName(s) {
				which = endpointsAPI
			}
		case Object:
			which = objectAPI(in.info.TypeOf(leaf))
		case Schema:
			which = in.schemaValue(leaf, params)
		}
		// Endpoints beside slices in one variable still reads Endpoints.
		if found != endpointsAPI && which != noAPI {
			found = which
		}
	}
	return found, params
}

func (in *inspection) resourceName(leaf ast.Expr) api {
	// Kinds as well: a wrapper may put its parameter into a GroupVersionKind.
	switch s, _ := in.flow.text(leaf); s {
	case "endpoints", "Endpoints":
		return endpointsAPI
	case "endpointslices", "EndpointSlice":
		return sliceAPI
	}
	return noAPI
}

// resourceList reads kubectl's way to name resources: comma-separated, with
// short names, with a name behind a slash, with version and group behind dots.
func (in *inspection) resourceList(leaf ast.Expr) api {
	s, ok := in.flow.text(leaf)
	if !ok {
		return noAPI
	}
	return kubectlResources(s)
}

func kubectlResources(s string) api {
	found := noAPI
	for item := range strings.SplitSeq(s, ",") {
		item, _, _ = strings.Cut(strings.TrimSpace(item), "/")
		switch strings.ToLower(item) {
		case "endpoints", "ep", "endpoints.v1.", "endpoints.v1":
			return endpointsAPI
		case "endpointslices", "endpointslice", "endpointslices.discovery.k8s.io", "endpointslice.discovery.k8s.io", "endpointslices.v1.discovery.k8s.io":
			found = sliceAPI
		}
	}
	return found
}

// schemaValue reads a GroupVersionResource or relative: a literal in any order
// of fields, WithResource and WithKind on a group, a variable of another package.
func (in *inspection) schemaValue(leaf ast.Expr, params map[param]Kind) api {
	switch e := leaf.(type) {
	case *ast.CompositeLit:
		return in.schemaLiteral(e, params)
	case *ast.CallExpr:
		return in.schemaCall(e, params)
	case *ast.SelectorExpr, *ast.Ident:
		obj := in.flow.objectOf(e)
		var holds Holds
		if obj != nil && obj.Pkg() != nil && obj.Pkg() != in.pass.Pkg && in.pass.ImportObjectFact(obj, &holds) {
			if holds.Slices {
				return sliceAPI
			}
			return endpointsAPI
		}
	}
	return noAPI
}

func (in *inspection) schemaLiteral(lit *ast.CompositeLit, params map[param]Kind) api {
	t := in.info.TypeOf(lit)
	if !isSchema(t, "GroupVersionResource", "GroupVersionKind", "GroupResource", "GroupKind") {
		return noAPI
	}
	fields := literalFields(t, lit)
	name := fields["Resource"]
	if name == nil {
		name = fields["Kind"]
	}
	return in.inGroup(in.groupOf(fields["Group"]), name, params)
}

// schemaCall reads gv.WithResource("endpoints") and its relatives.
func (in *inspection) schemaCall(call *ast.CallExpr, params map[param]Kind) api {
	fn := in.callee(call)
	if fn == nil {
		return noAPI
	}
	path := pkgPath(fn.Pkg())
	sel, _ := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	name := fn.Name()
	ofPackage := name == "Resource" || name == "Kind"
	switch {
	case ofPackage && isCorePackage(path):
		return in.inGroup(coreGroup, arg(call, 0), params)
	case ofPackage && isDiscoveryPackage(path):
		return in.inGroup(discovery, arg(call, 0), params)
	case path != schemaPackage:
		return noAPI
	case strings.HasPrefix(name, "Parse"):
		return in.parsedAPI(arg(call, 0))
	case sel == nil:
		return noAPI
	}
	switch name {
	case "WithResource", "WithKind":
		return in.inGroup(in.groupOfVersion(sel.X), arg(call, 0), params)
	case "WithVersion", "GroupResource", "GroupKind":
		which, more := in.named(sel.X, Schema)
		for p, kind := range more {
			params[p] = kind
		}
		return which
	}
	return noAPI
}

// parsedAPI is the API whose resource or kind a text spells.
func (in *inspection) parsedAPI(e ast.Expr) api {
	for _, s := range in.flow.texts(e) {
		switch s {
		case "endpoints", "endpoints.v1.", "Endpoints", "Endpoints.v1.":
			return endpointsAPI
		}
	}
	return noAPI
}

// group says what is known about the API group that a value names.
type group int

const (
	coreGroup group = iota
	discovery
	otherGroup
	unknownGroup
)

func groupNamed(s string) group {
	switch s {
	case "", "core":
		return coreGroup
	case discoveryGroup:
		return discovery
	}
	return otherGroup
}

func (in *inspection) groupOf(e ast.Expr) group {
	if e == nil {
		return coreGroup // the zero value
	}
	found := unknownGroup
	for _, s := range in.flow.texts(e) {
		if found = groupNamed(s); found == coreGroup {
			break
		}
	}
	return found
}

// groupOfVersion reads a GroupVersion: a literal, or a package's SchemeGroupVersion.
func (in *inspection) groupOfVersion(e ast.Expr) group {
	if g := in.packageGroup(e); g != unknownGroup {
		return g
	}
	for _, leaf := range in.flow.leaves(e) {
		if g := in.packageGroup(leaf); g != unknownGroup {
			return g
		}
		if lit, ok := leaf.(*ast.CompositeLit); ok && isSchema(in.info.TypeOf(lit), "GroupVersion") {
			return in.groupOf(literalFields(in.info.TypeOf(lit), lit)["Group"])
		}
	}
	return unknownGroup
}

func (in *inspection) packageGroup(e ast.Expr) group {
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "SchemeGroupVersion" && sel.Sel.Name != "GroupVersion" {
		return unknownGroup
	}
	obj := in.info.Uses[sel.Sel]
	switch {
	case obj == nil || obj.Pkg() == nil:
		return unknownGroup
	case isCorePackage(pkgPath(obj.Pkg())):
		return coreGroup
	case isDiscoveryPackage(pkgPath(obj.Pkg())):
		return discovery
	case obj.Pkg() == in.pass.Pkg:
		return unknownGroup
	}
	return otherGroup
}

// inGroup joins a group with the name of a resource or a kind.
func (in *inspection) inGroup(g group, name ast.Expr, params map[param]Kind) api {
	if name == nil || g == otherGroup {
		return noAPI
	}
	found := noAPI
	for _, leaf := range in.flow.leaves(name) {
		if p, ok := in.flow.param(leaf); ok {
			params[p] = ResourceName
		}
		switch s, _ := in.flow.text(leaf); s {
		case "endpoints", "Endpoints", "EndpointsList":
			if g != discovery {
				return endpointsAPI
			}
		case "endpointslices", "EndpointSlice", "EndpointSliceList":
			if g != coreGroup {
				found = sliceAPI
			}
		}
	}
	return found
}

// objectTypes are the types of what e can be that contain a type parameter or
// are more exact than e's own type.
func (in *inspection) objectTypes(e ast.Expr) []types.Type {
	out := []types.Type{in.info.TypeOf(e)}
	for _, leaf := range in.flow.leaves(e) {
		out = append(out, in.info.TypeOf(leaf))
	}
	return out
}

// literalFields are the values of a struct literal by field, keyed or not.
func literalFields(t types.Type, lit *ast.CompositeLit) map[string]ast.Expr {
	fields := map[string]ast.Expr{}
	structure := structOf(t)
	for i, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok {
				fields[key.Name] = kv.Value
			}
		} else if structure != nil && i < structure.NumFields() {
			fields[structure.Field(i).Name()] = elt
		}
	}
	return fields
}
