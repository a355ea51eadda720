package program

import (
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/lex"
)

// rustName judges kube-rs' typed API: Api<Endpoints>, Api::<Endpoints>::all.
func (c *code) rustName(tokens []lex.Token, i int) {
	name := tokens[i].Text
	start := i // where the path to the type begins
	for start >= 2 && tokens[start-1].Is("::") && tokens[start-2].Kind == lex.Ident {
		start -= 2
	}
	if start == i {
		if !c.libs.endpoints[name] {
			return
		}
	} else if name != "Endpoints" || !(tokens[i-2].Is("v1") && i >= 4 && tokens[i-4].Is("core") || c.libs.modules[tokens[i-2].Text] && start == i-2) {
		return
	}
	if start < 2 || !tokens[start-1].Is("<") {
		return
	}
	before := tokens[start-2]
	turbofish := before.Is("::")
	if !turbofish && !before.Is("Api") {
		return
	}
	h := detect.Hit{Offset: before.Start, Detector: "text/typed-client", Verb: "list", Access: "generic"}
	variable := ""
	if turbofish {
		if start >= 3 && tokens[start-3].Kind == lex.Ident {
			h.Offset = tokens[start-3].Start
			switch fn := tokens[start-3].Text; fn {
			case "watcher", "metadata_watcher", "reflector", "watch_object":
				h.Verb, h.Access = "watch", "informer"
			case "Api":
			default:
				if v := typedVerbs[fn]; v != "" {
					h.Verb, h.Access = v, v
				}
			}
		}
		variable = boundTo(tokens, start-3)
	} else if start >= 4 && tokens[start-3].Is(":") && tokens[start-4].Kind == lex.Ident {
		variable = tokens[start-4].Text
		if start < 5 || !tokens[start-5].Is("let") && !tokens[start-5].Is("mut") {
			return // a parameter or a field: who makes the Api is found there
		}
	} else {
		return // -> Api<Endpoints> and the like
	}
	if variable != "" {
		if v, access := usedAs(tokens[i:], variable); v != "" {
			h.Verb, h.Access = v, access
		}
	}
	if at := enclosingCall(tokens, i); at.name == "owns" || at.name == "watches" || at.name == "watcher" || at.name == "new" && at.root == "Controller" {
		h.Verb, h.Access = "watch", "informer"
	}
	c.report(h)
}

// boundTo is the variable of the let before token i.
func boundTo(tokens []lex.Token, i int) string {
	if i >= 2 && tokens[i-1].Is("=") && tokens[i-2].Kind == lex.Ident {
		return tokens[i-2].Text
	}
	return ""
}

// usedAs looks for what is done first with a variable that holds an Api.
func usedAs(tokens []lex.Token, variable string) (verb, access string) {
	for i := 1; i+2 < min(len(tokens), 20*maxLookback); i++ {
		if !tokens[i].Is(variable) {
			continue
		}
		if isDot(tokens[i+1]) {
			switch fn := tokens[i+2].Text; fn {
			case "list", "get", "watch", "create", "patch", "delete", "replace":
				return typedVerbs[fn], typedVerbs[fn]
			case "list_metadata":
				return "list", "list"
			case "get_metadata", "get_opt", "entry":
				return "get", "get"
			case "delete_collection":
				return "delete", "delete"
			case "clone":
			default:
				continue
			}
		}
		if at := enclosingCall(tokens, i); at.name == "watcher" || at.name == "reflector" || at.name == "metadata_watcher" || at.name == "watch_object" || at.root == "Controller" {
			return "watch", "informer"
		}
	}
	return "", ""
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
