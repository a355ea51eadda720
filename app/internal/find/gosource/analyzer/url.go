package analyzer

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// hole is the mark in a template for a part that is not constant.
const hole = "\x00"

var (
	// endpointsPath is a path of the API server that lists, gets or watches
	// Endpoints.
	endpointsPath = regexp.MustCompile(`(?:^|/)api/v1/(watch/)?(namespaces/[^/?#\s]+/)?endpoints(/[^?#\s]+)?(?:$|[/?#\x00])`)
	// namespacedPath is its end where the start is not constant.
	namespacedPath = regexp.MustCompile(`(?:^|\x00)/?(watch/)?namespaces/[^/?#\s]+/endpoints(/[^?#\s]+)?(?:$|[/?#\x00])`)
	slicesPath     = regexp.MustCompile(`(?:^|/)apis/discovery\.k8s\.io/v1(?:beta1)?/.*endpointslices(?:$|[/?#\x00])`)
)

// template is a string expression with its constant parts in place.
type template struct {
	text   string
	params []param // those that stand for holes, in order; see holes
	holes  []int   // offset of each param's hole
	parts  []ast.Expr
}

// rawURL finds paths of the API server that are put together by hand: no
// Kubernetes library is needed for that, so neither is an import of one.
func (in *inspection) rawURL(n ast.Node) {
	e, ok := n.(ast.Expr)
	if !ok || !in.buildsString(e) || in.partOfString(e) || in.consumed[e] {
		return
	}
	t := in.template(e)
	if which, possible, verb := pathAPI(t.text); which != noAPI && !in.isServed(e, t.text) {
		use := Use{Verbs: []string{verb}, Access: []string{"raw-http"}}
		site := in.report(e, e, which, "go/raw-url", use)
		site.Namespaces = pathNamespaces(t.text)
		site.name = pathName(t.text)
		if possible || !strings.Contains(t.text, "namespaces/") && !in.kubernetesFile(e.Pos()) {
			site.Confidence = evidence.Possible
		}
		for _, part := range t.parts {
			in.consumed[part] = true
			in.remove(part)
		}
	}
}

// urlParameters records functions that put a parameter where the resource's
// name goes in such a path.
func (in *inspection) urlParameters(n ast.Node) {
	e, ok := n.(ast.Expr)
	if !ok || !in.buildsString(e) || in.partOfString(e) {
		return
	}
	t := in.template(e)
	for i, p := range t.params {
		filled := t.text[:t.holes[i]] + "endpoints" + t.text[t.holes[i]+len(hole):]
		if which, possible, verb := pathAPI(filled); which == endpointsAPI && !possible {
			if plain, _, _ := pathAPI(t.text); plain == noAPI {
				in.take(p, Use{Kind: ResourceName, Detector: "go/raw-url", Verbs: []string{verb}, Access: []string{"raw-http"}})
			}
		}
	}
}

// action is one of text/template, with or without spaces.
var action = regexp.MustCompile(`\{\{[^{}]*\}\}`)

func pathAPI(text string) (which api, possible bool, verb string) {
	text = action.ReplaceAllString(text, hole)
	if strings.ContainsAny(text, " \t\n") {
		return noAPI, false, "" // prose, or a router's pattern with a method
	}
	if slicesPath.MatchString(text) {
		return sliceAPI, false, "list"
	}
	m := endpointsPath.FindStringSubmatch(text)
	if m == nil {
		if m = namespacedPath.FindStringSubmatch(text); m == nil {
			return noAPI, false, ""
		}
		possible = true
		m = []string{"", m[1], "namespaces", m[2]}
	}
	verb = "list"
	switch {
	case m[1] != "" || strings.Contains(text, "watch=true") || strings.Contains(text, "watch=1"):
		verb = "watch"
	case m[3] != "" && m[2] != "":
		verb = "get"
	}
	return endpointsAPI, possible, verb
}

func pathNamespaces(text string) []string {
	_, rest, ok := strings.Cut(text, "namespaces/")
	if !ok {
		return []string{"*"}
	}
	namespace, _, _ := strings.Cut(rest, "/")
	if strings.ContainsAny(namespace, hole+"%{") {
		return nil
	}
	return []string{namespace}
}

func pathName(text string) string {
	_, rest, _ := strings.Cut(text, "endpoints/")
	name, _, _ := strings.Cut(rest, "?")
	return name
}

