package program

import (
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/lex"
	"github.com/slicewright/slicewright/app/internal/find/textsource/prometheus"
	"github.com/slicewright/slicewright/app/internal/find/wordsearch"
)

// code is one program text and what is known of it as a whole.
type code struct {
	s    *detect.Text
	lang *lex.Language
	// consts are names that hold strings, with every string that is assigned
	// to them anywhere in the text.
	consts map[string][]string
	// kube says that the text speaks of Kubernetes at all. It decides about
	// what other programs have too, such as a path /api/v1/endpoints.
	kube bool
	// dual says that it handles EndpointSlices too.
	dual bool
	// libs are the client libraries that it imports.
	libs libraries
	// scrapes says that it configures Kubernetes service discovery.
	scrapes bool
	// done are calls, by the offset of their bracket, that have a finding
	// already: an informer's list function and its type are one call site.
	done map[int]bool
}

// wordsCode are what a program must have one of: "ndpoint" is in Endpoints,
// endpoints and endpoint_slices alike, "amespaced" in a client's methods that
// are put together at run time.
var wordsCode = wordsearch.New("ndpoint", "kubectl", "amespaced")

// Programs reads programs.
type Programs struct{}

func (Programs) HasWord(data []byte) bool { return wordsCode.In(data) }

func (Programs) Read(s *detect.Text, _ string, k detect.File) { readCode(s, k.Lang) }

// readCode looks into a program.
func readCode(s *detect.Text, lang *lex.Language) {
	tokens := lex.Tokens(s.Data, *lang)
	c := &code{
		s: s, lang: lang, done: map[int]bool{},
		kube: s.CallsAPI(),
		dual: handlesSlices(tokens), scrapes: detect.ContainsAny(s.Data, prometheus.ScrapeWords),
		libs: importedLibraries(s.Data, tokens, lang),
	}
	c.consts = constants(tokens)
	c.walk(tokens)
}

// handlesSlices looks for EndpointSlices in names and short strings, not in
// comments.
func handlesSlices(tokens []lex.Token) bool {
	for _, t := range tokens {
		text := t.Text
		if t.Kind == lex.String {
			text = t.Value()
		}
		if len(text) > 200 {
			continue
		}
		text = strings.ToLower(strings.ReplaceAll(text, "_", ""))
		if strings.Contains(text, "endpointslice") {
			return true
		}
	}
	return false
}

// walk visits tokens and those in interpolated expressions.
func (c *code) walk(tokens []lex.Token) {
	foldedTo := -1
	for i := range tokens {
		switch t := tokens[i]; t.Kind {
		case lex.Ident:
			c.name(tokens, i)
		case lex.String:
			if i > foldedTo {
				foldedTo = c.text(tokens, i)
			}
			c.stringBody(tokens, i)
			c.stringAlone(tokens, i)
			for _, p := range t.Parts {
				if p.Expr != nil {
					c.walk(p.Expr)
				}
			}
		}
	}
}

// stringAlone judges a string by itself: as a program's name, a field's key,
// an argument.
func (c *code) stringAlone(tokens []lex.Token, i int) {
	if c.programText(tokens, i) {
		return
	}
	switch tokens[i].Value() {
	case "kind":
		c.kindAt(tokens, i)
	case "role", "serviceDiscoveryRole":
		c.roleField(tokens, i)
	case "v1":
		c.versionAndKind(tokens, i)
	case "endpoints", "ep", "endpoint":
		c.resourceText(tokens, i)
	}
}

// report adds a hit of this program.
func (c *code) report(h detect.Hit) {
	if h.Class == "" {
		h.Class = detect.ClassOf(h.Verb)
	}
	if h.Confidence == "" {
		h.Confidence = evidence.Likely
	}
	if h.Advice == "" {
		h.Advice = detect.Advice(h.Verb)
	}
	h.Dual = c.dual
	c.s.Report(h)
}

