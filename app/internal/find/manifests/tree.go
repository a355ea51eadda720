package manifests

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slicewright/slicewright/app/internal/yamlnode"
)

// maxNodes bounds the nodes of an object after its aliases are followed. An
// alias to an alias to an alias multiplies: ten lines can stand for a billion
// nodes. A Deployment has a few hundred.
const maxNodes = 500_000

// renderFirst is for what looks like a template.
const renderFirst = "render it first (helm template) and read the output"

var errTooLarge = errors.New("grows without bound when its aliases are followed")

// parseYAML parses one document; nil where it is empty. It follows no alias.
func parseYAML(text []byte) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) == 0 {
		return nil, nil
	}
	return doc.Content[0], nil
}

func typeMetaOf(n *yaml.Node) typeMeta {
	return typeMeta{yamlnode.Text(n, "apiVersion"), yamlnode.Text(n, "kind")}
}

// toJSON writes the tree as JSON, as kubectl does before it sends an object.
func toJSON(n *yaml.Node) ([]byte, error) {
	budget := maxNodes
	value, err := plain(n, &budget, 0)
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// plain turns a tree into maps, slices and scalars, aliases followed, at the
// cost of one from the budget for every node.
func plain(n *yaml.Node, budget *int, depth int) (any, error) {
	if *budget--; *budget < 0 {
		return nil, errTooLarge
	}
	if depth > maxDepth {
		return nil, errTooDeep
	}
	switch n.Kind {
	case yaml.AliasNode:
		return plain(n.Alias, budget, depth+1)
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, item := range n.Content {
			value, err := plain(item, budget, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		return list, nil
	case yaml.MappingNode:
		object := make(map[string]any, len(n.Content)/2)
		return object, fill(object, n, budget, depth)
	case yaml.ScalarNode:
		return scalar(n)
	}
	return nil, fmt.Errorf("line %d holds nothing that JSON has", n.Line)
}

// fill adds the keys of a mapping, then those that its merge keys bring and it
// does not have itself.
func fill(object map[string]any, n *yaml.Node, budget *int, depth int) error {
	own := make(map[string]bool, len(n.Content)/2)
	var merges []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := yamlnode.Target(n.Content[i])
		if key == nil || key.Kind != yaml.ScalarNode {
			return errors.New("has a key that is no string, as an unrendered {{ }} makes: " + renderFirst)
		}
		if key.ShortTag() == "!!merge" {
			merges = append(merges, n.Content[i+1])
			continue
		}
		if own[key.Value] {
			return fmt.Errorf("line %d has the key %.80q for the second time", key.Line, key.Value)
		}
		own[key.Value] = true
		value, err := plain(n.Content[i+1], budget, depth+1)
		if err != nil {
			return err
		}
		object[key.Value] = value
	}
	for _, merge := range merges {
		if err := mergeInto(object, yamlnode.Target(merge), budget, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func mergeInto(object map[string]any, from *yaml.Node, budget *int, depth int) error {
	if *budget--; *budget < 0 {
		return errTooLarge
	}
	if depth > maxDepth {
		return errTooDeep
	}
	if from == nil {
		return errors.New("has a merge key that leads nowhere")
	}
	switch from.Kind {
	case yaml.SequenceNode:
		for _, item := range from.Content {
			if err := mergeInto(object, yamlnode.Target(item), budget, depth+1); err != nil {
				return err
			}
		}
		return nil
	case yaml.MappingNode:
		merged := make(map[string]any, len(from.Content)/2)
		if err := fill(merged, from, budget, depth+1); err != nil {
			return err
		}
		for key, value := range merged {
			if _, has := object[key]; !has {
				object[key] = value
			}
		}
		return nil
	}
	return fmt.Errorf("line %d merges what is no mapping", from.Line)
}

// scalar gives the JSON value of a scalar. Times stay text: JSON has none.
func scalar(n *yaml.Node) (any, error) {
	switch n.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		var value bool
		err := n.Decode(&value)
		return value, err
	case "!!int":
		// A JSON number as it stands: 64 bits and more, no float on the way.
		if json.Valid([]byte(n.Value)) {
			return json.Number(n.Value), nil
		}
		var value int64
		err := n.Decode(&value)
		return value, err
	case "!!float":
		if json.Valid([]byte(n.Value)) {
			return json.Number(n.Value), nil
		}
		var value float64
		err := n.Decode(&value)
		return value, err
	}
	return n.Value, nil
}
