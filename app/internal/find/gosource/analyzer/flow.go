package analyzer

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"

	"golang.org/x/tools/go/types/typeutil"
)

// The limits of one look-up, so that no source, however tangled, costs more
// than a bounded time. A value that comes from further away or from more places
// is not followed: the site is then found at the literal instead.
const (
	maxFlowDepth = 24
	maxFlowSteps = 4096
)

// flow knows which expressions a variable, a field or a parameter of a closure
// can hold, within one package and whatever the order: enough to see that the
// resource, the object or the getter at a call is Endpoints although its name is
// written elsewhere. It over-approximates, as every flow-insensitive answer
// does.
type flow struct {
	info     *types.Info
	assigned map[types.Object][]ast.Expr
	elements map[types.Object][]ast.Expr
	returns  map[*types.Func][]ast.Expr
	literals map[*ast.FuncLit][]ast.Expr // what a closure returns
	params   map[types.Object]param
	ranges   map[types.Object][]ast.Expr // range variable -> what it goes over
}

// param is a parameter of a declared function; only its callers know the value.
type param struct {
	fn    *types.Func
	index int
}

// newFlow reads every assignment of the package once.
func newFlow(info *types.Info, files []*ast.File) *flow {
	f := &flow{
		info:     info,
		assigned: map[types.Object][]ast.Expr{},
		elements: map[types.Object][]ast.Expr{},
		returns:  map[*types.Func][]ast.Expr{},
		literals: map[*ast.FuncLit][]ast.Expr{},
		params:   map[types.Object]param{},
		ranges:   map[types.Object][]ast.Expr{},
	}
	var calls []*ast.CallExpr
	for _, file := range files {
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				f.walk(decl, nil, &calls)
				continue
			}
			obj, _ := info.Defs[fn.Name].(*types.Func)
			f.declareParams(obj, fn.Type)
			if fn.Body != nil {
				f.walk(fn.Body, func(e ast.Expr) {
					if obj != nil {
						f.returns[obj] = append(f.returns[obj], e)
					}
				}, &calls)
			}
		}
	}
	// Closures last: which one a variable holds is known only now.
	for _, call := range calls {
		f.bindClosure(call)
	}
	return f
}

func (f *flow) declareParams(fn *types.Func, typ *ast.FuncType) {
	if fn == nil || typ.Params == nil {
		return
	}
	index := 0
	for _, field := range typ.Params.List {
		for _, name := range field.Names {
			if obj := f.info.Defs[name]; obj != nil {
				f.params[obj] = param{fn, index}
			}
			index++
		}
		if len(field.Names) == 0 {
			index++
		}
	}
}

// walk records what is assigned below root. Returned values go to returned;
// those of closures belong to the closure.
func (f *flow) walk(root ast.Node, returned func(ast.Expr), calls *[]*ast.CallExpr) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			f.walk(n.Body, func(e ast.Expr) { f.literals[n] = append(f.literals[n], e) }, calls)
			return false
		case *ast.AssignStmt:
			if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
				return true // x += y is neither x nor y
			}
			if len(n.Lhs) == len(n.Rhs) {
				for i := range n.Lhs {
					f.bind(n.Lhs[i], n.Rhs[i])
				}
			} else if len(n.Rhs) == 1 {
				// x, err := f(): the first result is what matters here.
				f.bind(n.Lhs[0], n.Rhs[0])
			}
		case *ast.ValueSpec:
			for i, value := range n.Values {
				if i < len(n.Names) {
					f.bind(n.Names[i], value)
				}
			}
		case *ast.CompositeLit:
			f.bindFields(n)
		case *ast.RangeStmt:
			if id, ok := n.Value.(*ast.Ident); ok {
				if obj := f.objectOf(id); obj != nil {
					f.ranges[obj] = append(f.ranges[obj], n.X)
				}
			}
		case *ast.ReturnStmt:
			if returned != nil && len(n.Results) > 0 {
				returned(n.Results[0])
			}
		case *ast.CallExpr:
			*calls = append(*calls, n)
		}
		return true
	})
}

