// Package document reads files that hold one document, in YAML or JSON: reports,
// criteria, registries, configurations.
//
// A file with a second document is an error everywhere: the libraries read the
// first one and say nothing of the rest, which may say the contrary.
package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"
)

// Unmarshal reads the one document of data into a value, by its JSON tags. A field
// that the value does not have is an error, as is a field that is there twice.
func Unmarshal(data []byte, into any) error {
	if _, err := Node(data); err != nil {
		return err
	}
	return sigsyaml.UnmarshalStrict(data, into)
}

// Node returns the one document of data, with the lines of all that is in it. It is
// nil if there is no document: nothing, or nothing but comments and separators.
func Node(data []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var only *yaml.Node
	for {
		var node yaml.Node
		if err := decoder.Decode(&node); errors.Is(err, io.EOF) {
			return only, nil
		} else if err != nil {
			return nil, err
		}
		if empty(&node) {
			continue
		}
		if only != nil {
			return nil, fmt.Errorf("line %d: a second document: give each document a file of its own", node.Line)
		}
		only = &node
	}
}

// empty reports that nothing but comments is between two separators.
func empty(node *yaml.Node) bool {
	return node.Kind == 0 || len(node.Content) == 1 && node.Content[0].Tag == "!!null" && node.Content[0].Value == ""
}
