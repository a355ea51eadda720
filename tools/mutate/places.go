package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// place is one swap that can be made.
type place struct {
	in       *pkg
	number   int // its own within the package
	file     string
	at       token.Position
	is       string // the operator
	becomes  string // what it is swapped for
	line     string // the line, to show
	rewrite  []edit // the code that swaps it when it is told to
	unusable bool   // its rewritten code does not compile
}

func (p *place) String() string {
	return fmt.Sprintf("%s:%d:%d: %s instead of %s", short(p.file), p.at.Line, p.at.Column, p.becomes, p.is)
}

// find puts all places of a package into it. Generated files have none.
func (p *pkg) find() error {
	set := token.NewFileSet()
	var trees []*ast.File
	var contents [][]byte
	for _, name := range p.GoFiles {
		file := filepath.Join(p.Dir, name)
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(set, file, content, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		trees, contents = append(trees, tree), append(contents, content)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	exported := func(path string) (io.ReadCloser, error) { return os.Open(p.exports[path]) }
	config := types.Config{Importer: importer.ForCompiler(set, "gc", exported)}
	if _, err := config.Check(p.ImportPath, set, trees, info); err != nil {
		return err
	}
	for i, tree := range trees {
		if ast.IsGenerated(tree) {
			continue
		}
		same, err := sameLines(set, tree)
		if err != nil {
			return err
		}
		f := &finder{pkg: p, set: set, info: info, content: contents[i], same: same}
		ast.Inspect(tree, f.visit)
	}
	return nil
}

const sameMark = "//mutate:same"

// sameLines are the lines whose swaps mean the same.
func sameLines(set *token.FileSet, tree *ast.File) (map[int]bool, error) {
	same := map[int]bool{}
	for _, group := range tree.Comments {
		for _, c := range group.List {
			reason, ok := strings.CutPrefix(c.Text, sameMark)
			if !ok {
				continue
			}
			at := set.Position(c.Pos())
			if strings.TrimSpace(reason) == "" {
				return nil, fmt.Errorf("%s:%d: %s needs a reason", short(at.Filename), at.Line, sameMark)
			}
			same[at.Line] = true
		}
	}
	return same, nil
}

// finder finds the places of one file.
type finder struct {
	pkg     *pkg
	set     *token.FileSet
	info    *types.Info
	content []byte
	same    map[int]bool
	stack   []ast.Node
}

func (f *finder) visit(n ast.Node) bool {
	if n == nil {
		f.stack = f.stack[:len(f.stack)-1]
		return true
	}
	if f.isLeftOut(n) {
		return false
	}
	f.stack = append(f.stack, n)
	switch n := n.(type) {
	case *ast.BinaryExpr:
		f.binary(n)
	case *ast.IncDecStmt:
		f.step(n)
	case *ast.AssignStmt:
		f.assign(n)
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			f.add(n.OpPos, "!", "nothing", "((", n.X, ") == on)", edit{at: f.offset(n.OpPos), remove: 1})
		}
	case *ast.IfStmt:
		if isNegatable(n.Cond) {
			f.add(n.Cond.Pos(), "nothing", "!", "((", n.Cond, ") != on)")
		}
	case *ast.Ident:
		switch f.info.Uses[n] {
		case types.Universe.Lookup("true"):
			f.add(n.Pos(), "true", "false", "(!on || ", n, ")", edit{at: f.offset(n.Pos()), remove: len("true"), text: "false"})
		case types.Universe.Lookup("false"):
			f.add(n.Pos(), "false", "true", "(on || ", n, ")")
		}
	case *ast.BranchStmt:
		f.branch(n)
	}
	return true
}

// isLeftOut reports whether no swap below a node can or need be noticed.
func (f *finder) isLeftOut(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.CONST
	case *ast.ReturnStmt:
		return returnsError(n)
	case *ast.CallExpr:
		return isLogging(n) || hasCapacity(n)
	}
	return false
}

func (f *finder) offset(pos token.Pos) int { return f.set.Position(pos).Offset }

func (f *finder) text(x ast.Node) string {
	return string(f.content[f.offset(x.Pos()):f.offset(x.End())])
}

// add adds a place whose code is wrapped in before and after. In both, the word
// on becomes the question whether the swap is made.
func (f *finder) add(pos token.Pos, is, becomes, before string, x ast.Node, after string, edits ...edit) {
	at := f.set.Position(pos)
	if f.same[at.Line] {
		return
	}
	line, _, _ := strings.Cut(string(f.content[at.Offset-at.Column+1:]), "\n")
	p := &place{in: f.pkg, number: len(f.pkg.places), file: at.Filename, at: at, is: is, becomes: becomes, line: strings.TrimSpace(line)}
	edits = append(edits, wrap(f.offset(x.Pos()), f.offset(x.End()), before, after)...)
	for _, e := range edits {
		e.text = withSwitch(e.text, p.number)
		p.rewrite = append(p.rewrite, e)
	}
	f.pkg.places = append(f.pkg.places, p)
}

