package analyzer

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
)

// rbacLiteral finds PolicyRules and access reviews about Endpoints that are
// written in code. The finding's place is the key that names the resource.
func (in *inspection) rbacLiteral(n ast.Node) {
	switch n := n.(type) {
	case *ast.CompositeLit:
		t := namedType(in.info.TypeOf(n))
		if t == nil {
			return
		}
		path := pkgPath(t.Obj().Pkg())
		switch name := t.Obj().Name(); {
		case name == "PolicyRule" && strings.Contains(path, "k8s.io/") && strings.Contains(path, "/rbac"):
			in.policyRule(n, literalFields(t, n))
		case name == "ResourceAttributes" && strings.Contains(path, "k8s.io/") && strings.Contains(path, "/authorization"):
			in.accessReview(n, literalFields(t, n))
		}
	case *ast.CallExpr:
		// rbacv1ac.PolicyRule().WithResources("endpoints").
		fn := in.callee(n)
		if fn == nil || fn.Name() != "WithResources" || !strings.Contains(pkgPath(fn.Pkg()), "/applyconfigurations/rbac/") {
			return
		}
		resources, groups, verbs := in.allTexts(n.Args), []string(nil), []string(nil)
		in.eachInChain(n, func(call *ast.CallExpr, name string) {
			switch name {
			case "WithAPIGroups":
				groups = in.allTexts(call.Args)
			case "WithVerbs":
				verbs = in.allTexts(call.Args)
			}
		})
		in.rule(n, nameOf(n), resources, groups, verbs)
	}
}

func (in *inspection) policyRule(lit *ast.CompositeLit, fields map[string]ast.Expr) {
	if fields["Resources"] == nil {
		return
	}
	var at ast.Node = lit
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok && kv.Value == fields["Resources"] {
			at = kv
		}
	}
	in.rule(at, at, in.listTexts(fields["Resources"]), in.listTexts(fields["APIGroups"]), in.listTexts(fields["Verbs"]))
}

// rule reports a rule that covers Endpoints of the core group. Groups that are
// not constant may well be core.
func (in *inspection) rule(node, at ast.Node, resources, groups, verbs []string) {
	core := len(groups) == 0 || slices.Contains(groups, "") || slices.Contains(groups, "*")
	use := Use{Verbs: rbacVerbs(verbs), Access: []string{"config"}}
	switch {
	case core && slices.Contains(resources, "endpoints"):
		in.report(node, at, endpointsAPI, "go/rbac-rule", use)
	case slices.Contains(resources, "endpointslices"):
		in.report(node, at, sliceAPI, "go/rbac-rule", use)
	}
}

func (in *inspection) accessReview(lit *ast.CompositeLit, fields map[string]ast.Expr) {
	if fields["Resource"] == nil || in.groupOf(fields["Group"]) == otherGroup {
		return
	}
	which, params := in.named(fields["Resource"], ResourceName)
	use := Use{Kind: ResourceName, Detector: "go/access-review", Verbs: rbacVerbs(in.flow.texts(fields["Verb"])), Access: []string{"config"}}
	if which != noAPI {
		at := in.resourceKey(lit)
		in.report(at, at, which, use.Detector, use)
	}
	for p := range params {
		in.take(p, use)
	}
}

// rbacVerbs are the verbs of a rule as evidence names them.
func rbacVerbs(verbs []string) []string {
	var out []string
	for _, verb := range verbs {
		if verb == "deletecollection" {
			verb = "delete"
		}
		out = union(out, []string{verb})
	}
	return out
}

// listTexts are the constant strings of a []string expression.
func (in *inspection) listTexts(e ast.Expr) []string {
	if e == nil {
		return nil
	}
	var out []string
	for _, leaf := range in.flow.leaves(e) {
		switch leaf := leaf.(type) {
		case *ast.CompositeLit:
			out = append(out, in.allTexts(leaf.Elts)...)
		case *ast.CallExpr: // append(base, "endpoints")
			out = append(out, in.allTexts(leaf.Args)...)
		}
	}
	return out
}

func (in *inspection) allTexts(list []ast.Expr) []string {
	var out []string
	for _, e := range list {
		out = append(out, in.flow.texts(e)...)
	}
	return out
}

// marker is a kubebuilder RBAC marker, with or without a space after the slashes.
var marker = regexp.MustCompile(`^//\s*\+kubebuilder:rbac:(.*)$`)

// markers reads kubebuilder's RBAC markers: a Role is generated from them.
func (in *inspection) markers() {
	for _, file := range in.pass.Files {
		eachMarker(file, func(c *ast.Comment, resources, groups, verbs []string) {
			use := Use{Verbs: rbacVerbs(verbs), Access: []string{"config"}}
			if slices.Contains(resources, "endpoints") {
				in.report(c, c, endpointsAPI, "go/rbac-marker", use)
			} else if slices.Contains(resources, "endpointslices") {
				in.report(c, c, sliceAPI, "go/rbac-marker", use)
			}
		})
	}
}

// eachMarker visits the markers of a file that cover the core or the discovery
// group; a marker without groups means core.
func eachMarker(file *ast.File, visit func(c *ast.Comment, resources, groups, verbs []string)) {
	for _, comments := range file.Comments {
		for _, c := range comments.List {
			m := marker.FindStringSubmatch(c.Text)
			if m == nil {
				continue
			}
			args := markerArguments(m[1])
			groups := args["groups"]
			if len(groups) > 0 && !slices.ContainsFunc(groups, func(g string) bool { return g == "*" || groupNamed(g) != otherGroup }) {
				continue
			}
			visit(c, args["resources"], groups, args["verbs"])
		}
	}
}

// markerArguments reads key=value pairs with commas between; a value is a list
// with semicolons, and may be quoted or in braces.
func markerArguments(s string) map[string][]string {
	args := map[string][]string{}
	for len(s) > 0 {
		key, rest, ok := strings.Cut(s, "=")
		if !ok {
			break
		}
		end, depth, quoted := len(rest), 0, false
		for i, r := range rest {
			switch {
			case r == '"':
				quoted = !quoted
			case quoted:
			case r == '{':
				depth++
			case r == '}':
				depth--
			case r == ',' && depth == 0:
				end = i
			}
			if end != len(rest) {
				break
			}
		}
		braces := strings.HasPrefix(rest, "{")
		for _, item := range strings.FieldsFunc(rest[:end], func(r rune) bool {
			return r == ';' || braces && (r == '{' || r == '}' || r == ',')
		}) {
			args[strings.TrimSpace(key)] = append(args[strings.TrimSpace(key)], strings.Trim(strings.TrimSpace(item), "\"'`"))
		}
		s = strings.TrimPrefix(rest[end:], ",")
	}
	return args
}
