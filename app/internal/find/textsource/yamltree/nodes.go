package yamltree

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
)

// Pair is a key and its value.
type Pair struct{ Key, Value *yaml.Node }

// Pairs are a mapping's entries; none for another node.
func Pairs(n *yaml.Node) []Pair {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	out := make([]Pair, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		out = append(out, Pair{n.Content[i], n.Content[i+1]})
	}
	return out
}

// Field is a mapping's entry with this key. A template can have it twice, in
// two branches; the first counts.
func Field(n *yaml.Node, key string) (Pair, bool) {
	for _, p := range Pairs(n) {
		if p.Key.Value == key {
			return p, true
		}
	}
	return Pair{}, false
}

// Variants are a mapping as each of its kinds has it: a template can name
// apiVersion and kind in both branches of an if. Nearly always there is one.
func Variants(n *yaml.Node) []*yaml.Node {
	var kinds, versions []int
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch n.Content[i].Value {
		case "kind":
			kinds = append(kinds, i)
		case "apiVersion":
			versions = append(versions, i)
		}
	}
	if len(kinds) < 2 || len(kinds) > detect.MaxValues {
		return []*yaml.Node{n}
	}
	var out []*yaml.Node
	for k, kind := range kinds {
		v := &yaml.Node{Kind: yaml.MappingNode, Line: n.Line, Column: n.Column}
		version := -1
		if len(versions) > 0 {
			version = versions[min(k, len(versions)-1)]
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i].Value
			if (key != "kind" || i == kind) && (key != "apiVersion" || i == version) {
				v.Content = append(v.Content, n.Content[i], n.Content[i+1])
			}
		}
		out = append(out, v)
	}
	return out
}

// Child is the value at a path of keys; nil if a key is missing.
func Child(n *yaml.Node, path ...string) *yaml.Node {
	for _, key := range path {
		p, ok := Field(n, key)
		if !ok {
			return nil
		}
		n = p.Value
	}
	return n
}

// Scalar is a node's text; "" for a node without text.
func Scalar(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

// Says reports whether a scalar is a word. Where template actions were taken
// out, the values of several branches can be side by side.
func Says(n *yaml.Node, word string) bool {
	v := Scalar(n)
	if v == word {
		return true
	}
	if len(v) > 512 || !strings.Contains(v, word) {
		return false
	}
	for _, w := range strings.Fields(v) {
		if w == word {
			return true
		}
	}
	return false
}
