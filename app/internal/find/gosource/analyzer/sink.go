package analyzer

import (
	"go/ast"
	"go/types"
	"strings"
)

// sinks looks at one call as a place where something named by an argument is
// used: of the libraries, and of functions that facts say so about.
func (in *inspection) sinks(c calledFrom) {
	if c.callee == nil {
		return
	}
	if takes := in.takenBy(c.callee); takes != nil {
		for i, use := range takes.Params {
			for _, a := range argsOf(c, i) {
				in.sink(c.call, a, use)
			}
		}
		for i, use := range takes.TypeParams {
			in.typeSink(c.call, typeArgument(in.info, c.call, i), use)
		}
		return
	}
	path, name := pkgPath(c.callee.Pkg()), c.callee.Name()
	switch {
	case path == "k8s.io/client-go/tools/cache":
		in.cacheSink(c, name)
	case path == "k8s.io/client-go/tools/leaderelection/resourcelock":
		if strings.HasPrefix(name, "New") {
			in.sink(c.call, arg(c.call, 0), Use{Kind: LockName, Detector: "go/leader-lock", Verbs: lockVerbs})
		}
	case path == "k8s.io/client-go/rest" && name == "Resource" && isNamed(receiverType(c.callee), path, "Request"):
		in.restSink(c)
	case path == "k8s.io/cli-runtime/pkg/resource":
		in.builderSink(c, name)
	case underPath(path, "sigs.k8s.io/controller-runtime"):
		in.controllerRuntimeSink(c, name)
	}
	if underPath(path, "k8s.io/client-go") || underPath(path, "sigs.k8s.io/controller-runtime") ||
		underPath(path, "k8s.io/cli-runtime") || name == "SetGroupVersionKind" {
		in.schemaSink(c, name)
	}
}

// sink asks whether a names Endpoints in the form that the use takes it. If a
// parameter of the function around it does the naming, the function takes it.
func (in *inspection) sink(call *ast.CallExpr, a ast.Expr, use Use) {
	if a == nil || isNamed(in.info.TypeOf(a), "context", "Context") {
		return
	}
	which, params := in.named(a, use.Kind)
	if which != noAPI {
		in.report(call, nameOf(call), which, use.Detector, use)
		in.consume(a)
	}
	for p, kind := range params {
		through := use
		through.Kind = kind
		in.take(p, through)
	}
	if use.Kind == Object {
		for _, t := range in.objectTypes(a) {
			in.typeSink(call, t, use)
		}
	}
}

// typeSink is sink for an object that is named by a type argument.
func (in *inspection) typeSink(call *ast.CallExpr, t types.Type, use Use) {
	if t == nil {
		return
	}
	if which := objectAPI(t); which != noAPI {
		in.report(call, nameOf(call), which, use.Detector, use)
		return
	}
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	tparam, ok := types.Unalias(t).(*types.TypeParam)
	if !ok || in.decl == nil {
		return
	}
	for _, list := range []*types.TypeParamList{in.decl.Signature().TypeParams(), in.decl.Signature().RecvTypeParams()} {
		for i := range list.Len() {
			if list.At(i) == tparam {
				in.takesOf(in.decl).TypeParams[i] = use
			}
		}
	}
}

// cacheSink: client-go's own list-watchers, reflectors and informers.
func (in *inspection) cacheSink(c calledFrom, name string) {
	switch {
	case strings.Contains(name, "ListWatchFromClient"):
		if foreignRESTClient(in.info, arg(c.call, 0)) {
			return
		}
		in.sink(c.call, arg(c.call, 1), Use{Kind: ResourceName, Detector: "go/list-watch", Verbs: informerUse.Verbs, Access: informerUse.Access})
	case strings.HasPrefix(name, "New") && (strings.Contains(name, "Informer") || strings.Contains(name, "Reflector")):
		for _, a := range c.call.Args {
			in.sink(c.call, a, Use{Kind: Object, Detector: "go/informer", Verbs: informerUse.Verbs, Access: informerUse.Access})
		}
	}
}

// builderSink: kubectl's resource builder.
func (in *inspection) builderSink(c calledFrom, name string) {
	use := Use{Kind: ResourceList, Detector: "go/resource-builder", Verbs: []string{"get", "list"}, Access: []string{"get"}}
	switch name {
	case "ResourceTypes", "ResourceTypeOrNameArgs", "ResourceTypeAndNameArgs":
		for _, a := range c.call.Args {
			in.sink(c.call, a, use)
		}
	case "ResourceNames":
		in.sink(c.call, arg(c.call, 0), use)
	}
}

// controllerRuntime are the functions and methods that read, write or watch the
// object that they are given. Others only look at it: SetOwnerReference,
// ObjectKeyFromObject, MergeFrom.
var controllerRuntime = map[string]Use{
	"For": informerUse, "Owns": informerUse, "Watches": informerUse, "WatchesMetadata": informerUse,
	"Kind": informerUse, "TypedKind": informerUse, "GetInformer": informerUse, "IndexField": informerUse,
	"RemoveInformer": informerUse, "WatchesRawSource": informerUse,
	"CreateOrUpdate": {Verbs: []string{"get", "create", "update"}, Access: []string{"get"}},
	"CreateOrPatch":  {Verbs: []string{"get", "create", "patch"}, Access: []string{"get"}},
}

