package program

import (
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/lex"
)

// rustName judges kube-rs' typed API: Api<Endpoints>, Api::<Endpoints>::all.
func (c *code) rustName(tokens []lex.Token, i int) {
	start := i // where the path to the type begins
	for start >= 2 && tokens[start-1].Is("::") && tokens[start-2].Kind == lex.Ident {
		start -= 2
	}
	if !c.isRustEndpoints(tokens, i, start) || start < 2 || !tokens[start-1].Is("<") {
		return
	}
	before := tokens[start-2]
	h := detect.Hit{Offset: before.Start, Detector: "text/typed-client", Verb: "list", Access: "generic"}
	variable := ""
	switch {
	case before.Is("::"):
		turbofish(&h, tokens, start-3)
		variable = boundTo(tokens, start-3)
	case !before.Is("Api"):
		return
	case start >= 4 && tokens[start-3].Is(":") && tokens[start-4].Kind == lex.Ident:
		variable = tokens[start-4].Text
		if start < 5 || !tokens[start-5].Is("let") && !tokens[start-5].Is("mut") {
			return // a parameter or a field: who makes the Api is found there
		}
	default:
		return // -> Api<Endpoints> and the like
	}
	if variable != "" {
		if a := usedAs(tokens[i:], variable); a.Verb != "" {
			h.Verb, h.Access = a.Verb, a.Access
		}
	}
	if at := enclosingCall(tokens, i); isRustController(at) {
		h.Verb, h.Access = "watch", "informer"
	}
	c.report(h)
}

// isRustController reports whether a call gives a type to what watches it.
func isRustController(at call) bool {
	return at.name == "owns" || at.name == "watches" || at.name == "watcher" || at.name == "new" && at.root == "Controller"
}

// isRustEndpoints reports whether the path from start to i names the API's type.
func (c *code) isRustEndpoints(tokens []lex.Token, i, start int) bool {
	name := tokens[i].Text
	if start == i {
		return c.libs.endpoints[name]
	}
	module := tokens[i-2]
	return name == "Endpoints" && (module.Is("v1") && i >= 4 && tokens[i-4].Is("core") || c.libs.modules[module.Text] && start == i-2)
}

// turbofish says what the function at i, which is given the type, does with it.
func turbofish(h *detect.Hit, tokens []lex.Token, i int) {
	if i < 0 || tokens[i].Kind != lex.Ident {
		return
	}
	h.Offset = tokens[i].Start
	name := tokens[i].Text
	if clients.RustWatchers[name] {
		h.Verb, h.Access = "watch", "informer"
	} else if v := clients.Typed[name]; v != "" {
		h.Verb, h.Access = v, v
	}
}

// boundTo is the variable of the let before token i.
func boundTo(tokens []lex.Token, i int) string {
	if i >= 2 && tokens[i-1].Is("=") && tokens[i-2].Kind == lex.Ident {
		return tokens[i-2].Text
	}
	return ""
}

// usedAs looks for what is done first with a variable that holds an Api.
func usedAs(tokens []lex.Token, variable string) action {
	for i := 1; i+2 < min(len(tokens), 20*maxLookback); i++ {
		if !tokens[i].Is(variable) {
			continue
		}
		if isDot(tokens[i+1]) {
			name := tokens[i+2].Text
			if a := clients.Rust[name]; a.Verb != "" {
				return a
			}
			if name != "clone" {
				continue
			}
		}
		if at := enclosingCall(tokens, i); clients.RustWatchers[at.name] || at.root == "Controller" {
			return action{Verb: "watch", Access: "informer"}
		}
	}
	return action{}
}

// rustImports reads use declarations, with braces and "as".
func (l *libraries) rustImports(tokens []lex.Token) {
	for i := 0; i < len(tokens); i++ {
		if tokens[i].Is("use") && (i == 0 || tokens[i-1].Is(";") || tokens[i-1].Is("}") || tokens[i-1].Is("pub") || tokens[i-1].Is("{") || tokens[i-1].Is("]") || tokens[i-1].Is(")")) {
			i = l.rustUse(tokens, i+1, "", 0)
		}
	}
}

// rustUse reads one use tree from i on and returns the index of its end.
func (l *libraries) rustUse(tokens []lex.Token, i int, prefix string, depth int) int {
	path := prefix
	for i < len(tokens) {
		t := tokens[i]
		switch {
		case t.Is("{") && depth < 16:
			i = l.rustUse(tokens, i+1, path, depth+1)
			if i < len(tokens) && tokens[i].Is("}") {
				i++
			}
			continue
		case t.Is("as") && i+1 < len(tokens):
			l.rustName(path, tokens[i+1].Text)
			path = ""
			i += 2
			continue
		case t.Is(","):
			if depth == 0 {
				return i
			}
			l.rustName(path, lastSegment(path))
			path = prefix
		case t.Is("}") || t.Is(";"):
			l.rustName(path, lastSegment(path))
			return i
		case t.Kind == lex.Ident || t.Is("::") || t.Is("*"):
			path += t.Text
		default:
			return i
		}
		i++
	}
	return i
}

func lastSegment(path string) string { return path[strings.LastIndexByte(path, ':')+1:] }

func (l *libraries) rustName(path, alias string) {
	switch {
	case !strings.Contains(path, "k8s_openapi") && !strings.Contains(path, "core::v1") && !strings.Contains(path, "corev1"):
	case strings.HasSuffix(path, "::v1::Endpoints") || strings.HasSuffix(path, "corev1::Endpoints"):
		l.endpoints[alias] = true
	case strings.HasSuffix(path, "::core::v1") || strings.HasSuffix(path, "::v1::self") || strings.HasSuffix(path, "::corev1"):
		if alias == "self" {
			alias = "v1"
		}
		l.modules[alias] = true
	case strings.HasSuffix(path, "core::v1::*"):
		l.endpoints["Endpoints"] = true
	}
}
