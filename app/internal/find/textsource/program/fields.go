package program

import (
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/lex"
	"github.com/slicewright/slicewright/app/internal/find/textsource/prometheus"
)

// fieldValue is the string that the field or keyword at i is given.
func fieldValue(tokens []lex.Token, i int) (lex.Token, bool) {
	n := i + 1
	if n < len(tokens) && tokens[n].Is("?") {
		n++
	}
	if n+1 >= len(tokens) || !tokens[n].Is("=") && !tokens[n].Is(":") && !tokens[n].Is("=>") && !tokens[n].Is(",") {
		return lex.Token{}, false
	}
	v := tokens[n+1]
	return v, v.Kind == lex.String
}

// kindField judges kind="Endpoints", {"kind": "Endpoints"} and kind: 'Endpoints'.
func (c *code) kindField(tokens []lex.Token, i int) {
	if tokens[i].Text != "kind" && tokens[i].Text != "Kind" {
		return
	}
	c.kindAt(tokens, i)
}

// kindAt judges the field at i, a name or a string, whose key says kind.
func (c *code) kindAt(tokens []lex.Token, i int) {
	v, ok := fieldValue(tokens, i)
	if !ok || v.Value() != "Endpoints" || i+1 < len(tokens) && tokens[i+1].Is(",") {
		return
	}
	version, given := siblingField(tokens, i, "apiversion")
	if given && version != "v1" && version != "{}" {
		return // another group's kind
	}
	if group, ok := siblingField(tokens, i, "group"); ok && group != "" {
		return
	}
	if _, ok := siblingField(tokens, i, "addresstype"); ok {
		return
	}
	h := detect.Hit{Offset: tokens[i].Start, Detector: "text/object", Verb: "create", Access: "generic"}
	at := enclosingCall(tokens, i)
	if !given {
		// kind alone is in references, patches' targets and many a program of
		// one's own; without a client around it says little.
		if !c.libs.kube || c.lang.Name == "hcl" {
			return
		}
		h.Confidence = evidence.Possible
	}
	name := strings.ToLower(at.name)
	if v := clients.Dynamic[name]; v != "" {
		h.Verb, h.Detector, h.Confidence = v, "text/dynamic-client", evidence.Likely
	} else if v := clients.ObjectsByKind[name]; v != "" {
		h.Verb = v
	}
	if at.open >= 0 {
		if c.done[tokens[at.open].Start] {
			return
		}
		c.done[tokens[at.open].Start] = true
	}
	c.report(h)
}

// siblingField looks for another field of the same object or call.
func siblingField(tokens []lex.Token, i int, name string) (string, bool) {
	for _, step := range []int{-1, 1} {
		depth := 0
		for n, count := i+step, 0; n >= 0 && n < len(tokens) && count < 80; n, count = n+step, count+1 {
			t := tokens[n]
			switch {
			case t.Is("(") || t.Is("[") || t.Is("{"):
				depth += step
			case t.Is(")") || t.Is("]") || t.Is("}"):
				depth -= step
			}
			if depth < 0 {
				break
			}
			key := t.Text
			if t.Kind == lex.String {
				key = t.Value()
			}
			if depth == 0 && strings.EqualFold(strings.ReplaceAll(key, "_", ""), name) {
				if v, ok := fieldValue(tokens, n); ok {
					return v.Value(), true
				}
			}
		}
	}
	return "", false
}

// roleField judges role = "endpoints" in programs and languages that write
// Prometheus' configuration: jsonnet, Terraform, Alloy, TypeScript.
func (c *code) roleField(tokens []lex.Token, i int) {
	key := tokens[i].Text
	if tokens[i].Kind == lex.String {
		key = tokens[i].Value()
	}
	v, ok := fieldValue(tokens, i)
	if !ok || i+1 < len(tokens) && tokens[i+1].Is(",") {
		return
	}
	switch key {
	case "role":
		if !strings.EqualFold(v.Value(), "endpoints") || !c.scrapes {
			return
		}
		c.report(prometheus.RoleHit(tokens[i].Start))
	case "serviceDiscoveryRole", "service_discovery_role":
		if v.Value() != "Endpoints" {
			return
		}
		c.report(prometheus.OperatorHit(tokens[i].Start, "serviceDiscoveryRole says Endpoints."))
	}
}

// versionAndKind judges a client that takes them as arguments:
// list("v1", "Endpoints"), new GenericClient(config, "", "v1", "endpoints").
func (c *code) versionAndKind(tokens []lex.Token, i int) {
	if tokens[i].Value() != "v1" || i+2 >= len(tokens) || !tokens[i+1].Is(",") || tokens[i+2].Kind != lex.String || i == 0 {
		return
	}
	switch tokens[i+2].Value() {
	case "Endpoints", "endpoints", "Endpoint":
	default:
		return
	}
	if i >= 2 && tokens[i-1].Is(",") && tokens[i-2].Kind == lex.String && tokens[i-2].Value() != "" {
		return // another group
	}
	at := enclosingCall(tokens, i)
	if at.open < 0 || !c.kube && !c.libs.kube || c.done[tokens[at.open].Start] {
		return
	}
	c.done[tokens[at.open].Start] = true
	h := detect.Hit{Offset: tokens[i].Start, Detector: "text/dynamic-client", Verb: "list", Access: "generic"}
	if at.at >= 0 {
		h.Offset = tokens[at.at].Start
	}
	if v := clients.ObjectsByVersion[strings.ToLower(at.name)]; v != "" {
		h.Verb = v
	}
	c.report(h)
}

// pulumi judges k8s.core.v1.Endpoints(…), which creates one.
func (c *code) pulumi(tokens []lex.Token, i int) {
	if i+1 >= len(tokens) || !tokens[i+1].Is("(") || declares(tokens, i) {
		return
	}
	switch tokens[i].Text {
	case "KubeEndpoints":
		if !c.libs.used["cdk8s"] {
			return
		}
	case "Endpoints", "EndpointsPatch":
		before := chainBefore(tokens, i)
		if !c.libs.used["pulumi"] || !c.libs.endpoints[tokens[i].Text] && (len(before) < 2 || before[0] != "v1" || before[1] != "core") {
			return
		}
	default:
		return
	}
	c.report(detect.Hit{Offset: tokens[i].Start, Detector: "text/infrastructure-code", Verb: "create", Access: "generic"})
}