func (in *inspection) controllerRuntimeSink(c calledFrom, name string) {
	use, ok := controllerRuntime[name]
	if verb := verbs[name]; !ok && verb != "" {
		use, ok = Use{Verbs: []string{verb}, Access: access(verb)}, true
	}
	if !ok || strings.Contains(pkgPath(c.callee.Pkg()), "/fake") {
		return
	}
	use.Kind, use.Detector = Object, "go/controller-runtime"
	for _, a := range c.call.Args {
		in.sink(c.call, a, use)
	}
	if site := in.byNode[c.call]; site != nil && name == "Get" {
		in.objectKey(site, c.call)
	}
}

// schemaSink: dynamic and metadata clients, ForResource, unstructured objects:
// every function of the client libraries that takes a GroupVersionResource.
func (in *inspection) schemaSink(c calledFrom, name string) {
	params := c.callee.Signature().Params()
	use := Use{Kind: Schema, Detector: "go/dynamic-client"}
	switch {
	case strings.Contains(name, "Informer") || name == "ForResource" || strings.Contains(name, "ListerFor"):
		use.Detector, use.Verbs, use.Access = "go/informer", informerUse.Verbs, informerUse.Access
	case strings.Contains(name, "Lister") || name == "New" && strings.Contains(pkgPath(c.callee.Pkg()), "lister"):
		use.Detector, use.Access = "go/lister", []string{"lister"}
	case name == "SetGroupVersionKind":
		use.Detector, use.Access = "go/unstructured", []string{"generic"}
	}
	for i := range params.Len() {
		if isSchema(params.At(i).Type(), "GroupVersionResource", "GroupVersionKind", "GroupResource", "GroupKind") {
			for _, a := range argsOf(c, i) {
				in.sink(c.call, a, use)
			}
		}
	}
}

// take records that a parameter of a function of this package is used.
func (in *inspection) take(p param, use Use) {
	takes := in.takesOf(p.fn)
	if _, known := takes.Params[p.index]; !known {
		takes.Params[p.index] = use
	}
}

func (in *inspection) takesOf(fn *types.Func) *Takes {
	fn = fn.Origin()
	if in.takes[fn] == nil {
		in.takes[fn] = &Takes{Params: map[int]Use{}, TypeParams: map[int]Use{}}
	}
	return in.takes[fn]
}

// takenBy is what is known about a function of this or another package.
func (in *inspection) takenBy(fn *types.Func) *Takes {
	if fn.Pkg() == in.pass.Pkg {
		return in.takes[fn]
	}
	var takes Takes
	if in.pass.ImportObjectFact(fn, &takes) {
		return &takes
	}
	return nil
}

func (in *inspection) takenCount() int {
	n := 0
	for _, takes := range in.takes {
		n += len(takes.Params) + len(takes.TypeParams)
	}
	return n
}

func (in *inspection) exportTakes() {
	for fn, takes := range in.takes {
		if fn.Pkg() == in.pass.Pkg && fn.Exported() {
			in.pass.ExportObjectFact(fn, takes)
		}
	}
}

// consume marks what an argument can stand for as used: a literal that flows
// into a call is no site of its own.
func (in *inspection) consume(a ast.Expr) {
	for _, leaf := range in.flow.leaves(a) {
		in.consumed[leaf] = true
		for _, part := range partsOf(leaf) {
			for _, inner := range in.flow.leaves(part) {
				in.consumed[inner] = true
			}
		}
		if sel, ok := leaf.(*ast.SelectorExpr); ok {
			if obj := in.info.Uses[sel.Sel]; obj != nil && obj.Pkg() != in.pass.Pkg {
				in.used[obj] = struct{}{}
			}
		}
	}
}

// partsOf are the arguments and receiver of a call such as gv.WithResource(r).
func partsOf(leaf ast.Expr) []ast.Expr {
	call, ok := leaf.(*ast.CallExpr)
	if !ok {
		return nil
	}
	parts := call.Args
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		parts = append([]ast.Expr{sel.X}, parts...)
	}
	return parts
}

func (in *inspection) callee(call *ast.CallExpr) *types.Func {
	var id *ast.Ident
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		id = fun.Sel
	default:
		return nil
	}
	fn, _ := in.info.Uses[id].(*types.Func)
	if fn != nil {
		fn = fn.Origin()
	}
	return fn
}

// argsOf are the arguments for the i-th parameter: several if it is variadic.
func argsOf(c calledFrom, i int) []ast.Expr {
	sig := c.callee.Signature()
	if sig.Variadic() && i == sig.Params().Len()-1 {
		return c.call.Args[min(i, len(c.call.Args)):]
	}
	if a := arg(c.call, i); a != nil {
		return []ast.Expr{a}
	}
	return nil
}

// nameOf is the identifier that a call calls, where the reader's eye rests.
func nameOf(call *ast.CallExpr) ast.Node {
	fun := ast.Unparen(call.Fun)
	switch index := fun.(type) {
	case *ast.IndexExpr:
		fun = index.X
	case *ast.IndexListExpr:
		fun = index.X
	}
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		return sel.Sel
	}
	return fun
}

// typeArgument is the i-th type argument of a call, or of its receiver's type.
func typeArgument(info *types.Info, call *ast.CallExpr, i int) types.Type {
	id, ok := nameOf(call).(*ast.Ident)
	if !ok {
		return nil
	}
	if instance, ok := info.Instances[id]; ok && i < instance.TypeArgs.Len() {
		return instance.TypeArgs.At(i)
	}
	if fn, ok := info.Uses[id].(*types.Func); ok {
		if args := typeArguments(receiverType(fn)); i < len(args) {
			return args[i]
		}
	}
	return nil
}
