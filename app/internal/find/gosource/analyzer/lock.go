package analyzer

import (
	"go/ast"
	"go/types"
	"strings"
)

const resourcelockPackage = "k8s.io/client-go/tools/leaderelection/resourcelock"

// lockVerbs are what a leader lock does to its object.
var lockVerbs = []string{"get", "create", "update"}

// isLockName reports whether a leader lock of that name writes Endpoints: alone,
// or beside a Lease as the step between.
func isLockName(s string) bool { return s == "endpoints" || s == "endpointsleases" }

// lockLiteral finds the Endpoints lock where it is no argument: in an option
// such as LeaderElectionResourceLock, or as resourcelock's own struct or constant.
func (in *inspection) lockLiteral(n ast.Node) {
	use := Use{Detector: "go/leader-lock", Verbs: lockVerbs}
	switch n := n.(type) {
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && isLockField(key.Name) && in.namesLock(n.Value) {
			in.report(n, n, endpointsAPI, use.Detector, use)
		}
	case *ast.AssignStmt:
		for i, lhs := range n.Lhs {
			sel, ok := lhs.(*ast.SelectorExpr)
			if ok && isLockField(sel.Sel.Name) && i < len(n.Rhs) && in.namesLock(n.Rhs[i]) {
				in.report(n, n, endpointsAPI, use.Detector, use)
			}
		}
	case *ast.CallExpr:
		in.lockFlag(n, use)
	case *ast.CompositeLit:
		if isNamed(in.info.TypeOf(n), resourcelockPackage, "EndpointsLock") {
			in.report(n, n, endpointsAPI, use.Detector, use)
		}
	case *ast.SelectorExpr:
		c, ok := in.info.Uses[n.Sel].(*types.Const)
		if ok && pkgPath(c.Pkg()) == resourcelockPackage && !in.consumed[n] && !in.insideSite(n) {
			if s, _ := in.flow.text(n); isLockName(s) && !in.isCompared(n) {
				in.report(n, n, endpointsAPI, use.Detector, use)
			}
		}
	}
}

// lockFlag finds a flag whose default is the lock: the name of the flag that all
// control planes use, or one like it.
func (in *inspection) lockFlag(call *ast.CallExpr, use Use) {
	flag, lock := false, false
	for _, a := range call.Args {
		s, _ := in.flow.text(a)
		flag = flag || strings.HasSuffix(s, "resource-lock")
		lock = lock || isLockName(s)
	}
	if flag && lock {
		in.report(call, nameOf(call), endpointsAPI, use.Detector, use)
	}
}

// isLockField: controller-runtime's option and component-base's configuration.
func isLockField(name string) bool {
	return name == "LeaderElectionResourceLock" || name == "ResourceLock"
}

func (in *inspection) namesLock(e ast.Expr) bool {
	which, _ := in.named(e, LockName)
	if which == endpointsAPI {
		in.consume(e)
	}
	return which == endpointsAPI
}

// insideSite reports whether n lies in a call or key that is a site already.
func (in *inspection) insideSite(n ast.Node) bool {
	for ; n != nil; n = in.parents[n] {
		if in.byNode[n] != nil {
			return true
		}
		if _, ok := n.(ast.Stmt); ok {
			_, ok := n.(*ast.AssignStmt)
			return ok && in.byNode[n] != nil
		}
	}
	return false
}

// isCompared reports whether an expression is only compared with: a switch, a
// condition, an exclusion.
func (in *inspection) isCompared(n ast.Node) bool {
	switch parent := in.parents[n].(type) {
	case *ast.BinaryExpr:
		return parent.Op.IsOperator() && parent.Op.String() != "+"
	case *ast.CaseClause:
		return true
	case *ast.ParenExpr:
		return in.isCompared(parent)
	}
	return false
}
