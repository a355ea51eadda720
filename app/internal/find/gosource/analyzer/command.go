package analyzer

import (
	"go/ast"
	"slices"
	"strings"
)

// kubectlVerbs maps kubectl's commands to the verbs that the API server sees.
var kubectlVerbs = map[string]string{
	"get": "get", "describe": "get", "wait": "watch", "delete": "delete", "edit": "update",
	"label": "patch", "annotate": "patch", "patch": "patch",
}

// command finds kubectl and oc run as programs: exec.Command("kubectl", "get",
// "endpoints"), a shell line, a function whose name says kubectl.
func (in *inspection) command(c calledFrom) {
	if c.callee == nil {
		return
	}
	path, name := pkgPath(c.callee.Pkg()), c.callee.Name()
	isExec := path == "os/exec" && strings.HasPrefix(name, "Command")
	if !isExec && !strings.Contains(strings.ToLower(name), "kubectl") {
		return
	}
	var words []string
	if !isExec {
		words = append(words, "kubectl")
	}
	for _, a := range c.call.Args {
		words = append(words, in.words(a)...)
	}
	if verb, ok := kubectlVerb(words); ok {
		in.report(c.call, nameOf(c.call), endpointsAPI, "go/kubectl", Use{Verbs: []string{verb}, Access: access(verb)})
	}
}

// words are the words of one argument; of a slice handed on with ... those of
// its elements.
func (in *inspection) words(a ast.Expr) []string {
	if s, ok := in.flow.text(a); ok {
		return strings.Fields(s)
	}
	var out []string
	for _, leaf := range in.flow.leaves(a) {
		if s, ok := in.flow.text(leaf); ok {
			out = append(out, strings.Fields(s)...)
		} else if lit, ok := leaf.(*ast.CompositeLit); ok {
			for _, elt := range lit.Elts {
				out = append(out, strings.Fields(in.firstText(elt))...)
			}
		}
	}
	if len(out) == 0 {
		out = []string{hole} // a word all the same: the value of a flag, a name
	}
	return out
}

// valueFlags are the short and long flags of kubectl whose value is a word of
// its own.
var valueFlags = []string{"-n", "--namespace", "-l", "--selector", "-o", "--output", "--context", "--kubeconfig", "--field-selector", "-f", "--for", "--timeout", "-s", "--server"}

// kubectlVerb reads a command line: does it name Endpoints, and what does it do?
func kubectlVerb(words []string) (string, bool) {
	start := slices.IndexFunc(words, func(w string) bool {
		base := w[strings.LastIndexByte(w, '/')+1:]
		return base == "kubectl" || base == "oc"
	})
	if start < 0 {
		return "", false
	}
	verb, skip := "", false
	for _, w := range words[start+1:] {
		switch {
		case skip:
			skip = false
		case strings.HasPrefix(w, "-"):
			skip = slices.Contains(valueFlags, w)
		case verb == "":
			if verb = kubectlVerbs[w]; verb == "" {
				return "", false
			}
		default:
			if kubectlResources(w) == endpointsAPI {
				return verb, true
			}
			if !strings.Contains(w, "/") {
				return "", false
			}
		}
	}
	return "", false
}
