package analyzer

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// leaderAnnotation is where the old leader lock kept its record.
const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader"

// absorbInformers drops the constructor of an informer whose list and watch
// functions are sites already: one consumption, reported where it is made.
func (in *inspection) absorbInformers() {
	for _, site := range slices.Clone(in.order) {
		call, ok := site.node.(*ast.CallExpr)
		if !ok || in.byNode[call] != site || site.Detector != "go/informer" {
			continue
		}
		var inner []*Site
		for _, a := range call.Args {
			for _, leaf := range in.flow.leaves(a) {
				inner = append(inner, in.within(leaf)...)
			}
		}
		inner = slices.DeleteFunc(inner, func(s *Site) bool { return s == site })
		if len(inner) == 0 {
			continue
		}
		for _, s := range inner {
			s.Access = union(s.Access, []string{"informer"})
		}
		in.remove(call)
	}
	// A dynamic client in a variable, of which the verb is a site of its own.
	for _, site := range slices.Clone(in.order) {
		if site.Detector == "go/dynamic-client" && in.consumed[site.node] && len(site.Verbs) == 0 {
			in.remove(site.node)
		}
	}
}

// classify says what every site is.
func (in *inspection) classify() {
	stateful, leader := in.keepsState()
	for _, site := range in.order {
		if site.Class != "" {
			continue
		}
		site.Class = classOf(site)
		if len(site.Namespaces) == 1 && site.Namespaces[0] == "default" && site.name == "kubernetes" {
			site.Class = evidence.APIServerDiscovery
			continue
		}
		if !stateful || !carriesOver(site.Detector) || site.Class == evidence.Lock {
			continue
		}
		site.Class = evidence.StateStore
		if leader {
			site.Class = evidence.Lock
		}
	}
}

func classOf(site *Site) evidence.Class {
	switch {
	case site.Class != "":
		return site.Class
	case site.Detector == "go/leader-lock":
		return evidence.Lock
	case site.Detector == "go/walker":
		return evidence.Walker
	case slices.ContainsFunc(site.Verbs, func(verb string) bool { return writes[verb] }):
		return evidence.Producer
	}
	return evidence.Reader
}

// keepsState reports whether the package writes annotations of Endpoints and
// never their subsets: it keeps something there that is no address. leader says
// that it is the record of a leader election.
func (in *inspection) keepsState() (stateful, leader bool) {
	writer, subsets := false, false
	for _, site := range in.order {
		writer = writer || site.api == endpointsAPI && carriesOver(site.Detector) && classOf(site) == evidence.Producer
	}
	if !writer {
		return false, false
	}
	in.eachNode(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if objectAPI(in.info.TypeOf(n.X)) == endpointsAPI {
				stateful = stateful || strings.Contains(n.Sel.Name, "Annotations")
				subsets = subsets || n.Sel.Name == "Subsets"
			}
		case *ast.CompositeLit:
			if objectAPI(in.info.TypeOf(n)) == endpointsAPI {
				fields := literalFields(in.info.TypeOf(n), n)
				subsets = subsets || fields["Subsets"] != nil
				stateful = stateful || in.setsAnnotations(fields["ObjectMeta"])
			}
		case *ast.BasicLit:
			if s, ok := in.flow.text(n); ok {
				stateful = stateful || isAnnotationPatch(s)
				leader = leader || s == leaderAnnotation
			}
		}
	})
	return stateful && !subsets, leader
}

func (in *inspection) setsAnnotations(meta ast.Expr) bool {
	lit, ok := meta.(*ast.CompositeLit)
	return ok && literalFields(in.info.TypeOf(lit), lit)["Annotations"] != nil
}

func isAnnotationPatch(s string) bool {
	return strings.Contains(s, `"annotations"`) && strings.Contains(s, `"metadata"`) && !strings.Contains(s, "subsets")
}

// namespaces are the constant namespaces of an argument; "" is all of them.
func (in *inspection) namespaces(e ast.Expr) []string {
	if e == nil {
		return nil
	}
	var out []string
	for _, s := range in.flow.texts(e) {
		if s == "" {
			s = "*"
		}
		out = union(out, []string{s})
	}
	return out
}

