// Package yamlnode looks things up in the nodes of parsed YAML, for code that needs
// to know in which line something was written. All functions take a nil node, and
// change nothing.
package yamlnode

import "go.yaml.in/yaml/v3"

// maxAliases bounds aliases of aliases, which the YAML language does not have.
const maxAliases = 8

// Target follows a document to its content and an alias to what it names. It is nil
// if there is nothing.
func Target(n *yaml.Node) *yaml.Node {
	for range maxAliases {
		switch {
		case n == nil:
			return nil
		case n.Kind == yaml.DocumentNode && len(n.Content) > 0:
			n = n.Content[0]
		case n.Kind == yaml.AliasNode:
			n = n.Alias
		default:
			return n
		}
	}
	return nil
}

// Field returns a key of a mapping, and the target of its value. Both are nil if n is
// no mapping or does not have the key. If the key is there twice, the first counts.
func Field(n *yaml.Node, name string) (key, value *yaml.Node) {
	n = Target(n)
	if n == nil || n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i], Target(n.Content[i+1])
		}
	}
	return nil, nil
}

// Value returns the value at a path of keys, nil if a key is missing.
func Value(n *yaml.Node, names ...string) *yaml.Node {
	n = Target(n)
	for _, name := range names {
		_, n = Field(n, name)
	}
	return n
}

// Text returns the text of the scalar at a path of keys. It is "" for null, for
// anything but a scalar, and if a key is missing.
func Text(n *yaml.Node, names ...string) string {
	n = Value(n, names...)
	if n == nil || n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
		return ""
	}
	return n.Value
}

// Nearest returns the node at a path of keys (strings) and list positions (ints), or
// the last node on the way that exists: a missing field is reported where it belongs.
func Nearest(n *yaml.Node, path ...any) *yaml.Node {
	for _, step := range path {
		var next *yaml.Node
		switch step := step.(type) {
		case int:
			if list := Target(n); list != nil && list.Kind == yaml.SequenceNode && 0 <= step && step < len(list.Content) {
				next = list.Content[step]
			}
		case string:
			if mapping := Target(n); mapping != nil && mapping.Kind == yaml.MappingNode {
				for i := 0; i+1 < len(mapping.Content) && next == nil; i += 2 {
					if mapping.Content[i].Value == step {
						next = mapping.Content[i+1]
					}
				}
			}
		}
		if next == nil {
			return n
		}
		n = next
	}
	return n
}