var binarySwaps = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LSS: token.GEQ, token.LEQ: token.GTR, token.GTR: token.LEQ, token.GEQ: token.LSS,
	token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD,
}

// borderSwaps differ where both sides are equal, and nowhere else.
var borderSwaps = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
}

func (f *finder) binary(n *ast.BinaryExpr) {
	becomes, ok := binarySwaps[n.Op]
	if !ok || f.info.Types[n].Value != nil {
		return
	}
	before, after := "((", ") != on)"
	var edits []edit
	border := borderSwaps[n.Op]
	switch {
	case n.Op == token.LAND || n.Op == token.LOR:
		// not (not a and not b) is a or b, and asks b when or would ask it.
		for _, x := range []ast.Expr{n.X, n.Y} {
			edits = append(edits, wrap(f.offset(x.Pos()), f.offset(x.End()), before, after)...)
		}
	case n.Op == token.ADD || n.Op == token.SUB || border != 0 && f.pkg.borders:
		if border != 0 {
			becomes = border
		} else if basic, ok := f.info.Types[n].Type.Underlying().(*types.Basic); !ok || basic.Info()&types.IsNumeric == 0 {
			return
		}
		before, after = "mutate"+names[n.Op]+"(on, ", ")"
		edits = []edit{{at: f.offset(n.OpPos), remove: len(n.Op.String()), text: ","}}
	}
	f.add(n.OpPos, n.Op.String(), becomes.String(), before, n, after, edits...)
}

func (f *finder) step(n *ast.IncDecStmt) {
	becomes, assign := "--", "+="
	if n.Tok == token.DEC {
		becomes, assign = "++", "-="
	}
	f.add(n.TokPos, n.Tok.String(), becomes, "", n, "",
		edit{at: f.offset(n.TokPos), remove: 2, text: assign + " mutateSign(on, " + f.text(n.X) + ", 1)"})
}

func (f *finder) assign(n *ast.AssignStmt) {
	becomes := map[token.Token]string{token.ADD_ASSIGN: "-=", token.SUB_ASSIGN: "+="}[n.Tok]
	if becomes == "" {
		return
	}
	basic, ok := f.info.Types[n.Lhs[0]].Type.Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsNumeric == 0 {
		return
	}
	f.add(n.TokPos, n.Tok.String(), becomes, "mutateSign(on, "+f.text(n.Lhs[0])+", ", n.Rhs[0], ")")
}

func (f *finder) branch(n *ast.BranchStmt) {
	if n.Label != nil {
		return
	}
	i := len(f.stack) - 1
	for ; i >= 0; i-- {
		switch loop := f.stack[i].(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			return
		case *ast.RangeStmt:
		case *ast.ForStmt:
			if loop.Cond == nil && n.Tok == token.CONTINUE {
				return // a loop without end that could be left: its function would lack a return
			}
		default:
			continue
		}
		break
	}
	switch {
	case i < 0:
	case n.Tok == token.BREAK:
		f.add(n.Pos(), "break", "continue", "if on { continue } else { ", n, " }")
	case n.Tok == token.CONTINUE:
		f.add(n.Pos(), "continue", "break", "if on { break } else { ", n, " }")
	}
}

// isNegatable reports whether a condition has no operator of its own to swap.
func isNegatable(x ast.Expr) bool {
	switch x.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.CallExpr, *ast.IndexExpr:
		return true
	}
	return false
}

// returnsError reports whether a statement returns an error made or met before.
// Nobody reads the other results.
func returnsError(r *ast.ReturnStmt) bool {
	if len(r.Results) < 2 {
		return false
	}
	switch last := r.Results[len(r.Results)-1].(type) {
	case *ast.Ident:
		return last.Name == "err"
	case *ast.CallExpr:
		call, ok := last.Fun.(*ast.SelectorExpr)
		return ok && (call.Sel.Name == "Errorf" || call.Sel.Name == "New")
	}
	return false
}

// isLogging reports whether a call only writes to a log: log.Info(…), p.logger.Warn(…).
func isLogging(call *ast.CallExpr) bool {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	name := ""
	switch x := method.X.(type) {
	case *ast.Ident:
		name = x.Name
	case *ast.SelectorExpr:
		name = x.Sel.Name
	}
	return slices.Contains([]string{"log", "logger", "slog", "klog"}, strings.ToLower(name))
}

// hasCapacity reports whether a call is make(…) with a capacity, or of a map with
// a size. Only speed depends on it.
func hasCapacity(call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.Ident)
	if !ok || f.Name != "make" {
		return false
	}
	_, isMap := call.Args[0].(*ast.MapType)
	return isMap || len(call.Args) == 3
}
