package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slicewright/slicewright/app/internal/yamlnode"
)

// kubeadmControllers is what kubeadm gives kube-controller-manager where its
// configuration says nothing else
// (cmd/kubeadm/app/phases/controlplane/manifests.go).
const kubeadmControllers = "*,bootstrapsigner,tokencleaner"

// Kubeadm is kubeadm's ClusterConfiguration: from it, kubeadm upgrade writes the
// static Pods again.
type Kubeadm struct {
	// Name is the file's, for messages.
	Name string
	// APIVersion is such as "kubeadm.k8s.io/v1beta4".
	APIVersion string
	// Minor is the Kubernetes minor version that it names, 0 if it names none.
	Minor int
	// Controllers is the value that it comes to, kubeadm's own where extraArgs have
	// none.
	Controllers string
	// Given: extraArgs have one.
	Given bool

	text string
	root *yaml.Node
}

// ParseKubeadm reads a ClusterConfiguration: a file for kubeadm init, in which
// other documents may stand beside it, or what the ConfigMap kubeadm-config in
// kube-system holds, or that ConfigMap.
func ParseKubeadm(name string, text []byte) (*Kubeadm, error) {
	k, err := parseKubeadm(name, text, true)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return k, nil
}

func parseKubeadm(name string, text []byte, maybeMap bool) (*Kubeadm, error) {
	documents, err := parseDocuments(text)
	if err != nil {
		return nil, err
	}
	var found *yaml.Node
	for _, d := range documents {
		switch yamlnode.Text(d, "kind") {
		case "ConfigMap":
			inner := yamlnode.Text(d, "data", "ClusterConfiguration")
			if inner == "" || len(documents) > 1 || !maybeMap {
				return nil, errors.New("is a ConfigMap without data.ClusterConfiguration, or has others beside it: give kube-system's kubeadm-config alone")
			}
			return parseKubeadm(name, []byte(inner), false)
		case "ClusterConfiguration":
			if found != nil {
				return nil, errors.New("has two documents of kind ClusterConfiguration")
			}
			found = d
		}
	}
	if found == nil {
		return nil, errors.New("has no document of kind ClusterConfiguration: kubectl -n kube-system get configmap kubeadm-config -o yaml has one on a kubeadm cluster")
	}
	k := &Kubeadm{Name: name, APIVersion: yamlnode.Text(found, "apiVersion"), text: string(text), root: found}
	k.Minor = MinorVersion(yamlnode.Text(found, "kubernetesVersion"))
	if _, ok := k.form(); !ok {
		return nil, fmt.Errorf("apiVersion %s is not known: it must be kubeadm.k8s.io/v1beta1 to v1beta4, or v1", quoted(k.APIVersion))
	}
	k.Controllers, k.Given, err = k.controllers()
	if err != nil {
		return nil, err
	}
	_, err = switchOff(k.Controllers, k.Minor)
	return k, err
}

// form is how the version writes extraArgs: a map, or since v1beta4 a list.
func (k *Kubeadm) form() (list, ok bool) {
	switch strings.TrimPrefix(k.APIVersion, "kubeadm.k8s.io/") {
	case "v1beta1", "v1beta2", "v1beta3":
		return false, true
	case "v1beta4", "v1":
		return true, true
	}
	return false, false
}

// controllers is the value that the configuration comes to.
func (k *Kubeadm) controllers() (value string, given bool, err error) {
	args := yamlnode.Value(k.root, "controllerManager", "extraArgs")
	if args == nil || args.Tag == "!!null" {
		return kubeadmControllers, false, nil
	}
	list, _ := k.form()
	switch {
	case !list && args.Kind == yaml.MappingNode:
		n := yamlnode.Value(args, "controllers")
		if n == nil {
			return kubeadmControllers, false, nil
		}
		return yamlnode.Text(n), true, nil
	case list && args.Kind == yaml.SequenceNode:
		value = kubeadmControllers
		for _, item := range args.Content {
			if yamlnode.Text(item, "name") != "controllers" {
				continue
			}
			if given {
				return "", true, errors.New("has the extraArg controllers twice: write it once")
			}
			given = true
			switch own := yamlnode.Text(item, "value"); yamlnode.Text(item, "mergeMethod") {
			case "append":
				value += own
			case "prepend":
				value = own + value
			default:
				value = own
			}
		}
		return value, given, nil
	}
	form := "a map of name: value"
	if list {
		form = "a list of name and value"
	}
	return "", false, fmt.Errorf("controllerManager.extraArgs (line %d) must be %s in %s", args.Line, form, k.APIVersion)
}

