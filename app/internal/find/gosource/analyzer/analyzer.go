package analyzer

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// Name is the analyzer's name, and what //nolint and golangci-lint call it.
const Name = "endpointsvet"

const documentation = `report code that reads or writes core/v1 Endpoints

Endpoints is deprecated since Kubernetes 1.33 in favour of EndpointSlice. Every
diagnostic names the call, what it is (reader, producer, leader lock, state
store, API-server discovery) and the EndpointSlice way to do the same.
//nolint:endpointsvet and //nolint:staticcheck acknowledge a site.`

// Analyzer is endpointsvet. Its result is a [*Result]; its facts carry what a
// function does with Endpoints to the packages that call it.
var Analyzer = &analysis.Analyzer{
	Name:             Name,
	Doc:              documentation,
	URL:              "https://pkg.go.dev/github.com/slicewright/slicewright/app/find/analyzer",
	Run:              run,
	RunDespiteErrors: true,
	ResultType:       reflect.TypeFor[*Result](),
	FactTypes:        []analysis.Fact{new(Reads), new(Takes), new(Holds)},
}

// Result is what one package has.
type Result struct {
	// Sites are sorted by position, those of every scope and status.
	Sites []Site
	// Used are variables of other packages that name Endpoints and are used
	// here; see [Site.Declares].
	Used []types.Object
}

var scopes string

func init() {
	Analyzer.Flags.StringVar(&scopes, "scope", "", "also report the scopes test, generated (comma-separated)")
}

func run(pass *analysis.Pass) (any, error) {
	if HasOwnRules(pkgPath(pass.Pkg)) || !mayUse(pass) {
		return &Result{}, nil
	}
	in := newInspection(pass)
	in.find()
	result := in.result()
	for _, site := range result.Sites {
		if site.Status == evidence.Acknowledged || !wanted(site.Scope) {
			continue
		}
		pass.Report(analysis.Diagnostic{
			Pos: site.Pos, End: site.End,
			Category: site.Detector,
			Message:  site.message(),
		})
	}
	return result, nil
}

// mayUse reports whether a package can have a site at all. Most packages of a
// build, and nearly all of the standard library, are done with here.
func mayUse(pass *analysis.Pass) bool {
	if len(pass.AllObjectFacts()) > 0 {
		return true
	}
	found := false
	for _, file := range pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				found = found || strings.Contains(n.Name, "ndpoints") || isDiscoveryOfAll(n.Name)
			case *ast.BasicLit:
				found = found || strings.Contains(n.Value, "ndpoints") || strings.Contains(n.Value, "kubectl")
			}
			return !found
		})
		eachMarker(file, func(_ *ast.Comment, resources, _, _ []string) {
			found = found || slices.Contains(resources, "endpoints")
		})
	}
	return found
}

func wanted(scope evidence.Scope) bool {
	return scope == evidence.ScopeOwn || slices.Contains(strings.Split(scopes, ","), string(scope))
}

// message is one line for people and for // want comments.
func (s *Site) message() string {
	what := strings.TrimSuffix(s.Detector+" "+strings.Join(s.Verbs, ","), " ")
	return fmt.Sprintf("Endpoints: %s (%s, %s): %s", what, s.Class, s.Confidence, s.Advice)
}

// inspection is one package while it is read.
type inspection struct {
	pass    *analysis.Pass
	info    *types.Info
	flow    *flow
	parents map[ast.Node]ast.Node
	sites

	decl     *types.Func               // the declared function being walked
	calls    []calledFrom              // every call, with its function
	takes    map[*types.Func]*Takes    // of this package, while they are found
	received map[param]bool            // parameters on which a client's verb is called
	consumed map[ast.Node]bool         // literals and getters whose use is a site
	used     map[types.Object]struct{} // see Result.Used
	uses     map[types.Object]bool     // objects that an identifier refers to; nil until asked for

	templateSteps int // what the template being put together may still cost
}

type calledFrom struct {
	call   *ast.CallExpr
	callee *types.Func // nil for closures, conversions and builtins
	decl   *types.Func
}

