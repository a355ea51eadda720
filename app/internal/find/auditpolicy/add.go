package auditpolicy

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// blockRule is the rule as people write it; flowRule is the same for JSON and
// for lists in brackets.
const flowRule = `{"level": "Metadata", "omitStages": ["RequestReceived"], "resources": [{"group": "", "resources": ["endpoints"]}, {"group": "discovery.k8s.io", "resources": ["endpointslices"]}]}`

var blockRule = []string{
	`# Who reads and writes Endpoints and EndpointSlices.`,
	`- level: Metadata`,
	`  omitStages: ["RequestReceived"]`,
	`  resources:`,
	`  - group: ""`,
	`    resources: ["endpoints"]`,
	`  - group: "discovery.k8s.io"`,
	`    resources: ["endpointslices"]`,
}

// added is the rule as it is read back.
var added = Rule{
	Level: "Metadata", OmitStages: []string{"RequestReceived"},
	Resources: []GroupResources{{Group: "", Resources: []string{"endpoints"}}, {Group: "discovery.k8s.io", Resources: []string{"endpointslices"}}},
}

// Add returns the policy's text with the one rule that shows Endpoints and
// EndpointSlices at the top of its rules. Every other byte stays as it is,
// comments and line ends included. changed is false if no consumer is hidden
// as it is; then the text is returned unchanged.
//
// The warnings say what the new rule cannot mend or takes away.
func (p *Policy) Add() (text []byte, changed bool, warnings []string, err error) {
	if slices.Contains(p.OmitStages, "ResponseStarted") {
		warnings = append(warnings, "the policy's own omitStages has ResponseStarted: open watches stay hidden until it is taken out there")
	}
	if slices.Contains(p.OmitStages, "ResponseComplete") {
		warnings = append(warnings, "the policy's own omitStages has ResponseComplete: what came of requests stays hidden until it is taken out there")
	}
	if p.Check().Sees {
		return p.text, false, nil, nil
	}
	if len(p.Rules) > 0 && same(p.Rules[0], added) {
		return p.text, false, warnings, nil
	}
	warnings = append(warnings, p.lowered()...)
	if text, err = p.insert(); err != nil {
		return nil, false, nil, err
	}
	// The text was edited by lines: what it now says must be what was meant.
	after, err := Parse(text)
	if err != nil {
		return nil, false, nil, fmt.Errorf("the rule cannot be added to a file written like this (%w): add it by hand at the top of rules", err)
	}
	if len(after.Rules) != len(p.Rules)+1 || !same(after.Rules[0], added) || !slices.EqualFunc(after.Rules[1:], p.Rules, same) {
		return nil, false, nil, errors.New("the rule cannot be added to a file written like this: add it by hand at the top of rules")
	}
	return text, true, warnings, nil
}

// same compares rules, and not where they are.
func same(a, b Rule) bool {
	a.Line, b.Line = 0, 0
	return reflect.DeepEqual(a, b)
}

// lowered names rules that logged more of these resources than Metadata.
func (p *Policy) lowered() []string {
	var out []string
	for i, rule := range p.Rules {
		if rule.Level != "Request" && rule.Level != "RequestResponse" {
			continue
		}
		for _, res := range resources {
			if len(rule.Resources) == 0 || slices.ContainsFunc(rule.Resources, func(g GroupResources) bool {
				return g.match(Request{Group: res.group, Resource: res.name})
			}) {
				out = append(out, fmt.Sprintf("rule %d (line %d) logs %s at level %s where it matches; the new rule logs them at Metadata", i+1, rule.Line, res.name, rule.Level))
			}
		}
	}
	return out
}

// insert puts the rule in front of the first one.
func (p *Policy) insert() ([]byte, error) {
	if p.node.Style&yaml.FlowStyle != 0 {
		return p.insertFlow()
	}
	if p.node.Kind != yaml.SequenceNode || len(p.node.Content) == 0 {
		return nil, errors.New("rules is empty: write rules: [] or a first rule, then add again")
	}
	// The rule goes right behind the line of "rules:", so that a comment above
	// the first rule stays with it. The dashes' column is that of the sequence.
	at, err := p.lineAfterKey()
	if err != nil {
		return nil, err
	}
	indent := strings.Repeat(" ", p.node.Column-1)
	end := "\n"
	if bytes.Contains(p.text[:at], []byte("\r\n")) {
		end = "\r\n"
	}
	var rule strings.Builder
	for _, line := range blockRule {
		rule.WriteString(indent + line + end)
	}
	return slices.Concat(p.text[:at], []byte(rule.String()), p.text[at:]), nil
}

// lineAfterKey returns the offset of the line behind "rules:". Between it and
// the first dash there may be only comments and empty lines.
func (p *Policy) lineAfterKey() (int, error) {
	dash := lineStart(p.text, p.node.Content[0].Line)
	// The node's own line is that of the first dash; an item that is a mapping
	// may begin on the same line or on the next.
	if first := lineStart(p.text, p.node.Line); first >= 0 && first < dash {
		dash = first
	}
	if dash <= 0 {
		return 0, errors.New("the rules begin on the first line: add the rule by hand at the top of rules")
	}
	at := dash
	for at > 0 {
		previous := bytes.LastIndexByte(p.text[:at-1], '\n') + 1
		line := bytes.TrimSpace(p.text[previous:at])
		if len(line) > 0 && line[0] != '#' {
			break
		}
		at = previous
	}
	return at, nil
}

// lineStart returns the offset of a line, counted from 1; -1 if the text has fewer lines.
func lineStart(text []byte, line int) int {
	at := 0
	for n := 1; n < line; n++ {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			return -1
		}
		at += i + 1
	}
	return at
}

// insertFlow puts the rule behind the opening bracket.
func (p *Policy) insertFlow() ([]byte, error) {
	at := lineStart(p.text, p.node.Line)
	if at < 0 {
		return nil, errors.New("the list of rules was not found in the text")
	}
	// Columns count characters: walk runes to the bracket.
	line := p.text[at:]
	for range p.node.Column - 1 {
		_, size := utf8.DecodeRune(line)
		line = line[size:]
		at += size
	}
	i := bytes.IndexByte(p.text[at:], '[')
	if i < 0 {
		return nil, errors.New("the list of rules was not found in the text")
	}
	at += i + 1
	rule := flowRule
	if len(p.node.Content) > 0 {
		rule += ", "
	}
	return slices.Concat(p.text[:at], []byte(rule), p.text[at:]), nil
}
