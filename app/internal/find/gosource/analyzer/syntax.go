package analyzer

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// ReadSyntax finds what one file shows without any types: the usual spellings
// of the usual clients. All of it is at most possible, and less is found than
// with types; it is for code that does not type-check. The file must have been
// parsed with comments, and with object resolution if variables are to be
// followed within it.
func ReadSyntax(fset *token.FileSet, file *ast.File) []Site {
	s := &syntax{fset: fset, file: file, imports: map[string]string{}, parents: map[ast.Node]ast.Node{}, consumed: map[ast.Node]bool{}}
	s.index()
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			s.call(n)
		case *ast.SelectorExpr:
			s.selector(n)
		case *ast.CompositeLit:
			s.literal(n)
		case *ast.KeyValueExpr:
			s.lockOption(n)
		}
		if e, ok := n.(ast.Expr); ok {
			s.rawURL(e)
		}
		return true
	})
	eachMarker(file, func(c *ast.Comment, resources, _, verbs []string) {
		if slices.Contains(resources, "endpoints") {
			s.report(c, c.Pos(), "go/rbac-marker", Use{Verbs: rbacVerbs(verbs), Access: []string{"config"}})
		}
	})
	s.absorbReceivers()
	return s.result()
}

type syntax struct {
	fset    *token.FileSet
	file    *ast.File
	imports map[string]string // name in the file -> path
	parents map[ast.Node]ast.Node
	sites
	consumed    map[ast.Node]bool // what a variable holds whose use is a site
	kubernetes  bool              // the file imports something of Kubernetes
	walks       bool              // it imports a client for resources of any kind
	controllers bool              // it imports something of controller-runtime
	stores      bool              // it imports something of the API server's own
	readsSlices bool
}

func (s *syntax) index() {
	for _, spec := range s.file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		name := path.Base(p)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		s.imports[name] = p
		s.kubernetes = s.kubernetes || strings.HasPrefix(p, "k8s.io/") || strings.HasPrefix(p, "sigs.k8s.io/")
		s.controllers = s.controllers || strings.HasPrefix(p, "sigs.k8s.io/controller-runtime")
		s.stores = s.stores || strings.HasPrefix(p, "k8s.io/apiserver/")
		s.walks = s.walks || p == "k8s.io/client-go/dynamic" || p == "k8s.io/client-go/metadata"
	}
	var stack []ast.Node
	ast.Inspect(s.file, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if len(stack) > 0 {
			s.parents[n] = stack[len(stack)-1]
		}
		stack = append(stack, n)
		return true
	})
}

func (s *syntax) report(node ast.Node, name token.Pos, detector string, use Use) *Site {
	return s.add(&Site{
		Pos: position(s.fset, node.Pos(), name), End: node.End(),
		Detector: detector, Confidence: evidence.Possible,
		Verbs: use.Verbs, Access: use.Access,
		api: endpointsAPI, node: node,
	})
}

// selector finds CoreV1().Endpoints, with the verb that is called upon it, and
// the constants of the leader lock.
func (s *syntax) selector(sel *ast.SelectorExpr) {
	switch sel.Sel.Name {
	case "EndpointSlices", "EndpointSlice", "EndpointSliceList":
		s.readsSlices = true
	case "Endpoints":
		if s.isGetter(sel) {
			s.getter(sel)
		}
	case "EndpointsResourceLock", "EndpointsLeasesResourceLock":
		if s.imported(sel.X) == resourcelockPackage && !s.compared(sel) {
			s.report(sel, sel.Pos(), "go/leader-lock", Use{Verbs: lockVerbs})
		}
	}
}

// isGetter: on CoreV1() or Core().V1(), or on something called a lister.
func (s *syntax) isGetter(sel *ast.SelectorExpr) bool {
	switch x := ast.Unparen(sel.X).(type) {
	case *ast.CallExpr:
		inner, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr)
		if !ok {
			return false
		}
		name := inner.Sel.Name
		if name == "V1" {
			group, ok := ast.Unparen(inner.X).(*ast.CallExpr)
			if !ok {
				return false
			}
			groupSel, ok := ast.Unparen(group.Fun).(*ast.SelectorExpr)
			return ok && groupSel.Sel.Name == "Core"
		}
		return s.kubernetes && (name == "CoreV1" || name == "Core" || name == "Lister")
	case *ast.Ident:
		return strings.HasSuffix(strings.ToLower(x.Name), "endpointslister")
	case *ast.SelectorExpr:
		return strings.HasSuffix(strings.ToLower(x.Sel.Name), "endpointslister")
	}
	return false
}

