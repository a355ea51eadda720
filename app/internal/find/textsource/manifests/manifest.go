package manifests

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/kubectl"
	"github.com/slicewright/slicewright/app/internal/find/textsource/template"
	"github.com/slicewright/slicewright/app/internal/find/textsource/yamltree"
)

// adviceManifest is the EndpointSlice way of a manifest.
const adviceManifest = "Apply EndpointSlices instead; slicewright convert turns the manifest into them."

// manifest finds an Endpoints object: somebody who applies it is a producer.
func (d *document) manifest(n *yaml.Node, c *place) {
	kind, ok := yamltree.Field(n, "kind")
	if !ok || !yamltree.Says(kind.Value, "Endpoints") && !yamltree.Says(kind.Value, "EndpointsList") {
		return
	}
	if slices.ContainsFunc(c.keys, func(key string) bool { return keys.References[key] }) {
		return
	}
	h := detect.Hit{Detector: "text/manifest", Class: evidence.Producer, Verb: "create", Advice: adviceManifest}
	if !identify(n, yamltree.Scalar(kind.Value), &h) {
		return
	}
	meta := yamltree.Child(n, "metadata")
	if yamltree.Says(yamltree.Child(meta, "labels", "endpoints.kubernetes.io/managed-by"), "endpoint-controller") {
		h.Class = evidence.Expected
		h.Note = "Written by the control plane's own controller; this is a copy of it."
	}
	if yamltree.Child(meta, "annotations", "control-plane.alpha.kubernetes.io/leader") != nil {
		h.Class, h.Verb, h.Detector, h.Advice = evidence.Lock, "update", "text/leader-lock", detect.AdviceLock
	}
	if ns := yamltree.Scalar(yamltree.Child(meta, "namespace")); ns != "" && !strings.Contains(ns, string(template.Filler)) {
		h.Namespace = detect.KnownNamespace(ns)
	}
	d.report(kind.Key, *c, h)
}

// identify reports whether a mapping with the kind is an object of the core
// group, or names such objects, and says in h how sure that is.
func identify(n *yaml.Node, kind string, h *detect.Hit) bool {
	version, given := yamltree.Field(n, "apiVersion")
	has := func(key string) bool { return yamltree.Child(n, key) != nil }
	switch {
	case given && !yamltree.Says(version.Value, "v1") && !unknown(version.Value):
		return false // another group's kind
	case given && !has("metadata") && !has("items") && !has("subsets"):
		h.Confidence, h.Class, h.Verb = evidence.Possible, evidence.Reader, "get"
		h.Note = "Names Endpoints objects without being one; what reads this file decides what it does with them."
		h.Advice = detect.Advice("get")
	case !given && !has("subsets") && !has("metadata"):
		return false
	case !given || unknown(version.Value) || kind != "Endpoints" && kind != "EndpointsList":
		h.Confidence = evidence.Possible
	}
	return true
}

// freeFormKind is kind=Endpoints in a task that is written on one line.
var freeFormKind = regexp.MustCompile(`(?:^|\s)kind=["']?Endpoints["']?(?:\s|$)`)

// ansible finds k8s_info and k8s tasks that name the kind in their arguments;
// a definition in them is a manifest like any other.
func (d *document) ansible(n *yaml.Node, c place) {
	for _, p := range yamltree.Pairs(n) {
		module := p.Key.Value[strings.LastIndexByte(p.Key.Value, '.')+1:]
		verb := keys.Ansible[module]
		if verb == "" {
			continue
		}
		if p.Value.Kind == yaml.ScalarNode && freeFormKind.MatchString(p.Value.Value) {
			d.report(p.Key, c, detect.Hit{Detector: "text/ansible", Verb: verb, Access: verb, Advice: detect.Advice(verb)})
		}
		if p.Value.Kind != yaml.MappingNode {
			continue
		}
		kind, ok := yamltree.Field(p.Value, "kind")
		if !ok || !strings.EqualFold(yamltree.Scalar(kind.Value), "Endpoints") {
			continue
		}
		if v, ok := yamltree.Field(p.Value, "api_version"); ok && yamltree.Scalar(v.Value) != "v1" {
			continue
		}
		if _, ok := yamltree.Field(p.Value, "apiVersion"); ok {
			continue // the manifest rule has it
		}
		if verb == "create" && yamltree.Scalar(yamltree.Child(p.Value, "state")) == "absent" {
			verb = "delete"
		}
		if verb == "get" && yamltree.Child(p.Value, "name") == nil {
			verb = "list"
		}
		ns := yamltree.Scalar(yamltree.Child(p.Value, "namespace"))
		if strings.Contains(ns, "{") {
			ns = ""
		}
		d.report(kind.Key, c, detect.Hit{Detector: "text/ansible", Verb: verb, Access: verb, Namespace: ns, Advice: detect.Advice(verb)})
	}
}

var ansibleLookupCall = regexp.MustCompile(`\b(?:lookup|query|q)\(\s*['"](?:kubernetes\.core\.|community\.kubernetes\.|community\.okd\.)?k8s['"][^)]*\bkind\s*=\s*['"]Endpoints['"]`)

// ansibleLookup finds lookup('kubernetes.core.k8s', kind='Endpoints').
func (d *document) ansibleLookup(n *yaml.Node, c place, v string) bool {
	at := ansibleLookupCall.FindStringIndex(v)
	if at == nil {
		return false
	}
	in := d.scalarSource(n)
	if in == nil {
		return true
	}
	in.Subject = c.subject
	in.Report(detect.Hit{Offset: at[0], Detector: "text/ansible", Class: evidence.Reader, Confidence: evidence.Likely, Verb: "get", Access: "get", Advice: detect.Advice("get")})
	return true
}

// rawPath finds a URL of the API in a value. A path without a namespace and a
// host is any program's own.
func (d *document) rawPath(n *yaml.Node, c place, v string) {
	if slices.ContainsFunc(c.keys, func(key string) bool { return keys.Prose[key] }) || strings.Contains(v, "\n") || len(v) > 2048 {
		return
	}
	p, ok := kubectl.ParsePath(v)
	if !ok || strings.ContainsAny(strings.ReplaceAll(strings.ReplaceAll(v[:p.Start], "{{ ", ""), " }}", ""), " \t") {
		return
	}
	if p.Cluster && !strings.Contains(v[:p.Start], "kubernetes") && !strings.Contains(v[:p.Start], ":6443") && !strings.Contains(strings.ToUpper(v[:p.Start]), "KUBE") && !strings.Contains(v[:p.Start], "k8s") {
		return
	}
	d.report(n, c, detect.Hit{Detector: "text/raw-path", Verb: p.Verb, Access: "raw-http", Namespace: detect.KnownNamespace(strings.ReplaceAll(p.Namespace, string(template.Filler), "{}")), Advice: detect.Advice(p.Verb)})
}
