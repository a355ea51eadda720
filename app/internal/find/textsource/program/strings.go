package program

import (
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/kubectl"
	"github.com/slicewright/slicewright/app/internal/find/textsource/lex"
	"github.com/slicewright/slicewright/app/internal/find/textsource/prometheus"
	"github.com/slicewright/slicewright/app/internal/find/textsource/shell"
)

// text judges the string expression at i, and returns the index of its last
// token. One expression is one finding at most.
func (c *code) text(tokens []lex.Token, i int) int {
	f := c.fold(tokens, i)
	if !worthReading(f.All) || inProse(tokens, i) {
		return f.end
	}
	at := enclosingCall(tokens, i)
	for _, v := range f.All {
		if c.methodText(tokens, i, v, f.Pieces) || c.pathText(tokens, i, v, at) || c.commandText(tokens, i, v, at) {
			break
		}
	}
	return f.end
}

// worthReading drops most strings before anything costly.
func worthReading(values []string) bool {
	for _, v := range values {
		if strings.Contains(v, "ndpoint") || strings.Contains(v, "amespaced") || strings.Contains(v, " ep") || strings.Contains(v, ",ep") || strings.Contains(v, "ll_namespaces") || strings.Contains(v, "llNamespaces") {
			return true
		}
	}
	return false
}

// methodText finds a client's method by its name in a string: getattr(api,
// "list_namespaced_endpoints"), api[`list${kind}`].
func (c *code) methodText(tokens []lex.Token, i int, v string, pieces int) bool {
	h := detect.Hit{Offset: tokens[i].Start, Detector: "text/client-method-name", Access: "generic", Confidence: evidence.Possible}
	verb, ok := clientVerb(v)
	if ok && pieces == 1 && !c.dispatches(tokens, i) && !c.libs.kube {
		return false // a name in a text that calls no cluster
	}
	switch {
	case ok && pieces == 1 && c.dispatches(tokens, i):
		h.Confidence = evidence.Likely
	case ok && pieces == 1:
		h.Note = "The method's name stands in a string; whether it is called with it could not be seen."
	case ok:
		h.Note = "The method's name is put together at run time."
	default:
		var sure bool
		if verb, sure, ok = runtimeVerb(v); !ok || !strings.Contains(strings.ToLower(v), "namespace") && !c.dispatches(tokens, i) {
			return false
		}
		h.Note = "The method's name is put together at run time."
		if !sure {
			h.Class = evidence.Walker
			h.Note = "The method's name is put together at run time and can name any resource."
		}
	}
	h.Verb = verb
	c.report(h)
	return true
}

// dispatches reports whether the string at i selects a method.
func (c *code) dispatches(tokens []lex.Token, i int) bool {
	if at := enclosingCall(tokens, i); at.open >= 0 {
		name := strings.ToLower(at.name)
		if clients.Dispatchers[name] || name == "get" && at.root == "Reflect" {
			return true
		}
	}
	return i > 0 && tokens[i-1].Is("[") && i > 1 && (tokens[i-2].Kind == lex.Ident || tokens[i-2].Is(")") || tokens[i-2].Is("]"))
}

// pathText finds an API path in a URL.
func (c *code) pathText(tokens []lex.Token, i int, v string, at call) bool {
	p, ok := kubectl.ParsePath(v)
	if !ok || p.Cluster && !c.kube && !c.libs.kube {
		return false
	}
	if strings.ContainsAny(strings.TrimPrefix(strings.TrimPrefix(v[:p.Start], "GET "), "WATCH "), " \n\t") {
		// A sentence or a command around it: commandText judges those.
		return false
	}
	if isRoute(tokens, i, at) {
		return false
	}
	h := detect.Hit{Offset: tokens[i].Start, Detector: "text/raw-path", Verb: p.Verb, Access: "raw-http", Namespace: detect.KnownNamespace(p.Namespace)}
	if p.Namespace == "default" && p.Name == "kubernetes" {
		h.Class = evidence.APIServerDiscovery
	}
	switch name := strings.ToLower(at.name); {
	case strings.Contains(name, "informer"):
		h.Verb, h.Access = "watch", "informer"
	case strings.HasPrefix(name, "watch"):
		h.Verb = "watch"
	case clients.Methods[name] != "":
		h.Verb = clients.Methods[name]
	}
	if at.open >= 0 {
		if c.done[tokens[at.open].Start] {
			return true
		}
		c.done[tokens[at.open].Start] = true
	}
	c.report(h)
	return true
}

// isRoute reports whether a path is served here, not called: a fake API server
// has the same paths.
func isRoute(tokens []lex.Token, i int, at call) bool {
	name := strings.ToLower(at.name)
	switch {
	case calls.Routes[name]:
		if strings.HasSuffix(name, "mapping") || at.name == "Path" {
			return true
		}
		return at.at > 0 && (tokens[at.at-1].Is("@") || tokens[at.at-1].Is("[") || isDot(tokens[at.at-1]) && calls.Servers[at.root])
	case calls.RouteMethods[name]:
		return at.root == "app" || at.root == "router" || at.root == "server" && i > 0
	}
	return false
}

// commandText finds kubectl in a string that is run as a command line.
func (c *code) commandText(tokens []lex.Token, i int, v string, at call) bool {
	runs := at.open >= 0 && at.name != "" && runsCommands(at.name)
	line := strings.TrimLeft(v, " \t\n")
	first, _, _ := strings.Cut(line, " ")
	direct := len(first) > 1 && kubectl.IsProgram(first)
	template := i > 0 && tokens[i-1].Is("$") || i > 0 && strings.HasPrefix(tokens[i-1].Text, "$") // zx: $`…`
	if !direct && !runs && !template {
		return false
	}
	for _, r := range shell.CommandsIn(line, c.s) {
		c.command(tokens[i].Start, r.Request, r.Confidence)
		return true
	}
	return false
}

// command reports a kubectl call.
func (c *code) command(offset int, r kubectl.Request, conf evidence.Confidence) {
	h := shell.HitOf(offset, r)
	if !r.Guessed {
		h.Confidence = conf
	}
	c.report(h)
}

// stringBody reads what a long string holds: a manifest, a scrape
// configuration, relabelling.
func (c *code) stringBody(tokens []lex.Token, i int) {
	t := tokens[i]
	if len(t.Parts) == 0 {
		return
	}
	v := t.Value()
	if at := strings.Index(v, "__meta_kubernetes_endpoint"); at >= 0 && len(v) < 200 && !strings.Contains(v, "\n") {
		prometheus.Relabel(c.s, t.Body, v, t.Raw)
	}
	if len(v) < 20 || !strings.Contains(v, "\n") || !strings.Contains(v, ":") || inProse(tokens, i) {
		return
	}
	if detect.LooksLikeYAML(v) {
		origin := func(int) int { return t.Start }
		if t.Raw {
			origin = func(o int) int { return t.Body + o }
		}
		if in := c.s.Inner([]byte(v), origin); in != nil {
			in.Read("", detect.File{Kind: detect.YAML, Embedded: true, Blank: strings.Contains(v, "{")})
		}
	}
}
