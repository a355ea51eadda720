package manifests

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slicewright/slicewright/app/internal/yamlnode"
	"github.com/slicewright/slicewright/internal/manifest"
)

// jsonDocuments reads JSON values one after the other into the same trees that
// the YAML parser builds, and takes lists apart: an item at a time is in memory.
type jsonDocuments struct {
	in   *manifest.LineCounter
	dec  *json.Decoder
	max  int
	line int // where the last document, or the error, begins

	list  typeMeta // of the list that is being read
	depth int      // brackets open around the items that are being read; 0: none
	// incomplete says that the list is one page of a longer list, begins where it
	// begins. Its metadata can be before the items or after them.
	incomplete bool
	begins     int
}

func newJSONDocuments(in *manifest.LineCounter, max int) *jsonDocuments {
	dec := json.NewDecoder(in)
	dec.UseNumber()
	return &jsonDocuments{in: in, dec: dec, max: max, line: 1}
}

// next returns the next item of a list, or the next value that is no list. What
// has items is a list: kubectl writes the kind after them.
func (j *jsonDocuments) next() (document, error) {
	for j.depth > 0 {
		if j.dec.More() {
			return j.value(nil, j.list)
		}
		if err := j.closeList(); err != nil {
			return document{}, j.fail(err)
		}
		if j.incomplete {
			j.incomplete = false
			return document{line: j.begins, incomplete: true}, nil
		}
	}
	token, err := j.dec.Token()
	if errors.Is(err, io.EOF) {
		return document{}, io.EOF // between two values: the end
	}
	if err != nil {
		return document{}, j.fail(err)
	}
	switch token {
	case json.Delim('{'):
		return j.object()
	case json.Delim('['):
		j.depth, j.list = 1, typeMeta{}
		return j.next()
	}
	return j.value(token, typeMeta{})
}

// object reads on after an opening brace at the outermost level.
func (j *jsonDocuments) object() (document, error) {
	b := j.builder()
	root := b.node(yaml.MappingNode, "!!map", "")
	j.line = root.Line
	for j.dec.More() {
		key, err := b.key()
		if err != nil {
			return document{}, j.fail(err)
		}
		token, err := j.dec.Token()
		if err != nil {
			return document{}, j.fail(err)
		}
		if key.Value == "items" && token == json.Delim('[') {
			j.depth, j.list, j.begins = 2, typeMetaOf(root), root.Line
			_, metadata := yamlnode.Field(root, "metadata")
			j.incomplete = yamlnode.Text(metadata, "continue") != ""
			return j.next()
		}
		value, err := b.value(token, 1)
		if err != nil {
			return document{}, j.fail(err)
		}
		root.Content = append(root.Content, key, value)
	}
	if _, err := j.dec.Token(); err != nil {
		return document{}, j.fail(err)
	}
	return b.document(root, typeMeta{})
}

// closeList reads past the end of the items, and past what the list says after
// them.
func (j *jsonDocuments) closeList() error {
	if _, err := j.dec.Token(); err != nil { // ]
		return err
	}
	for j.depth == 2 && j.dec.More() {
		key, err := j.dec.Token()
		if err != nil {
			return err
		}
		token, err := j.dec.Token()
		if err != nil {
			return err
		}
		b := j.builder()
		b.discard = key != "metadata"
		value, err := b.value(token, 1)
		if err != nil {
			return err
		}
		if !b.discard && yamlnode.Text(value, "continue") != "" {
			j.incomplete = true
		}
	}
	if j.depth == 2 {
		if _, err := j.dec.Token(); err != nil { // }
			return err
		}
	}
	j.depth = 0
	return nil
}

// value reads one value whose first token may have been read already.
func (j *jsonDocuments) value(token json.Token, list typeMeta) (document, error) {
	b := j.builder()
	if token == nil {
		var err error
		if token, err = j.dec.Token(); err != nil {
			return document{}, j.fail(err)
		}
	}
	j.line, _ = j.in.Position(j.dec.InputOffset() - 1)
	root, err := b.value(token, 1)
	if err != nil {
		return document{}, j.fail(err)
	}
	return b.document(root, list)
}