func (f *flow) bind(lhs, rhs ast.Expr) {
	switch lhs := ast.Unparen(lhs).(type) {
	case *ast.Ident, *ast.SelectorExpr:
		if obj := f.objectOf(lhs); obj != nil {
			f.assigned[obj] = append(f.assigned[obj], rhs)
		}
	case *ast.StarExpr:
		f.bind(lhs.X, rhs)
	case *ast.IndexExpr:
		if obj := f.objectOf(lhs.X); obj != nil {
			f.elements[obj] = append(f.elements[obj], rhs)
		}
	}
}

func (f *flow) bindFields(lit *ast.CompositeLit) {
	structure := structOf(f.info.TypeOf(lit))
	for i, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok {
				if field, ok := f.info.Uses[key].(*types.Var); ok && field.IsField() {
					f.assigned[field.Origin()] = append(f.assigned[field.Origin()], kv.Value)
				}
			}
		} else if structure != nil && i < structure.NumFields() {
			field := structure.Field(i).Origin()
			f.assigned[field] = append(f.assigned[field], elt)
		}
	}
}

func (f *flow) bindClosure(call *ast.CallExpr) {
	if typeutil.StaticCallee(f.info, call) != nil {
		return
	}
	for _, leaf := range f.leaves(call.Fun) {
		lit, ok := leaf.(*ast.FuncLit)
		if !ok {
			continue
		}
		index := 0
		for _, field := range lit.Type.Params.List {
			for _, name := range field.Names {
				if obj := f.info.Defs[name]; obj != nil && index < len(call.Args) {
					f.assigned[obj] = append(f.assigned[obj], call.Args[index])
				}
				index++
			}
		}
	}
}

// leaves are the expressions that e can stand for: constants, literals, calls
// into other packages, parameters, and what could not be followed further.
func (f *flow) leaves(e ast.Expr) []ast.Expr {
	steps := maxFlowSteps
	w := &leafWalk{flow: f, seen: map[types.Object]bool{}, steps: &steps}
	w.follow(e, 0)
	return w.out
}

type leafWalk struct {
	*flow
	seen  map[types.Object]bool
	steps *int // what is left of maxFlowSteps, shared with every sub-walk
	out   []ast.Expr
}

// below are the leaves of x, a part of what this walk follows.
func (w *leafWalk) below(x ast.Expr, depth int) []ast.Expr {
	sub := &leafWalk{flow: w.flow, seen: maps.Clone(w.seen), steps: w.steps}
	sub.follow(x, depth+1)
	return sub.out
}

func (w *leafWalk) follow(e ast.Expr, depth int) {
	*w.steps--
	if e == nil || *w.steps < 0 {
		return
	}
	if depth > maxFlowDepth || w.constant(e) != nil {
		w.out = append(w.out, e)
		return
	}
	switch n := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			w.follow(n.X, depth+1)
			return
		}
	case *ast.StarExpr:
		w.follow(n.X, depth+1)
		return
	case *ast.TypeAssertExpr:
		w.follow(n.X, depth+1)
		return
	case *ast.IndexExpr:
		if w.indexed(n.X, depth) {
			return
		}
	case *ast.CallExpr:
		if w.called(n, depth) {
			return
		}
	case *ast.SelectorExpr:
		if w.fieldOfLiteral(n, depth) || w.variable(n, depth) {
			return
		}
	case *ast.Ident:
		if w.variable(n, depth) {
			return
		}
	}
	w.out = append(w.out, ast.Unparen(e))
}

// fieldOfLiteral follows x.f when x can only be struct literals: then the field
// is theirs, not that of every value of the type.
func (w *leafWalk) fieldOfLiteral(sel *ast.SelectorExpr, depth int) bool {
	if obj := w.objectOf(sel); obj == nil || !obj.(*types.Var).IsField() {
		return false
	}
	var values []ast.Expr
	leaves := w.below(sel.X, depth)
	for _, leaf := range leaves {
		lit, ok := leaf.(*ast.CompositeLit)
		if !ok || structOf(w.info.TypeOf(lit)) == nil {
			return false
		}
		value := literalFields(w.info.TypeOf(lit), lit)[sel.Sel.Name]
		if value == nil {
			return false // assigned later, perhaps
		}
		values = append(values, value)
	}
	for _, value := range values {
		w.follow(value, depth+1)
	}
	return len(values) > 0
}