func (s *syntax) getter(sel *ast.SelectorExpr) {
	var node ast.Node = sel
	detector, use := "go/typed-client", Use{}
	for {
		if call, ok := s.parents[node].(*ast.CallExpr); ok && call.Fun == node {
			node = call
		}
		outer, ok := s.parents[node].(*ast.SelectorExpr)
		if !ok || outer.X != node {
			break
		}
		call, isCall := s.parents[outer].(*ast.CallExpr)
		switch name := outer.Sel.Name; {
		case verbs[name] != "":
			use = Use{Verbs: []string{verbs[name]}, Access: access(verbs[name])}
		case name == "Informer":
			detector, use = "go/informer", informerUse
		case name == "Lister":
			detector, use = "go/lister", Use{Access: []string{"lister"}}
		}
		if !isCall {
			break
		}
		node = outer
		if use.Verbs != nil || use.Access != nil {
			node = call
			break
		}
	}
	s.report(node, sel.Sel.Pos(), detector, use)
}

// call finds what is named by an argument.
func (s *syntax) call(call *ast.CallExpr) {
	name, x := calledName(call)
	at := nameOf(call).Pos()
	switch {
	case s.namesResource(call, at, name, x):
	case (name == "Resource" || name == "ForResource") && s.isEndpointsSchema(arg(call, 0), 0):
		s.consumeVariable(arg(call, 0))
		s.report(call, at, "go/dynamic-client", Use{Access: []string{"generic"}})
	case isDiscoveryOfAll(name) && s.walks:
		s.report(call, at, "go/walker", Use{Verbs: []string{"list"}, Access: []string{"generic"}})
	case verbs[name] != "" && isVariable(x) && s.isGetterValue(x, 0):
		s.consumeVariable(x)
		s.report(call, at, "go/typed-client", Use{Verbs: []string{verbs[name]}, Access: access(verbs[name])})
	case strings.HasPrefix(name, "Command") && s.imported(x) == "os/exec":
		s.command(call, at)
	case s.imported(x) == "k8s.io/client-go/tools/cache" && strings.HasPrefix(name, "New"):
		if s.ownListWatch(arg(call, 0)) {
			return // what lists and watches is the site
		}
		s.object(call, at, "go/informer", informerUse)
	default:
		s.objectCall(call, at, name)
	}
}

// namesResource reports whether a call names the resource by a text, and finds
// it unless it is of another group's client.
func (s *syntax) namesResource(call *ast.CallExpr, at token.Pos, name string, x ast.Expr) bool {
	switch {
	case strings.Contains(name, "ListWatchFromClient") && s.text(arg(call, 1)) == "endpoints":
		if !ofForeignClient(arg(call, 0)) {
			s.report(call, at, "go/list-watch", informerUse)
		}
	case s.text(arg(call, 0)) != "endpoints":
		return false
	case name == "Resource" && x != nil && s.imported(x) == "":
		if !ofForeignClient(x) {
			s.report(call, at, "go/rest-client", Use{Access: []string{"get"}})
		}
	case name == "WithResource" && !s.ofOtherGroup(x):
		s.report(call, at, "go/group-version-resource", Use{Access: []string{"generic"}})
	default:
		return false
	}
	return true
}

// calledName is the name of what is called, and what it is selected from.
func calledName(call *ast.CallExpr) (name string, x ast.Expr) {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.SelectorExpr:
		return fun.Sel.Name, fun.X
	case *ast.Ident:
		return fun.Name, nil
	}
	return "", nil
}

// objectCall finds a verb of a client for objects of any kind.
func (s *syntax) objectCall(call *ast.CallExpr, at token.Pos, name string) {
	use, ok := controllerRuntime[name]
	if verb := verbs[name]; !ok && verb != "" {
		use, ok = Use{Verbs: []string{verb}, Access: access(verb)}, true
	}
	switch {
	case !ok || s.stores: // an API server's store has a client's verbs
	case s.controllers:
		s.object(call, at, "go/controller-runtime", use)
	default:
		s.object(call, at, "go/object-client", use)
	}
}

// isVariable: client, or eps(ns) with eps a variable.
func isVariable(x ast.Expr) bool {
	if call, ok := ast.Unparen(x).(*ast.CallExpr); ok {
		x = call.Fun
	}
	_, ok := ast.Unparen(x).(*ast.Ident)
	return ok
}

