package manifests

import (
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/prometheus"
	"github.com/slicewright/slicewright/app/internal/find/textsource/template"
	"github.com/slicewright/slicewright/app/internal/find/textsource/yamltree"
)

// place is what is known on the way down to a node.
type place struct {
	// keys are the mapping keys above, outermost first.
	keys []string
	// kind and version are those of the innermost object around.
	kind, version string
	subject       evidence.Subject
	// inDiscovery: inside a list of Kubernetes service discoveries.
	inDiscovery bool
}

// key is the innermost key.
func (c place) key() string {
	if len(c.keys) == 0 {
		return ""
	}
	return c.keys[len(c.keys)-1]
}

// under reports whether a key is anywhere above.
func (c place) under(keys ...string) bool {
	for _, have := range c.keys {
		for _, k := range keys {
			if have == k {
				return true
			}
		}
	}
	return false
}

// maxTree bounds the way down; the parser's own limit is higher.
const maxTree = 200

// visit goes through a tree. Aliases are not followed: what they name is
// visited in its own place.
func (d *document) visit(n *yaml.Node, c place) {
	if n == nil || len(c.keys) > maxTree {
		return
	}
	switch n.Kind {
	case yaml.DocumentNode:
		for _, child := range n.Content {
			d.visit(child, c)
		}
	case yaml.SequenceNode:
		for _, child := range n.Content {
			d.visit(child, c)
		}
		d.list(n, c)
	case yaml.MappingNode:
		c = d.enter(n, c)
		d.mapping(n, &c)
		for _, p := range yamltree.Pairs(n) {
			below := c
			below.keys = append(c.keys[:len(c.keys):len(c.keys)], p.Key.Value)
			below.inDiscovery = c.inDiscovery || prometheus.IsDiscovery(p.Key.Value)
			d.visit(p.Value, below)
		}
	case yaml.ScalarNode:
		d.scalar(n, c)
	}
}

// enter notes an object's identity when the mapping is one.
func (d *document) enter(n *yaml.Node, c place) place {
	kind, version := yamltree.Scalar(yamltree.Child(n, "kind")), yamltree.Scalar(yamltree.Child(n, "apiVersion"))
	if kind == "" || version == "" {
		return c
	}
	c.kind, c.version = kind, version
	name, ns := known(yamltree.Child(n, "metadata", "name")), known(yamltree.Child(n, "metadata", "namespace"))
	subject := evidence.Subject{Application: known(yamltree.Child(n, "metadata", "labels", "app.kubernetes.io/name"))}
	if runs := strings.HasPrefix(version, "monitoring.coreos.com/") || podSpec(n, kind) != nil; subject.Application == "" && runs {
		subject.Application = name // an object that runs something is its own name; a ConfigMap is not
	}
	if spec := podSpec(n, kind); spec != nil {
		subject.Workload = evidence.Workload{Kind: kind, Namespace: ns, Name: name}
		if sa := known(yamltree.Child(spec, "serviceAccountName")); sa != "" && ns != "" {
			subject.ServiceAccount = ns + "/" + sa
		}
	}
	if c.subject.Workload.Name == "" {
		c.subject = subject
	}
	return c
}

// known is a scalar whose value is all there: no template, no variable.
func known(n *yaml.Node) string {
	v := yamltree.Scalar(n)
	if strings.ContainsAny(v, "{}$%") || strings.Contains(v, string(template.Filler)) {
		return ""
	}
	return v
}

// podSpec is the Pod's specification in a workload; nil for other objects.
func podSpec(n *yaml.Node, kind string) *yaml.Node {
	switch kind {
	case "Pod":
		return yamltree.Child(n, "spec")
	case "CronJob":
		return yamltree.Child(n, "spec", "jobTemplate", "spec", "template", "spec")
	}
	if keys.Templates[kind] {
		return yamltree.Child(n, "spec", "template", "spec")
	}
	return nil
}

// mapping applies the rules that look at a mapping as a whole.
func (d *document) mapping(n *yaml.Node, c *place) {
	if strings.HasSuffix(c.kind, "Role") && strings.HasPrefix(c.version, "rbac.") {
		return // package rbac judges grants
	}
	for _, v := range yamltree.Variants(n) {
		d.manifest(v, c)
		d.operator(v, *c)
	}
	d.ansible(n, *c)
	d.scrapeRole(n, *c)
	d.chart(n, *c)
	d.container(n, *c)
	d.settings(n, *c)
}

// report adds a hit at a node, with who the manifest around it is.
func (d *document) report(n *yaml.Node, c place, h detect.Hit) {
	h.Offset = d.offset(n)
	h.Subject = c.subject
	if h.Class == "" {
		h.Class = detect.ClassOf(h.Verb)
	}
	if h.Confidence == "" {
		h.Confidence = evidence.Likely
	}
	if h.Access == "" {
		h.Access = "config"
	}
	if d.rendered != "" {
		h.Note = strings.TrimSpace(h.Note + " Rendered from " + d.rendered + ".")
	}
	d.s.Report(h)
}

// list applies the rules that look at a list as a whole.
func (d *document) list(n *yaml.Node, c place) {
	switch c.key() {
	case "collectors":
		d.collectors(n, c)
	}
	if !isCommandKey(c.key()) {
		return
	}
	d.argv(n.Content, c)
}

// scalar judges one value.
func (d *document) scalar(n *yaml.Node, c place) {
	v := n.Value
	if len(v) < 4 || c.kind == "CustomResourceDefinition" {
		return
	}
	if strings.Contains(v, "__meta_kubernetes_endpoint") && !strings.Contains(v, "\n") {
		d.relabel(n, c, v)
		return
	}
	if strings.Contains(v, "kube_endpoint_") {
		d.series(n, c, v)
	}
	if strings.Contains(v, "leader-elect-resource-lock=endpoints") {
		d.report(n, c, detect.Hit{Detector: "text/leader-lock", Class: evidence.Lock, Verb: "update", Advice: detect.AdviceLock})
	}
	if !strings.Contains(v, "ndpoint") && !strings.Contains(v, "ep") {
		return
	}
	if strings.Contains(v, "\n") && d.embedded(n, c) {
		return
	}
	if d.ansibleLookup(n, c, v) {
		return
	}
	if isCommandKey(c.key()) || len(c.keys) == 2 && c.keys[0] == "scripts" { // package.json names its scripts
		d.commandScalar(n, c)
		return
	}
	d.rawPath(n, c, v)
}

// embedded reads a text in a scalar as what it is: by the name that its key
// gives it, by its first line, or because it looks like YAML.
func (d *document) embedded(n *yaml.Node, c place) bool {
	var k detect.File
	name := c.key()
	if path.Ext(name) != "" {
		k, _ = detect.FileOf(name)
	}
	if k.Kind == detect.Other {
		k = detect.FileByContent([]byte(n.Value))
	}
	if k.Kind == detect.Other && detect.LooksLikeYAML(n.Value) {
		k.Kind = detect.YAML
	}
	if k.Kind == detect.Other || k.Kind == detect.Prose {
		return k.Kind == detect.Prose
	}
	in := d.scalarSource(n)
	if in == nil {
		return true
	}
	in.Subject = c.subject
	if k.Kind == detect.YAML || k.Kind == detect.Template {
		readYAMLText(in, name, yamlOptions{quiet: true, blank: strings.Contains(n.Value, "{{")})
	} else {
		in.Read(name, k)
	}
	return true
}