// buildsString reports whether e makes a string: a literal, a constant, a
// concatenation, fmt.Sprintf, strings.Join, path.Join and the like.
func (in *inspection) buildsString(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING
	case *ast.BinaryExpr:
		return e.Op == token.ADD
	case *ast.CallExpr:
		return in.joiner(e) != noJoin
	case *ast.Ident, *ast.SelectorExpr:
		_, isConst := in.flow.text(e)
		if id, ok := e.(*ast.Ident); ok && in.info.Defs[id] != nil {
			return false // the declaration's own name
		}
		return isConst
	}
	return false
}

// partOfString reports whether e is built into a longer string, or is the
// declaration of a constant that is used: the use is the site.
func (in *inspection) partOfString(e ast.Expr) bool {
	switch parent := in.parents[e].(type) {
	case *ast.BinaryExpr:
		return parent.Op == token.ADD
	case *ast.ParenExpr:
		return in.partOfString(parent)
	case *ast.SelectorExpr:
		return parent.Sel == e // the name of a package's constant
	case *ast.CallExpr:
		return in.joiner(parent) != noJoin
	case *ast.CompositeLit:
		call, ok := in.parents[parent].(*ast.CallExpr)
		return ok && in.joiner(call) != noJoin
	case *ast.Field, *ast.ImportSpec:
		return true // a tag or a path
	case *ast.ValueSpec:
		decl, ok := in.parents[parent].(*ast.GenDecl)
		if !ok || decl.Tok != token.CONST {
			return false
		}
		for _, name := range parent.Names {
			if in.isUsed(in.info.Defs[name]) {
				return true
			}
		}
	}
	return false
}

func (in *inspection) isUsed(obj types.Object) bool {
	if in.uses == nil {
		in.uses = map[types.Object]bool{}
		for _, obj := range in.info.Uses {
			in.uses[obj] = true
		}
	}
	return in.uses[obj]
}

// join says how a function puts strings together.
type join int

const (
	noJoin   join = iota
	format        // like fmt.Sprintf
	segments      // with slashes between
	list          // strings.Join
	wrapped       // the first argument, changed in a way that does not matter here
)

func (in *inspection) joiner(call *ast.CallExpr) join {
	if tv, ok := in.info.Types[call.Fun]; ok && tv.IsType() {
		if basic, ok := tv.Type.Underlying().(*types.Basic); ok && basic.Info()&types.IsString != 0 {
			return wrapped
		}
	}
	fn := in.callee(call)
	if fn == nil {
		return noJoin
	}
	path, name := pkgPath(fn.Pkg()), fn.Name()
	switch {
	case path == "fmt" && (name == "Sprintf" || name == "Sprint"):
		return format
	case path == "path" && name == "Join", path == "net/url" && name == "JoinPath":
		return segments
	case name == "AbsPath" && len(call.Args) > 1:
		return segments
	case path == "strings" && name == "Join":
		return list
	case path == "net/url" && strings.HasSuffix(name, "Escape"), path == "strings" && strings.HasPrefix(name, "Trim"):
		return wrapped
	}
	return noJoin
}

// The bounds of one template. Hand-written URLs need a depth of two or three
// and a dozen steps; strings that are built in a web of variables are not URLs.
const (
	maxTemplateDepth = 12
	maxTemplateSteps = 200
)

// template puts a string expression together as far as it is constant.
func (in *inspection) template(e ast.Expr) template {
	in.templateSteps = maxTemplateSteps
	return in.part(e, 0)
}

func (in *inspection) part(e ast.Expr, depth int) template {
	if text, ok := in.flow.text(e); ok {
		return template{text: text}
	}
	in.templateSteps--
	if depth > maxTemplateDepth || in.templateSteps < 0 {
		return template{text: hole}
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return join2(in.part(e.X, depth+1), in.part(e.Y, depth+1), "")
		}
	case *ast.CallExpr:
		switch in.joiner(e) {
		case format:
			return in.formatted(e, depth)
		case wrapped:
			return in.part(e.Args[0], depth+1)
		case segments:
			return in.joined(e.Args, "/", depth)
		case list:
			return in.joinedList(e, depth)
		}
	case *ast.Ident, *ast.SelectorExpr:
		return in.variable(e, depth)
	}
	return template{text: hole}
}

// variable is what a variable holds if that is one value; a parameter is a hole
// that callers fill.
func (in *inspection) variable(e ast.Expr, depth int) template {
	leaves := in.flow.leaves(e)
	for _, leaf := range leaves {
		if p, ok := in.flow.param(leaf); ok {
			return template{text: hole, params: []param{p}, holes: []int{0}}
		}
	}
	for _, leaf := range leaves {
		if leaf == e {
			continue
		}
		t := in.part(leaf, depth+1)
		if len(leaves) == 1 || strings.Contains(t.text, "endpoints") {
			t.parts = append(t.parts, leaf)
			return t
		}
	}
	return template{text: hole}
}

