package program

import (
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/lex"
	"github.com/slicewright/slicewright/app/internal/find/textsource/settings"
)

// jvmName judges Java, Kotlin, Scala and Groovy.
func (c *code) jvmName(tokens []lex.Token, i int) {
	switch name := tokens[i].Text; {
	case name == "endpoints" && c.libs.used["fabric8"]:
		c.fabric8(tokens, i)
	case name == "EndpointsBuilder" && c.libs.used["fabric8"] && i+1 < len(tokens) && tokens[i+1].Is("("):
		c.report(detect.Hit{Offset: tokens[i].Start, Detector: "text/fabric8", Verb: "create", Access: "generic", Class: evidence.Producer})
	case c.libs.endpoints[name]:
		c.jvmType(tokens, i)
	case name == "TcpDiscoveryKubernetesIpFinder" || name == "ThinClientKubernetesAddressFinder":
		if i+1 < len(tokens) && tokens[i+1].Is("(") {
			finder := settings.LibraryOf("TcpDiscoveryKubernetesIpFinder")
			c.report(detect.Hit{
				Offset: tokens[i].Start, Detector: "text/library-default", Verb: "get", Access: "helper",
				Advice: finder.Advice(), Note: finder.Note,
			})
		}
	}
}

// fabric8 judges client.endpoints() and Kotlin's client.endpoints.
func (c *code) fabric8(tokens []lex.Token, i int) {
	if i < 2 || !isDot(tokens[i-1]) || i+1 >= len(tokens) {
		return
	}
	next := i + 1
	if tokens[next].Is("(") {
		if next+1 >= len(tokens) || !tokens[next+1].Is(")") {
			return // with arguments it is something else
		}
		next += 2
	} else if c.lang.Name == "java" {
		return
	}
	h := detect.Hit{Offset: tokens[i].Start, Detector: "text/fabric8", Verb: "list", Access: "list"}
	chain := chainAfter(tokens, next)
	known := false
	for _, name := range chain {
		if v := clients.Fabric8[name]; v != "" {
			h.Verb, h.Access, known = v, v, true
			if strings.Contains(strings.ToLower(name), "inform") {
				h.Access = "informer"
			}
			break
		}
		known = known || clients.Steps[name]
	}
	if !known {
		// client.endpoints() kept in a variable, or another class's method.
		receiver := ""
		if before := chainBefore(tokens, i); len(before) > 0 {
			receiver = strings.ToLower(before[0])
		}
		if !clients.Receivers.InAny(receiver) && !clients.ShortReceivers[receiver] {
			return
		}
		if len(chain) > 0 {
			h.Confidence = evidence.Possible
		}
	}
	c.report(h)
}

// jvmType judges Endpoints.class, Endpoints::class and type arguments of
// operators' building blocks.
func (c *code) jvmType(tokens []lex.Token, i int) {
	if i+2 >= len(tokens) || i == 0 {
		return
	}
	if tokens[i-1].Is("<") && i >= 2 && strings.Contains(tokens[i-2].Text, "DependentResource") && tokens[i-2].Kind == lex.Ident {
		c.report(detect.Hit{Offset: tokens[i-2].Start, Detector: "text/typed-client", Verb: "create", Access: "informer"})
		return
	}
	if !isDot(tokens[i+1]) || !tokens[i+2].Is("class") {
		return
	}
	at := enclosingCall(tokens, i)
	if at.open < 0 || at.at < 0 || c.done[tokens[at.open].Start] {
		return
	}
	h := detect.Hit{Offset: tokens[at.at].Start, Detector: "text/typed-client", Verb: "list", Access: "generic"}
	switch name := strings.ToLower(at.name); {
	case strings.Contains(name, "informer"), name == "from" && strings.Contains(at.root, "Informer"):
		h.Verb, h.Access = "watch", "informer"
	case strings.Contains(name, "watch"):
		h.Verb, h.Access = "watch", "watch"
	case strings.Contains(name, "generickubernetesapi"), name == "resources", name == "customresources", name == "list":
		for _, step := range chainAfter(tokens, closing(tokens, at.open)+1) {
			if v := clients.Fabric8[step]; v != "" {
				h.Verb, h.Access = v, v
				break
			}
		}
	case at.root == "Kubectl":
		if h.Verb = clients.Typed[name]; h.Verb == "" {
			return
		}
	default:
		return // readValue(json, Endpoints.class), mock(Endpoints.class): no client
	}
	c.done[tokens[at.open].Start] = true
	c.report(h)
}

// javaImports reads "import a.b.C" and Kotlin's "as".
func (l *libraries) javaImports(tokens []lex.Token) {
	foreign := false
	model := false
	for i := 0; i+1 < len(tokens); i++ {
		if !tokens[i].Is("import") {
			continue
		}
		var name strings.Builder
		j := i + 1
		for j < len(tokens) && (tokens[j].Kind == lex.Ident && (j == i+1 || isDot(tokens[j-1]) || tokens[j-1].Is("static")) || isDot(tokens[j]) || tokens[j].Is("*")) {
			if !tokens[j].Is("static") {
				name.WriteString(tokens[j].Text)
			}
			j++
		}
		full := name.String()
		alias := full[strings.LastIndexByte(full, '.')+1:]
		if j+1 < len(tokens) && tokens[j].Is("as") {
			alias = tokens[j+1].Text
		}
		switch {
		case full == "io.fabric8.kubernetes.api.model.Endpoints":
			l.endpoints[alias] = true
		case full == "io.fabric8.kubernetes.api.model.*":
			model = true
		case full == "io.kubernetes.client.openapi.models.V1Endpoints":
			l.endpoints[alias] = true
		case strings.HasSuffix(full, ".Endpoints"):
			foreign = true
		}
		i = j - 1
	}
	if model && !foreign {
		l.endpoints["Endpoints"] = true
	}
	if l.used["official"] {
		l.endpoints["V1Endpoints"] = true
	}
}
