package manifests

import (
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/lex"
	"github.com/slicewright/slicewright/app/internal/find/textsource/prometheus"
	"github.com/slicewright/slicewright/app/internal/find/textsource/shell"
	"github.com/slicewright/slicewright/app/internal/find/textsource/template"
	"github.com/slicewright/slicewright/app/internal/find/textsource/yamltree"
)

// commandScalar reads a value that is a command line or a script.
func (d *document) commandScalar(n *yaml.Node, c place) {
	if !shell.MentionsCommands([]byte(n.Value)) || !strings.ContainsAny(n.Value, " \t") {
		d.rawPath(n, c, n.Value)
		return
	}
	in := d.scalarSource(n)
	if in == nil {
		return
	}
	in.Subject = c.subject
	if c.key() == "script" && c.under("with") { // GitHub's own script action
		in.Read("", detect.File{Kind: detect.Code, Lang: &lex.JavaScript})
		return
	}
	if k := detect.FileByContent(in.Data); k.Kind == detect.Code {
		in.Read("", k)
		return
	}
	// Template actions of the pipeline are words that only it knows.
	if strings.Contains(n.Value, "{{") {
		in.Data = template.BlankWords(in.Data)
	}
	in.Read("", detect.File{Kind: detect.Script})
}

// argv reads a list of words: ["kubectl", "get", "ep"]. Elements that are
// scripts of their own are read in their place.
func (d *document) argv(nodes []*yaml.Node, c place) {
	var words []shell.Word
	for _, e := range nodes {
		v := yamltree.Scalar(e)
		if v == "" || strings.ContainsAny(v, " \n") {
			if len(words) == 0 {
				return
			}
			v = "{}"
		}
		words = append(words, shell.Word{Values: []string{v}, Offset: d.offset(e)})
	}
	in := d.s.Slice(0, len(d.s.Data))
	if in == nil {
		return
	}
	in.Subject = c.subject
	shell.JudgeWords(in, words, nil)
}

// container judges a container as a whole: command and args are one command
// line, and a few images tell what their arguments mean.
func (d *document) container(n *yaml.Node, c place) {
	image, ok := yamltree.Field(n, "image")
	if !ok || image.Value.Kind != yaml.ScalarNode {
		return
	}
	var words []*yaml.Node
	command := yamltree.Child(n, "command")
	args := yamltree.Child(n, "args")
	for _, list := range []*yaml.Node{command, args} {
		if list != nil && list.Kind == yaml.SequenceNode {
			words = append(words, list.Content...)
		}
	}
	base := path.Base(image.Value.Value)
	base, _, _ = strings.Cut(base, ":")
	base, _, _ = strings.Cut(base, "@")
	switch {
	case base == "kubectl" && command == nil && args != nil && len(args.Content) > 0:
		program := &yaml.Node{Kind: yaml.ScalarNode, Value: "kubectl", Line: args.Content[0].Line, Column: args.Content[0].Column}
		d.argv(append([]*yaml.Node{program}, args.Content...), c)
	case command != nil && args != nil && command.Kind == yaml.SequenceNode && len(command.Content) > 0:
		d.argv(words, c)
	case base == "kube-state-metrics":
		d.stateMetrics(image.Key, words, c)
	case base == "prometheus-operator":
		d.kubeletFlags(words, c)
	}
	if base == "kube-state-metrics" && command != nil {
		d.stateMetrics(image.Key, words, c)
	}
}

// stateMetrics judges kube-state-metrics' own flags.
func (d *document) stateMetrics(image *yaml.Node, words []*yaml.Node, c place) {
	listed := false
	for i, w := range words {
		name, value, ok := strings.Cut(yamltree.Scalar(w), "=")
		if name != "--resources" && name != "--collectors" {
			continue
		}
		listed = true
		if !ok && i+1 < len(words) {
			value = yamltree.Scalar(words[i+1])
		}
		for r := range strings.SplitSeq(value, ",") {
			if strings.TrimSpace(r) == "endpoints" {
				d.report(w, c, prometheus.StateMetricsHit(evidence.Likely, ""))
			}
		}
	}
	if !listed {
		d.report(image, c, prometheus.StateMetricsHit(evidence.Possible, "Without --resources it takes its release's default list: older releases watch Endpoints, newer ones EndpointSlices."))
	}
}

// kubeletFlags judges prometheus-operator's flags about the kubelets.
func (d *document) kubeletFlags(words []*yaml.Node, c place) {
	var service *yaml.Node
	for _, w := range words {
		name, value, _ := strings.Cut(strings.TrimLeft(yamltree.Scalar(w), "-"), "=")
		switch name {
		case "kubelet-service", "kubelet-object":
			service = w
		case "kubelet-endpoints":
			if value == "false" {
				return
			}
		}
	}
	if service != nil {
		d.report(service, c, prometheus.KubeletHit())
	}
}