// SwitchOff is the change of the configuration that keeps the Endpoints
// controller off when kubeadm writes the static Pods again.
func (k *Kubeadm) SwitchOff() (Edit, error) {
	to, err := switchOff(k.Controllers, k.Minor)
	if err != nil {
		return Edit{}, fmt.Errorf("%s: %w", k.Name, err)
	}
	e := Edit{File: k.Name, To: to, After: k.text}
	if k.Given {
		e.From = k.Controllers
	}
	if to == k.Controllers && k.Given {
		return e, nil
	}
	list, _ := k.form()
	e.After, e.Fragment = "", kubeadmFragment(list, to)
	if after, ok := k.rewritten(list, to); ok {
		e.After, e.Fragment, e.Diff = after, "", unified(path.Base(k.Name), k.text, after)
	}
	return e, nil
}

// rewritten is the document with another value, if writing it changes nothing
// else: a file that is laid out in a way of its own gets a fragment instead.
func (k *Kubeadm) rewritten(list bool, to string) (string, bool) {
	for _, compact := range []bool{true, false} {
		for _, indent := range []int{2, 4} {
			same, err := encode(k.root, indent, compact)
			if err != nil || same != k.text {
				continue
			}
			changed := clone(k.root)
			if !setExtraArg(changed, list, to) {
				return "", false
			}
			after, err := encode(changed, indent, compact)
			if err != nil {
				return "", false
			}
			again, err := ParseKubeadm(k.Name, []byte(after))
			return after, err == nil && again.Given && again.Controllers == to
		}
	}
	return "", false
}

func encode(n *yaml.Node, indent int, compact bool) (string, error) {
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(indent)
	if compact {
		e.CompactSeqIndent()
	}
	if err := e.Encode(n); err != nil {
		return "", err
	}
	err := e.Close()
	return out.String(), err
}

// clone copies a tree. The target of an alias is shared, because nothing under
// an alias is changed.
func clone(n *yaml.Node) *yaml.Node {
	out := *n
	out.Content = make([]*yaml.Node, len(n.Content))
	for i, c := range n.Content {
		out.Content[i] = clone(c)
	}
	return &out
}

// setExtraArg sets controllerManager.extraArgs' controllers, in place of one
// that is there.
func setExtraArg(root *yaml.Node, list bool, to string) bool {
	args := child(child(root, "controllerManager", yaml.MappingNode), "extraArgs", map[bool]yaml.Kind{false: yaml.MappingNode, true: yaml.SequenceNode}[list])
	if args == nil {
		return false
	}
	if !list {
		value := child(args, "controllers", yaml.ScalarNode)
		if value == nil {
			return false
		}
		value.Value, value.Tag = to, "!!str"
		return true
	}
	entry := mapping("name", "controllers", "value", to)
	for i, item := range args.Content {
		if yamlnode.Text(item, "name") == "controllers" {
			args.Content[i] = entry
			return true
		}
	}
	args.Content = append(args.Content, entry)
	return true
}

// child is the value of a key, made where it is missing or empty; nil where it
// is of another kind.
func child(n *yaml.Node, name string, kind yaml.Kind) *yaml.Node {
	if n == nil {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != name {
			continue
		}
		value := n.Content[i+1]
		if value.Tag == "!!null" || value.Kind == kind && kind != yaml.ScalarNode && len(value.Content) == 0 {
			*value = yaml.Node{Kind: kind} // {} is of flow style, and what is filled in is not
		}
		if value.Kind != kind {
			return nil
		}
		return value
	}
	value := &yaml.Node{Kind: kind}
	n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}, value)
	return value
}

// mapping is a mapping of keys and values.
func mapping(pairs ...string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, p := range pairs {
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: p})
	}
	return n
}

// kubeadmFragment is what a ClusterConfiguration has to hold, in one of the two
// forms of extraArgs.
func kubeadmFragment(list bool, to string) string {
	if list {
		return fmt.Sprintf("controllerManager:\n  extraArgs:\n  - name: controllers\n    value: %q\n", to)
	}
	return fmt.Sprintf("controllerManager:\n  extraArgs:\n    controllers: %q\n", to)
}

// quoted shows untrusted text in a message: short, and without characters that
// move a terminal's cursor.
func quoted(word string) string { return fmt.Sprintf("%.60q", word) }
