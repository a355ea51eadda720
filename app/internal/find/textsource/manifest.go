package textsource

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/textsource/kubectl"
)

// adviceManifest is the EndpointSlice way of a manifest.
const adviceManifest = "Apply EndpointSlices instead; slicewright convert turns the manifest into them."

// references are keys under which apiVersion and kind name an object without
// being one.
var references = map[string]bool{
	"ownerReferences": true, "targetRef": true, "involvedObject": true, "objectRef": true, "regarding": true, "related": true, "scaleTargetRef": true,
	"ignoreDifferences": true, "resourceInclusions": true, "resourceExclusions": true, "resource.exclusions": true, "resource.inclusions": true,
	"exclude": true, "group": true, "names": true, "target": true, "select": true, "reject": true,
}

// manifest finds an Endpoints object: somebody who applies it is a producer.
func (d *document) manifest(n *yaml.Node, c *place) {
	kind, ok := field(n, "kind")
	if !ok || !says(kind.value, "Endpoints") && !says(kind.value, "EndpointsList") {
		return
	}
	for _, k := range c.keys {
		if references[k] {
			return
		}
	}
	version, given := field(n, "apiVersion")
	h := hit{detector: "text/manifest", class: evidence.Producer, verb: "create", advice: adviceManifest}
	meta := child(n, "metadata")
	switch {
	case given && !says(version.value, "v1") && !unknown(version.value):
		return // another group's kind
	case given && meta == nil && child(n, "items") == nil && child(n, "subsets") == nil:
		h.confidence, h.class, h.verb = evidence.Possible, evidence.Reader, "get"
		h.note = "Names Endpoints objects without being one; what reads this file decides what it does with them."
		h.advice = advice("get")
	case !given && child(n, "subsets") == nil && meta == nil:
		return
	case !given || unknown(version.value) || scalar(kind.value) != "Endpoints" && scalar(kind.value) != "EndpointsList":
		h.confidence = evidence.Possible
	}
	if says(child(meta, "labels", "endpoints.kubernetes.io/managed-by"), "endpoint-controller") {
		h.class = evidence.Expected
		h.note = "Written by the control plane's own controller; this is a copy of it."
	}
	if child(meta, "annotations", "control-plane.alpha.kubernetes.io/leader") != nil {
		h.class, h.verb, h.detector, h.advice = evidence.Lock, "update", "text/leader-lock", adviceLock
	}
	if ns := scalar(child(meta, "namespace")); ns != "" && !strings.Contains(ns, string(filler)) {
		h.namespace = namespaceOf(ns)
	}
	d.report(kind.key, *c, h)
}

// ansibleModules are the modules that read or write objects by kind, and what
// they do without a state.
var ansibleModules = map[string]string{"k8s_info": "get", "k8s_facts": "get", "k8s": "create", "k8s_json_patch": "patch", "k8s_scale": "patch"}

// freeFormKind is kind=Endpoints in a task that is written on one line.
var freeFormKind = regexp.MustCompile(`(?:^|\s)kind=["']?Endpoints["']?(?:\s|$)`)

// ansible finds k8s_info and k8s tasks that name the kind in their arguments;
// a definition in them is a manifest like any other.
func (d *document) ansible(n *yaml.Node, c place) {
	for _, p := range pairs(n) {
		module := p.key.Value[strings.LastIndexByte(p.key.Value, '.')+1:]
		verb := ansibleModules[module]
		if verb == "" {
			continue
		}
		if p.value.Kind == yaml.ScalarNode && freeFormKind.MatchString(p.value.Value) {
			d.report(p.key, c, hit{detector: "text/ansible", verb: verb, access: verb, advice: advice(verb)})
		}
		if p.value.Kind != yaml.MappingNode {
			continue
		}
		kind, ok := field(p.value, "kind")
		if !ok || !strings.EqualFold(scalar(kind.value), "Endpoints") {
			continue
		}
		if v, ok := field(p.value, "api_version"); ok && scalar(v.value) != "v1" {
			continue
		}
		if _, ok := field(p.value, "apiVersion"); ok {
			continue // the manifest rule has it
		}
		if verb == "create" && scalar(child(p.value, "state")) == "absent" {
			verb = "delete"
		}
		if verb == "get" && child(p.value, "name") == nil {
			verb = "list"
		}
		ns := scalar(child(p.value, "namespace"))
		if strings.Contains(ns, "{") {
			ns = ""
		}
		d.report(kind.key, c, hit{detector: "text/ansible", verb: verb, access: verb, namespace: ns, advice: advice(verb)})
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
	in.subject = c.subject
	in.report(hit{offset: at[0], detector: "text/ansible", class: evidence.Reader, confidence: evidence.Likely, verb: "get", access: "get", advice: advice("get")})
	return true
}

// rawPath finds a URL of the API in a value. A path without a namespace and a
// host is any program's own.
func (d *document) rawPath(n *yaml.Node, c place, v string) {
	if c.under("paths", "nonResourceURLs", "description", "summary", "message", "annotations") || strings.Contains(v, "\n") || len(v) > 2048 {
		return
	}
	p, ok := kubectl.ParsePath(v)
	if !ok || strings.ContainsAny(strings.ReplaceAll(strings.ReplaceAll(v[:p.Start], "{{ ", ""), " }}", ""), " \t") {
		return
	}
	if p.Cluster && !strings.Contains(v[:p.Start], "kubernetes") && !strings.Contains(v[:p.Start], ":6443") && !strings.Contains(strings.ToUpper(v[:p.Start]), "KUBE") && !strings.Contains(v[:p.Start], "k8s") {
		return
	}
	d.report(n, c, hit{detector: "text/raw-path", verb: p.Verb, access: "raw-http", namespace: namespaceOf(strings.ReplaceAll(p.Namespace, string(filler), "{}")), advice: advice(p.Verb)})
}