// fail notes the line of an error that ends the stream. The decoder reports the
// end of input inside a value as a plain io.EOF.
func (j *jsonDocuments) fail(err error) error {
	j.line, _ = j.in.Position(j.dec.InputOffset())
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("is cut short: the JSON does not end")
	}
	return err
}

func (j *jsonDocuments) builder() *jsonBuilder {
	return &jsonBuilder{in: j.in, dec: j.dec, end: j.dec.InputOffset() + int64(j.max)}
}

// jsonBuilder builds the tree of one value. When the value turns out longer than
// allowed it goes on reading, so that what follows can be read, and keeps
// nothing.
type jsonBuilder struct {
	in      *manifest.LineCounter
	dec     *json.Decoder
	end     int64
	discard bool
}

// maxDepth is several times what Kubernetes' types nest.
const maxDepth = 200

var errTooDeep = errors.New("nests deeper than any Kubernetes object")

func (b *jsonBuilder) document(root *yaml.Node, list typeMeta) (document, error) {
	if b.discard {
		return document{}, manifest.ErrTooLong
	}
	return document{line: root.Line, root: root, list: list}, nil
}

// value builds what begins with token.
func (b *jsonBuilder) value(token json.Token, depth int) (*yaml.Node, error) {
	if depth > maxDepth {
		return nil, errTooDeep
	}
	if b.dec.InputOffset() > b.end {
		b.discard = true
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			return b.collection(b.node(yaml.MappingNode, "!!map", ""), depth)
		}
		return b.collection(b.node(yaml.SequenceNode, "!!seq", ""), depth)
	case string:
		return b.node(yaml.ScalarNode, "!!str", t), nil
	case json.Number:
		if strings.ContainsAny(t.String(), ".eE") {
			return b.node(yaml.ScalarNode, "!!float", t.String()), nil
		}
		return b.node(yaml.ScalarNode, "!!int", t.String()), nil
	case bool:
		if t {
			return b.node(yaml.ScalarNode, "!!bool", "true"), nil
		}
		return b.node(yaml.ScalarNode, "!!bool", "false"), nil
	}
	return b.node(yaml.ScalarNode, "!!null", "null"), nil
}

func (b *jsonBuilder) collection(n *yaml.Node, depth int) (*yaml.Node, error) {
	for b.dec.More() {
		var key *yaml.Node
		if n.Kind == yaml.MappingNode {
			var err error
			if key, err = b.key(); err != nil {
				return nil, err
			}
		}
		token, err := b.dec.Token()
		if err != nil {
			return nil, err
		}
		value, err := b.value(token, depth+1)
		if err != nil {
			return nil, err
		}
		switch {
		case b.discard:
			n.Content = nil
		case key != nil:
			n.Content = append(n.Content, key, value)
		default:
			n.Content = append(n.Content, value)
		}
	}
	_, err := b.dec.Token()
	return n, err
}

func (b *jsonBuilder) key() (*yaml.Node, error) {
	token, err := b.dec.Token()
	if err != nil {
		return nil, err
	}
	name, ok := token.(string)
	if !ok {
		return nil, errors.New("is no JSON: a key that is no string")
	}
	return b.node(yaml.ScalarNode, "!!str", name), nil
}

// node makes a node for the token just read. The decoder tells where a token
// ends; where it begins follows from its length, which for a string with
// escapes comes out a little late.
func (b *jsonBuilder) node(kind yaml.Kind, tag, value string) *yaml.Node {
	length := int64(len(value))
	switch {
	case kind != yaml.ScalarNode:
		length = 1
	case tag == "!!str":
		length += 2
	}
	line, column := b.in.Position(b.dec.InputOffset() - length)
	return &yaml.Node{Kind: kind, Tag: tag, Value: value, Line: line, Column: column}
}