// isGetterValue: a variable of this file that holds CoreV1().Endpoints or what
// it returned.
func (s *syntax) isGetterValue(x ast.Expr, depth int) bool {
	if depth > 4 || x == nil {
		return false
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		value, _ := declaration(x)
		return s.isGetterValue(value, depth+1)
	case *ast.CallExpr:
		return s.isGetterValue(x.Fun, depth+1)
	case *ast.SelectorExpr:
		return depth > 0 && x.Sel.Name == "Endpoints" && s.isGetter(x)
	}
	return false
}

// isEndpointsSchema: a GroupVersionResource of Endpoints, or a variable with one.
func (s *syntax) isEndpointsSchema(e ast.Expr, depth int) bool {
	if depth > 4 || e == nil {
		return false
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		value, _ := declaration(e)
		return s.isEndpointsSchema(value, depth+1)
	case *ast.CallExpr:
		sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr)
		return ok && sel.Sel.Name == "WithResource" && s.text(arg(e, 0)) == "endpoints" && !s.ofOtherGroup(sel.X)
	case *ast.CompositeLit:
		fields, _ := s.schemaFields(e)
		return isTypeNamed(e.Type, "GroupVersionResource") && s.isCoreEndpoints(fields)
	}
	return false
}

func (s *syntax) isCoreEndpoints(fields map[string]ast.Expr) bool {
	group := fields["Group"]
	return s.text(fields["Resource"]) == "endpoints" && (group == nil || s.isText(group) && groupNamed(s.text(group)) == coreGroup)
}

// consumeVariable makes what a variable holds part of the site that uses it.
func (s *syntax) consumeVariable(x ast.Expr) {
	for range 4 {
		switch v := ast.Unparen(x).(type) {
		case *ast.CallExpr:
			x = v.Fun
			continue
		case *ast.Ident:
			x, _ = declaration(v)
			if x != nil {
				s.consumed[ast.Unparen(x)] = true
				continue
			}
		}
		return
	}
}

// ownListWatch: the list-watch is made in this file, and with it a site.
func (s *syntax) ownListWatch(e ast.Expr) bool {
	if id, ok := e.(*ast.Ident); ok {
		e, _ = declaration(id)
	}
	switch e := e.(type) {
	case *ast.UnaryExpr:
		lit, ok := e.X.(*ast.CompositeLit)
		return ok && isTypeNamed(lit.Type, "ListWatch")
	case *ast.CallExpr:
		name, ok := nameOf(e).(*ast.Ident)
		return ok && strings.Contains(name.Name, "ListWatch")
	}
	return false
}

// ofForeignClient: a chain that starts at a group's client other than CoreV1().
func ofForeignClient(e ast.Expr) bool {
	for n := ast.Node(e); n != nil; n = receiver(n) {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "RESTClient" {
			call, ok := ast.Unparen(sel.X).(*ast.CallExpr)
			if !ok {
				return false
			}
			group, ok := nameOf(call).(*ast.Ident)
			return ok && strings.Contains(group.Name, "V1") && group.Name != "CoreV1"
		}
	}
	return false
}

func (s *syntax) object(call *ast.CallExpr, at token.Pos, detector string, use Use) {
	for _, a := range call.Args {
		if s.isEndpointsObject(a, 0) {
			if byNode := s.byNode[receiver(receiver(call))]; byNode == nil {
				s.report(call, at, detector, use)
			}
		}
	}
}

// isEndpointsObject: &corev1.Endpoints{}, new(corev1.EndpointsList), a variable
// of this file that was declared as one.
func (s *syntax) isEndpointsObject(e ast.Expr, depth int) bool {
	if depth > 4 || e == nil {
		return false
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return s.isEndpointsObject(e.X, depth+1)
	case *ast.StarExpr:
		return s.isEndpointsObject(e.X, depth+1)
	case *ast.CompositeLit:
		return s.isEndpointsObject(e.Type, depth+1)
	case *ast.CallExpr:
		id, ok := e.Fun.(*ast.Ident)
		return ok && id.Name == "new" && s.isEndpointsObject(arg(e, 0), depth+1)
	case *ast.SelectorExpr:
		return (e.Sel.Name == "Endpoints" || e.Sel.Name == "EndpointsList") && isCorePackage(s.imported(e.X))
	case *ast.Ident:
		value, typ := declaration(e)
		return s.isEndpointsObject(value, depth+1) || s.isEndpointsObject(typ, depth+1)
	}
	return false
}