// indexed follows an element of a slice, an array or a map: any of them.
func (w *leafWalk) indexed(x ast.Expr, depth int) bool {
	found := false
	if obj := w.objectOf(x); obj != nil {
		for _, value := range w.flow.elements[obj] {
			w.follow(value, depth+1)
			found = true
		}
	}
	for _, container := range w.below(x, depth) {
		switch c := container.(type) {
		case *ast.CompositeLit:
			for _, elt := range c.Elts {
				if kv, ok := elt.(*ast.KeyValueExpr); ok {
					elt = kv.Value
				}
				w.follow(elt, depth+1)
				found = true
			}
		case *ast.CallExpr:
			if id, ok := c.Fun.(*ast.Ident); ok && id.Name == "append" {
				for _, arg := range c.Args[min(1, len(c.Args)):] {
					w.follow(arg, depth+1)
					found = true
				}
			}
		}
	}
	return found
}

// called follows conversions and functions and closures of this package.
func (w *leafWalk) called(call *ast.CallExpr, depth int) bool {
	if tv, ok := w.info.Types[call.Fun]; ok && tv.IsType() && len(call.Args) == 1 {
		w.follow(call.Args[0], depth+1)
		return true
	}
	if fn := typeutil.StaticCallee(w.info, call); fn != nil {
		results := w.returns[fn.Origin()]
		if len(results) == 0 || w.seen[fn.Origin()] {
			return false
		}
		w.seen[fn.Origin()] = true
		for _, result := range results {
			w.follow(result, depth+1)
		}
		return true
	}
	found := false
	switch ast.Unparen(call.Fun).(type) {
	case *ast.Ident, *ast.FuncLit:
		for _, leaf := range w.below(call.Fun, depth) {
			if lit, ok := leaf.(*ast.FuncLit); ok {
				for _, result := range w.literals[lit] {
					w.follow(result, depth+1)
					found = true
				}
			}
		}
	}
	return found
}

// variable follows a variable or a field to everything assigned to it. A
// parameter stays a leaf as well: callers elsewhere may pass anything.
func (w *leafWalk) variable(e ast.Expr, depth int) bool {
	obj := w.objectOf(e)
	if obj == nil {
		return false
	}
	if w.seen[obj] {
		return true
	}
	w.seen[obj] = true
	_, isParam := w.params[obj]
	if isParam {
		w.out = append(w.out, e)
	}
	found := isParam
	for _, value := range w.assigned[obj] {
		w.follow(value, depth+1)
		found = true
	}
	for _, over := range w.ranges[obj] {
		found = w.indexed(over, depth+1) || found
	}
	return found
}

// objectOf is the variable or field that an identifier or selector denotes.
func (f *flow) objectOf(e ast.Expr) types.Object {
	var id *ast.Ident
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		id = e
	case *ast.SelectorExpr:
		id = e.Sel
	default:
		return nil
	}
	if v, ok := f.info.ObjectOf(id).(*types.Var); ok {
		return v.Origin()
	}
	return nil
}

// param is the parameter that a leaf denotes.
func (f *flow) param(leaf ast.Expr) (param, bool) {
	obj := f.objectOf(leaf)
	if obj == nil {
		return param{}, false
	}
	p, ok := f.params[obj]
	return p, ok
}

// constant is the value of a constant expression, or nil.
func (f *flow) constant(e ast.Expr) constant.Value {
	return f.info.Types[e].Value
}

// text is the value of a constant string expression.
func (f *flow) text(e ast.Expr) (string, bool) {
	if value := f.constant(e); value != nil && value.Kind() == constant.String {
		return constant.StringVal(value), true
	}
	return "", false
}

// texts are the constant strings that e can hold.
func (f *flow) texts(e ast.Expr) []string {
	var out []string
	for _, leaf := range f.leaves(e) {
		if s, ok := f.text(leaf); ok {
			out = append(out, s)
		}
	}
	return out
}

func structOf(t types.Type) *types.Struct {
	if t == nil {
		return nil
	}
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	s, _ := t.Underlying().(*types.Struct)
	return s
}
