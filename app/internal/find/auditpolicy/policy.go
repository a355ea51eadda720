// Package auditpolicy says what an API server's audit policy lets one see of
// Endpoints and EndpointSlices, and adds the one rule that shows them.
package auditpolicy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slicewright/slicewright/app/internal/document"
)

// Policy is an audit.k8s.io/v1 Policy, as far as it decides about requests for
// resources.
type Policy struct {
	Rules      []Rule
	OmitStages []string

	text []byte     // as read
	node *yaml.Node // the value of rules
}

// Rule is one rule of a policy. An empty list matches everything.
type Rule struct {
	Level           string
	Users           []string
	UserGroups      []string
	Verbs           []string
	Resources       []GroupResources
	Namespaces      []string
	NonResourceURLs []string
	OmitStages      []string
	Line            int // in the file, from 1
}

// GroupResources names resources of one API group.
type GroupResources struct {
	Group         string
	Resources     []string
	ResourceNames []string
}

// maxPolicy bounds a policy file, in bytes.
const maxPolicy = 4 << 20

// Parse reads a policy in YAML or JSON. What is no policy is an error that says
// what it is instead.
func Parse(text []byte) (*Policy, error) {
	if len(text) > maxPolicy {
		return nil, fmt.Errorf("it is larger than %d bytes: no audit policy is", maxPolicy)
	}
	doc, err := document.Node(text)
	if err != nil {
		return nil, fmt.Errorf("it is no YAML: %w", err)
	}
	if doc == nil || doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("it is no audit policy: an object with kind: Policy is expected")
	}
	var head struct {
		APIVersion string   `yaml:"apiVersion"`
		Kind       string   `yaml:"kind"`
		OmitStages []string `yaml:"omitStages"`
	}
	root := doc.Content[0]
	if err := root.Decode(&head); err != nil {
		return nil, fmt.Errorf("reading the policy: %w", err)
	}
	if head.Kind != "Policy" || !strings.HasPrefix(head.APIVersion, "audit.k8s.io/") {
		return nil, fmt.Errorf("it is no audit policy but apiVersion %q, kind %q", head.APIVersion, head.Kind)
	}
	p := &Policy{OmitStages: head.OmitStages, text: text}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == "rules" {
			p.node = root.Content[i+1]
		}
	}
	if p.node == nil || (p.node.Kind != yaml.SequenceNode && p.node.Tag != "!!null") {
		return nil, errors.New("it has no list of rules")
	}
	for i, n := range p.node.Content {
		rule, err := parseRule(n)
		if err != nil {
			return nil, fmt.Errorf("rule %d in line %d: %w", i+1, n.Line, err)
		}
		p.Rules = append(p.Rules, rule)
	}
	return p, nil
}

func parseRule(n *yaml.Node) (Rule, error) {
	var r struct {
		Level      string   `yaml:"level"`
		Users      []string `yaml:"users"`
		UserGroups []string `yaml:"userGroups"`
		Verbs      []string `yaml:"verbs"`
		Resources  []struct {
			Group         string   `yaml:"group"`
			Resources     []string `yaml:"resources"`
			ResourceNames []string `yaml:"resourceNames"`
		} `yaml:"resources"`
		Namespaces      []string `yaml:"namespaces"`
		NonResourceURLs []string `yaml:"nonResourceURLs"`
		OmitStages      []string `yaml:"omitStages"`
	}
	if err := n.Decode(&r); err != nil {
		return Rule{}, err
	}
	if !slices.Contains([]string{"None", "Metadata", "Request", "RequestResponse"}, r.Level) {
		return Rule{}, fmt.Errorf("its level is %q: use None, Metadata, Request or RequestResponse", r.Level)
	}
	out := Rule{
		Level: r.Level, Users: r.Users, UserGroups: r.UserGroups, Verbs: r.Verbs,
		Namespaces: r.Namespaces, NonResourceURLs: r.NonResourceURLs, OmitStages: r.OmitStages, Line: n.Line,
	}
	for _, g := range r.Resources {
		out.Resources = append(out.Resources, GroupResources(g))
	}
	return out, nil
}