// declaration is the value and the type that a variable of this file was
// declared with, as the parser resolved it.
func declaration(id *ast.Ident) (value, typ ast.Expr) {
	if id.Obj == nil {
		return nil, nil
	}
	switch decl := id.Obj.Decl.(type) {
	case *ast.ValueSpec:
		for i, name := range decl.Names {
			if name.Name == id.Name && i < len(decl.Values) {
				value = decl.Values[i]
			}
		}
		return value, decl.Type
	case *ast.AssignStmt:
		for i, lhs := range decl.Lhs {
			if name, ok := lhs.(*ast.Ident); ok && name.Name == id.Name && i < len(decl.Rhs) {
				return decl.Rhs[i], nil
			}
		}
	}
	return nil, nil
}

// literal finds GroupVersionResources, PolicyRules and access reviews.
func (s *syntax) literal(lit *ast.CompositeLit) {
	fields, keys := s.schemaFields(lit)
	group := s.text(fields["Group"])
	switch {
	case isTypeNamed(lit.Type, "GroupVersionResource", "GroupResource"):
		if s.isCoreEndpoints(fields) && !s.compared(lit) && !s.insideSite(lit) {
			site := s.report(keys["Resource"], keys["Resource"].Pos(), "go/group-version-resource", Use{Access: []string{"generic"}})
			site.literal = lit
		}
	case isTypeNamed(lit.Type, "ResourceAttributes"):
		if s.text(fields["Resource"]) == "endpoints" && groupNamed(group) == coreGroup {
			s.report(keys["Resource"], keys["Resource"].Pos(), "go/access-review", Use{Verbs: s.list(fields["Verb"]), Access: []string{"config"}})
		}
	case fields["Resources"] != nil && fields["Verbs"] != nil:
		groups := s.list(fields["APIGroups"])
		if slices.Contains(s.list(fields["Resources"]), "endpoints") && (len(groups) == 0 || slices.Contains(groups, "") || slices.Contains(groups, "*")) {
			s.report(keys["Resources"], keys["Resources"].Pos(), "go/rbac-rule", Use{Verbs: rbacVerbs(s.list(fields["Verbs"])), Access: []string{"config"}})
		}
	}
}

// schemaFields are the fields of a literal, those without keys in the order of
// GroupVersionResource.
func (s *syntax) schemaFields(lit *ast.CompositeLit) (map[string]ast.Expr, map[string]ast.Node) {
	fields := map[string]ast.Expr{}
	keys := map[string]ast.Node{}
	for i, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok {
				fields[key.Name], keys[key.Name] = kv.Value, kv
			}
		} else if i < 3 {
			name := [...]string{"Group", "Version", "Resource"}[i]
			fields[name], keys[name] = elt, elt
		}
	}
	return fields, keys
}

// insideSite: in the arguments of a call that is a site.
func (s *syntax) insideSite(n ast.Node) bool {
	for n = s.parents[n]; n != nil; n = s.parents[n] {
		if s.byNode[n] != nil {
			return true
		}
	}
	return false
}

func (s *syntax) lockOption(kv *ast.KeyValueExpr) {
	if key, ok := kv.Key.(*ast.Ident); ok && isLockField(key.Name) && isLockName(s.text(kv.Value)) {
		s.report(kv, kv.Pos(), "go/leader-lock", Use{Verbs: lockVerbs})
	}
}

func (s *syntax) command(call *ast.CallExpr, at token.Pos) {
	var words []string
	for _, a := range call.Args {
		if text := s.text(a); text != "" {
			words = append(words, strings.Fields(text)...)
		} else {
			words = append(words, hole)
		}
	}
	if verb, ok := kubectlVerb(words); ok {
		s.report(call, at, "go/kubectl", Use{Verbs: []string{verb}, Access: access(verb)})
	}
}