func newInspection(pass *analysis.Pass) *inspection {
	in := &inspection{
		pass:     pass,
		info:     pass.TypesInfo,
		flow:     newFlow(pass.TypesInfo, pass.Files),
		parents:  map[ast.Node]ast.Node{},
		takes:    map[*types.Func]*Takes{},
		received: map[param]bool{},
		consumed: map[ast.Node]bool{},
		used:     map[types.Object]struct{}{},
	}
	for _, file := range pass.Files {
		in.index(file)
	}
	return in
}

// index records parents and calls of one file.
func (in *inspection) index(file *ast.File) {
	var stack []ast.Node
	var decl *types.Func
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if len(stack) > 0 {
			in.parents[n] = stack[len(stack)-1]
		}
		if len(stack) == 1 { // a declaration of the file
			decl = nil
			if fn, ok := n.(*ast.FuncDecl); ok {
				decl, _ = in.info.Defs[fn.Name].(*types.Func)
			}
		}
		if call, ok := n.(*ast.CallExpr); ok {
			callee, _ := typeutil.Callee(in.info, call).(*types.Func)
			if callee != nil {
				callee = callee.Origin()
			}
			in.calls = append(in.calls, calledFrom{call, callee, decl})
		}
		stack = append(stack, n)
		return true
	})
}

// find runs the detectors, from the specific to the general.
func (in *inspection) find() {
	// What a function takes is known only when the functions that it calls are
	// known: a chain of wrappers needs one round each. The bound is for loops.
	in.eachNode(func(n ast.Node) {
		in.urlParameters(n)
		in.rbacLiteral(n)
	})
	for range 8 {
		before := in.takenCount()
		for _, c := range in.calls {
			in.decl = c.decl
			in.sinks(c)
		}
		if in.takenCount() == before {
			break
		}
	}
	for _, c := range in.calls {
		in.decl = c.decl
		in.typedVerb(c)
		in.dynamicVerb(c)
		in.library(c)
		in.command(c)
		in.walker(c)
	}
	in.decl = nil
	in.unusedGetters()
	in.eachNode(func(n ast.Node) {
		in.instantiation(n)
		in.rawURL(n)
		in.lockLiteral(n)
		in.heldValue(n)
	})
	in.markers()
	in.absorbReceivers()
	in.absorbInformers()
	in.classify()
	in.complete() // what is acknowledged makes no caller a consumer
	in.wrappers()
	in.exportTakes()
}

// eachNode visits every node with in.decl set to the function around it.
func (in *inspection) eachNode(visit func(ast.Node)) {
	for _, file := range in.pass.Files {
		for _, decl := range file.Decls {
			in.decl = nil
			if fn, ok := decl.(*ast.FuncDecl); ok {
				in.decl, _ = in.info.Defs[fn.Name].(*types.Func)
			}
			ast.Inspect(decl, func(n ast.Node) bool {
				if n != nil {
					visit(n)
				}
				return true
			})
		}
	}
	in.decl = nil
}

// report adds a site of node, named at name.
func (in *inspection) report(node ast.Node, name ast.Node, which api, detector string, use Use) *Site {
	site := &Site{
		Pos:        position(in.pass.Fset, node.Pos(), name.Pos()),
		End:        node.End(),
		Detector:   detector,
		Confidence: evidence.Likely,
		Verbs:      use.Verbs,
		Access:     use.Access,
		api:        which,
		node:       node,
		fn:         in.decl,
	}
	return in.add(site)
}

// result sorts and completes what was found; sites of slices only made files dual.
func (in *inspection) result() *Result {
	result := &Result{}
	in.complete()
	for _, site := range in.order {
		if site.api == endpointsAPI {
			result.Sites = append(result.Sites, *site)
		}
	}
	slices.SortFunc(result.Sites, func(a, b Site) int {
		return cmp.Or(cmp.Compare(a.Pos, b.Pos), strings.Compare(a.Detector, b.Detector))
	})
	for obj := range in.used {
		result.Used = append(result.Used, obj)
	}
	return result
}