func (in *inspection) joined(args []ast.Expr, separator string, depth int) template {
	var t template
	for i, a := range args {
		next := in.part(a, depth+1)
		if i == 0 {
			t = next
			continue
		}
		if separator == "/" {
			t.text = strings.TrimSuffix(t.text, "/")
			if strings.HasPrefix(next.text, "/") {
				t = join2(t, next, "")
				continue
			}
		}
		t = join2(t, next, separator)
	}
	return t
}

func (in *inspection) joinedList(call *ast.CallExpr, depth int) template {
	separator, _ := in.flow.text(arg(call, 1))
	for _, leaf := range in.flow.leaves(arg(call, 0)) {
		if lit, ok := leaf.(*ast.CompositeLit); ok {
			return in.joined(lit.Elts, separator, depth)
		}
	}
	return template{text: hole}
}

// verbPattern is one verb of fmt, with flags, width and index.
var verbPattern = regexp.MustCompile(`%[-+# 0]*(?:\d+|\*)?(?:\.\d+)?(?:\[\d+\])?[a-zA-Z]`)

func (in *inspection) formatted(call *ast.CallExpr, depth int) template {
	if len(call.Args) == 0 {
		return template{text: hole}
	}
	pattern := in.part(call.Args[0], depth+1)
	var t template
	rest, next := pattern.text, 1
	for {
		at := verbPattern.FindStringIndex(rest)
		if at == nil {
			return join2(t, template{text: rest}, "")
		}
		t = join2(t, template{text: rest[:at[0]]}, "")
		value := template{text: hole}
		if a := arg(call, next); a != nil {
			value = in.part(a, depth+1)
		}
		t = join2(t, value, "")
		rest, next = rest[at[1]:], next+1
	}
}

// maxTemplate bounds a template's length: paths are short, sources are not.
const maxTemplate = 4096

func join2(a, b template, separator string) template {
	offset := len(a.text) + len(separator)
	if offset+len(b.text) > maxTemplate {
		return a
	}
	out := template{text: a.text + separator + b.text}
	out.params = append(append(out.params, a.params...), b.params...)
	out.holes = append(out.holes, a.holes...)
	for _, at := range b.holes {
		out.holes = append(out.holes, at+offset)
	}
	out.parts = append(append(out.parts, a.parts...), b.parts...)
	return out
}

// isServed reports whether the program itself serves a path, compares with it
// or only mentions it: a route, a prefix check, a proxy's filter.
func (in *inspection) isServed(e ast.Expr, text string) bool {
	if in.isCompared(e) {
		return true
	}
	call, ok := in.parents[e].(*ast.CallExpr)
	if !ok {
		return false
	}
	fn := in.callee(call)
	if fn == nil {
		return false
	}
	switch path := pkgPath(fn.Pkg()); {
	case path == "regexp" || path == "log" || path == "errors", strings.HasPrefix(fn.Name(), "Handle"):
		return true
	case path == "strings":
		// Replace fills a pattern in; the others look at somebody's path.
		return !strings.HasPrefix(fn.Name(), "Replace") && fn.Name() != "NewReplacer"
	}
	if strings.Contains(text, "namespaces/") || strings.Contains(text, "watch") {
		return false
	}
	for _, other := range call.Args {
		if other != e && isHandler(in.info.TypeOf(other)) {
			return true
		}
	}
	return false
}

func isHandler(t types.Type) bool {
	if t == nil {
		return false
	}
	if _, ok := t.Underlying().(*types.Signature); ok {
		return true
	}
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "ServeHTTP")
	return obj != nil
}

// kubernetesFile reports whether the file around pos has anything to do with
// Kubernetes: /api/v1/endpoints is a popular path elsewhere, too.
func (in *inspection) kubernetesFile(pos token.Pos) bool {
	for _, file := range in.pass.Files {
		if file.FileStart <= pos && pos <= file.FileEnd {
			return mentionsKubernetes(file)
		}
	}
	return false
}

func mentionsKubernetes(file *ast.File) bool {
	found := strings.Contains(strings.ToLower(filepath.ToSlash(file.Name.Name)), "kube")
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			s := strings.ToLower(lit.Value)
			found = found || strings.Contains(s, "kubernetes") || strings.Contains(s, "k8s.io/")
		}
		return !found
	})
	return found
}