// firstText is the constant that an expression holds, or "".
func (in *inspection) firstText(e ast.Expr) string {
	if e == nil {
		return ""
	}
	if texts := in.flow.texts(e); len(texts) > 0 {
		return texts[0]
	}
	return ""
}

// objectKey reads namespace and name from the key of controller-runtime's Get.
func (in *inspection) objectKey(site *Site, call *ast.CallExpr) {
	for _, leaf := range in.flow.leaves(arg(call, 1)) {
		lit, ok := leaf.(*ast.CompositeLit)
		if !ok || !isNamed(in.info.TypeOf(lit), "k8s.io/apimachinery/pkg/types", "NamespacedName") {
			continue
		}
		fields := literalFields(in.info.TypeOf(lit), lit)
		site.name = in.firstText(fields["Name"])
		site.Namespaces = union(site.Namespaces, in.namespaces(fields["Namespace"]))
	}
}

// complete adds what depends on the file around a site: scope, status, advice.
func (in *inspection) complete() {
	for _, file := range in.pass.Files {
		var own []*Site
		readsSlices := false
		for _, site := range in.order {
			if file.FileStart <= site.node.Pos() && site.node.Pos() < file.FileEnd {
				own = append(own, site)
				readsSlices = readsSlices || site.api == sliceAPI
			}
		}
		if len(own) == 0 {
			continue
		}
		scope := ScopeOf(in.pass.Fset.Position(file.FileStart).Filename, file)
		suppressed := suppressions(in.pass.Fset, file)
		for _, site := range own {
			site.Scope = scope
			site.Advice = advice(site)
			if readsSlices {
				site.Status = evidence.Dual
				if in.fallsBack(site, own) {
					site.Notes = union(site.Notes, []string{fallbackNote})
				}
			}
			if reason, ok := suppressed.at(in.pass.Fset, site.Pos); ok {
				site.Status = evidence.Acknowledged
				if reason != "" {
					site.Notes = union(site.Notes, []string{"Acknowledged in place: " + reason})
				}
			}
		}
	}
}

const fallbackNote = "Falls back to Endpoints on any error: a 403 on endpointslices would stay unseen and Endpoints be read for good."

// fallsBack reports whether a site runs when a read of slices failed, whatever
// the error was: inside `if err != nil` after a slice site of one function.
func (in *inspection) fallsBack(site *Site, own []*Site) bool {
	before := slices.ContainsFunc(own, func(s *Site) bool {
		return s.api == sliceAPI && s.fn == site.fn && s.fn != nil && s.node.Pos() < site.node.Pos()
	})
	if !before || site.api != endpointsAPI {
		return false
	}
	for n := in.parents[site.node]; n != nil; n = in.parents[n] {
		branch, ok := n.(*ast.IfStmt)
		if !ok || site.node.Pos() < branch.Body.Pos() || branch.Body.End() < site.node.End() {
			continue
		}
		if in.isAnyError(branch.Cond) && !in.discriminates(branch) {
			return true
		}
	}
	return false
}

// isAnyError: err != nil, and nothing about which error.
func (in *inspection) isAnyError(cond ast.Expr) bool {
	binary, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok || binary.Op.String() != "!=" {
		return false
	}
	t := in.info.TypeOf(binary.X)
	return t != nil && types.Identical(t, types.Universe.Lookup("error").Type())
}

// discriminates reports whether a branch looks at the error before it goes on:
// apierrors.IsNotFound, errors.Is, meta.IsNoMatchError.
func (in *inspection) discriminates(branch *ast.IfStmt) bool {
	found := false
	ast.Inspect(branch.Body, func(n ast.Node) bool {
		inner, ok := n.(*ast.IfStmt)
		if !ok {
			return true
		}
		ast.Inspect(inner.Cond, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if fn := in.callee(call); fn != nil && (strings.HasPrefix(fn.Name(), "Is") || fn.Name() == "As") {
					found = true
				}
			}
			return true
		})
		return true
	})
	return found
}