// rawURL puts literals, + and fmt.Sprintf together.
func (s *syntax) rawURL(e ast.Expr) {
	switch e := e.(type) {
	case *ast.BasicLit:
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return
		}
	default:
		return
	}
	switch parent := s.parents[e].(type) {
	case *ast.BinaryExpr, *ast.Field, *ast.ImportSpec, *ast.CaseClause:
		return
	case *ast.CallExpr:
		if sel, ok := parent.Fun.(*ast.SelectorExpr); ok && (strings.HasPrefix(sel.Sel.Name, "Handle") || s.imported(sel.X) == "strings") {
			return
		}
		if slices.ContainsFunc(parent.Args, func(a ast.Expr) bool { _, ok := a.(*ast.FuncLit); return ok }) {
			return // a route
		}
	}
	text := verbPattern.ReplaceAllString(s.concatenated(e, 0), hole)
	which, _, verb := pathAPI(text)
	if which != endpointsAPI || !strings.Contains(text, "namespaces/") && !mentionsKubernetes(s.file) {
		return
	}
	site := s.report(e, e.Pos(), "go/raw-url", Use{Verbs: []string{verb}, Access: []string{"raw-http"}})
	site.Namespaces = pathNamespaces(text)
}

func (s *syntax) concatenated(e ast.Expr, depth int) string {
	if binary, ok := ast.Unparen(e).(*ast.BinaryExpr); ok && binary.Op == token.ADD && depth < maxTemplateDepth {
		return s.concatenated(binary.X, depth+1) + s.concatenated(binary.Y, depth+1)
	}
	if s.isText(e) {
		return s.text(e)
	}
	return hole
}

// text is a string literal, or the constant or variable of this file that holds
// one.
func (s *syntax) text(e ast.Expr) string {
	for range 4 {
		if e == nil {
			return ""
		}
		switch v := ast.Unparen(e).(type) {
		case *ast.BasicLit:
			text, err := strconv.Unquote(v.Value)
			if err != nil {
				return ""
			}
			return text
		case *ast.Ident:
			e, _ = declaration(v)
		default:
			return ""
		}
	}
	return ""
}

func (s *syntax) isText(e ast.Expr) bool {
	lit, ok := ast.Unparen(e).(*ast.BasicLit)
	return ok && lit.Kind == token.STRING || s.text(e) != ""
}

func (s *syntax) list(e ast.Expr) []string {
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		if text := s.text(e); text != "" {
			return []string{text}
		}
		return nil
	}
	var out []string
	for _, elt := range lit.Elts {
		out = append(out, s.text(elt))
	}
	return out
}

// imported is the path that an identifier names a package by, or "".
func (s *syntax) imported(x ast.Expr) string {
	id, ok := x.(*ast.Ident)
	if !ok || id.Obj != nil {
		return ""
	}
	return s.imports[id.Name]
}

func (s *syntax) ofOtherGroup(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.SelectorExpr:
		return !isCorePackage(s.imported(x.X))
	case *ast.Ident:
		if value, _ := declaration(x); value != nil {
			lit, ok := ast.Unparen(value).(*ast.CompositeLit)
			if !ok {
				return s.ofOtherGroup(value)
			}
			fields, _ := s.schemaFields(lit)
			return fields["Group"] != nil && !(s.isText(fields["Group"]) && groupNamed(s.text(fields["Group"])) == coreGroup)
		}
	}
	return false
}

func (s *syntax) compared(n ast.Node) bool {
	switch s.parents[n].(type) {
	case *ast.BinaryExpr, *ast.CaseClause, *ast.IndexExpr:
		return true
	}
	return false
}

func isTypeNamed(t ast.Expr, wanted ...string) bool {
	sel, ok := t.(*ast.SelectorExpr)
	return ok && slices.Contains(wanted, sel.Sel.Name)
}

func (s *syntax) result() []Site {
	scope := ScopeOf(s.fset.Position(s.file.FileStart).Filename, s.file)
	suppressed := suppressions(s.fset, s.file)
	var out []Site
	for _, site := range s.order {
		if s.consumed[site.node] || site.literal != nil && s.consumed[site.literal] {
			continue
		}
		site.Scope = scope
		site.Class = classOf(site)
		site.Advice = advice(site)
		site.Notes = union(site.Notes, []string{"Read without types: the package does not type-check here."})
		if s.readsSlices {
			site.Status = evidence.Dual
		}
		if reason, ok := suppressed.at(s.fset, site.Pos); ok {
			site.Status = evidence.Acknowledged
			if reason != "" {
				site.Notes = append(site.Notes, "Acknowledged in place: "+reason)
			}
		}
		out = append(out, *site)
	}
	slices.SortFunc(out, func(a, b Site) int { return int(a.Pos) - int(b.Pos) })
	return out
}
