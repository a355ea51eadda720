package program

import (
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/lex"
)

// pythonName judges a use of an imported Endpoints type: lightkube's
// client.get(Endpoints, …), kr8s' Endpoints.get(…), pykube's
// Endpoint.objects(api).
func (c *code) pythonName(tokens []lex.Token, i int) {
	name := tokens[i].Text
	qualified := name == "Endpoints" && i >= 2 && tokens[i-1].Is(".") && c.libs.modules[tokens[i-2].Text]
	if !c.libs.endpoints[name] && !qualified || i > 0 && tokens[i-1].Is(".") && !qualified {
		return
	}
	verb := ""
	at := enclosingCall(tokens, i)
	if after := chainAfter(tokens, i+1); len(after) > 0 && i+1 < len(tokens) && isDot(tokens[i+1]) {
		verb = clients.Typed[after[0]]
	} else if at.open >= 0 && i-at.open <= 3 {
		verb = clients.Typed[strings.ToLower(at.name)]
	}
	if verb == "" {
		return
	}
	if at.open >= 0 {
		if c.done[tokens[at.open].Start] {
			return
		}
		c.done[tokens[at.open].Start] = true
	}
	offset := tokens[i].Start
	if at.at >= 0 && clients.Typed[strings.ToLower(at.name)] != "" {
		offset = tokens[at.at].Start
	}
	c.report(detect.Hit{Offset: offset, Detector: "text/typed-client", Verb: verb, Access: verb})
}

// resourceText judges a resource's name as an argument: kr8s.get("endpoints"),
// @kopf.on.event("endpoints").
func (c *code) resourceText(tokens []lex.Token, i int) {
	at := enclosingCall(tokens, i)
	if at.open < 0 || at.at < 0 || c.done[tokens[at.open].Start] {
		return
	}
	root := strings.ToLower(at.root)
	verb := ""
	switch {
	case c.lang.Name == "python" && c.libs.used["kopf"] && root == "kopf":
		verb = "watch"
		if group := firstString(tokens, at.open); group != "" && group != "v1" && group != tokens[i].Value() {
			return // another group's resource
		}
	case c.lang.Name == "python" && c.libs.used["kr8s"] && (root == "kr8s" || root == "api" || root == "client") && i == at.open+1:
		verb = clients.Typed[strings.ToLower(at.name)]
	}
	if verb == "" {
		return
	}
	c.done[tokens[at.open].Start] = true
	c.report(detect.Hit{Offset: tokens[at.at].Start, Detector: "text/typed-client", Verb: verb, Access: verb})
}

func firstString(tokens []lex.Token, open int) string {
	if open+1 < len(tokens) && tokens[open+1].Kind == lex.String {
		return tokens[open+1].Value()
	}
	return ""
}

// pythonImports reads "from MODULE import A as B, C".
func (l *libraries) pythonImports(tokens []lex.Token) {
	for i := 0; i+3 < len(tokens); i++ {
		if !tokens[i].Is("from") || i > 0 && tokens[i-1].Kind != lex.Newline {
			continue
		}
		var module strings.Builder
		j := i + 1
		for ; j < len(tokens) && !tokens[j].Is("import") && tokens[j].Kind != lex.Newline; j++ {
			module.WriteString(tokens[j].Text)
		}
		typed := pythonModuleHolds(module.String())
		for ; j < len(tokens) && tokens[j].Kind != lex.Newline; j++ {
			alias := tokens[j].Text
			if j+2 < len(tokens) && tokens[j+1].Is("as") {
				alias = tokens[j+2].Text
			}
			l.pythonName(tokens[j].Text, alias, typed)
		}
		i = j
	}
}

// pythonName notes a name that is imported, from a module that has the API's
// types if typed is set.
func (l *libraries) pythonName(name, alias string, typed bool) {
	switch {
	case typed && (name == "Endpoints" || l.used["pykube"] && name == "Endpoint" || name == "KubeEndpoints"):
		l.endpoints[alias] = true
	case name == "core_v1" || name == "objects" && l.used["kr8s"] || name == "v1" && l.used["pulumi"]:
		l.modules[alias] = true
	}
}

// pythonModuleHolds reports whether a module has the API's Endpoints type.
func pythonModuleHolds(module string) bool {
	return clients.Modules.BeginsAny(module)
}
