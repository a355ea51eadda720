package program

import (
	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/lex"
)

// javascriptType judges clients that take the type: K8s(kind.Endpoints).Get(),
// When(a.Endpoints), new Endpoints({…}).
func (c *code) javascriptType(tokens []lex.Token, i int) {
	if i == 0 || i+1 >= len(tokens) {
		return
	}
	if c.libs.used["models"] && tokens[i-1].Is("new") && tokens[i+1].Is("(") {
		c.report(detect.Hit{Offset: tokens[i].Start, Detector: "text/object", Verb: "create", Access: "generic"})
		return
	}
	at := enclosingCall(tokens, i)
	if !c.libs.used["pepr"] || at.at < 0 || !isDot(tokens[i-1]) {
		return
	}
	h := detect.Hit{Offset: tokens[at.at].Start, Detector: "text/typed-client", Verb: "list", Access: "generic"}
	switch at.name {
	case "When":
		h.Verb, h.Access = "watch", "watch"
	case "K8s":
		for _, step := range chainAfter(tokens, closing(tokens, at.open)+1) {
			if v := clients.Pepr[step]; v != "" {
				h.Verb, h.Access = v, v
				break
			}
		}
	default:
		return
	}
	c.report(h)
}

// javascriptName judges the fluent client: client.api.v1.namespaces(ns).endpoints.get().
func (c *code) javascriptName(tokens []lex.Token, i int) {
	switch tokens[i].Text {
	case "Endpoints":
		c.javascriptType(tokens, i)
		return
	case "endpoints", "endpoint", "ep":
	default:
		return
	}
	if !c.libs.fluent || i < 2 || !isDot(tokens[i-1]) || i+1 >= len(tokens) {
		return
	}
	inAPI := false
	for k, name := range chainBefore(tokens, i) {
		switch name {
		case "namespaces", "namespace", "ns":
			inAPI = true
		case "v1":
			inAPI = inAPI || k == 0
		case "watch":
		}
		if name == "apis" || name == "group" {
			return // another group
		}
	}
	if !inAPI {
		return
	}
	h := detect.Hit{Offset: tokens[i].Start, Detector: "text/fluent-client", Verb: "list", Access: "list"}
	chain := chainAfter(tokens, i+1)
	if len(chain) == 0 {
		return
	}
	v := clients.Fluent[chain[0]]
	if v == "" {
		return
	}
	if v == "list" && tokens[i+1].Is("(") {
		v = "get" // endpoints(name).get()
	}
	h.Verb, h.Access = v, v
	c.report(h)
}