// name judges one identifier.
func (c *code) name(tokens []lex.Token, i int) {
	name := tokens[i].Text
	if verb, ok := clientVerb(name); ok {
		c.clientMethod(tokens, i, verb)
		return
	}
	if name == "EndpointsLock" && i+1 < len(tokens) && tokens[i+1].Is("(") {
		c.report(detect.Hit{
			Offset: tokens[i].Start, Detector: "text/leader-lock", Class: evidence.Lock, Verb: "update", Access: "generic", Advice: detect.AdviceLock,
		})
		return
	}
	c.commandList(tokens, i)
	c.commandHelper(tokens, i)
	if judge := languages[c.lang.Name].judge; judge != nil {
		judge(c, tokens, i)
	}
	c.kindField(tokens, i)
	c.roleField(tokens, i)
	c.pulumi(tokens, i)
}

// clientMethod is a generated client's method, called or passed as a value.
func (c *code) clientMethod(tokens []lex.Token, i int, verb string) {
	if declares(tokens, i) {
		return
	}
	h := detect.Hit{Offset: tokens[i].Start, Detector: "text/client-method", Verb: verb, Access: verb}
	call := enclosingCall(tokens, i)
	if call.name == "nameof" {
		return
	}
	if i+1 < len(tokens) && tokens[i+1].Is("(") {
		end := closing(tokens, i+1)
		if verb == "list" && asksToWatch(tokens[i+2:end]) {
			h.Verb, h.Access = "watch", "watch"
		}
		h.Class = c.discovery(tokens[i+2:end], verb)
	} else {
		if !c.libs.kube && (i == 0 || !isDot(tokens[i-1])) {
			return // a word in a text between tags
		}
		h.Note = "The method is passed as a value; who calls it decides how often."
	}
	for level, at := 0, call; at.open >= 0 && level < 3; level, at = level+1, enclosingCall(tokens, at.open) {
		c.done[tokens[at.open].Start] = true
		switch name := strings.ToLower(at.name); {
		case strings.Contains(name, "informer"):
			h.Verb, h.Access = "watch", "informer"
		case name == "stream" || strings.HasPrefix(name, "watch") || name == "createwatch":
			h.Verb, h.Access = "watch", "watch"
		}
	}
	c.report(h)
}

// discovery is the class of a read whose arguments name the API server's own
// Service.
func (c *code) discovery(args []lex.Token, verb string) evidence.Class {
	for _, t := range args {
		if t.Kind == lex.String && t.Value() == "kubernetes" && detect.ClassOf(verb) == evidence.Reader {
			return evidence.APIServerDiscovery
		}
	}
	return ""
}

// asksToWatch looks for watch=True, watch: true and the like among arguments.
func asksToWatch(args []lex.Token) bool {
	for i := 0; i+2 < len(args); i++ {
		if (args[i].Is("watch") || args[i].Is("_watch")) && (args[i+1].Is("=") || args[i+1].Is(":")) && (args[i+2].Is("True") || args[i+2].Is("true")) {
			return true
		}
	}
	return false
}

// declares reports whether the name at i is being defined, not used: a wrapper
// of the same name is found at its own call of the client.
func declares(tokens []lex.Token, i int) bool {
	if i == 0 {
		return false
	}
	prev := tokens[i-1]
	switch {
	case calls.Declared[prev.Text]:
		return prev.Kind == lex.Ident
	case calls.NotDeclared[prev.Text]:
		return false
	}
	if i+1 >= len(tokens) || !tokens[i+1].Is("(") {
		return false
	}
	after := closing(tokens, i+1) + 1
	if after >= len(tokens) {
		return false
	}
	next := tokens[after]
	if prev.Kind == lex.Ident || prev.Is(">") || prev.Is("]") || prev.Is("?") {
		// A type before the name: V1EndpointsList readNamespacedEndpoints(…).
		return next.Is("{") || next.Is("throws") || next.Is("=>") || next.Is(";") && prev.Kind == lex.Ident && i >= 2 && !tokens[i-2].Is(".")
	}
	// A method of a class or an object in JavaScript: name(…) {.
	return next.Is("{") && !prev.Is(".") && !prev.Is("?.") && !prev.Is("(") && !prev.Is("=")
}
