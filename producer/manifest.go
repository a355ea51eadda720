package producer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/slicewright/slicewright/internal/manifest"
)

// document is one document of a manifest: YAML between two separators, or one
// JSON value.
type document struct {
	source string
	number int // from 1
	line   int // where it begins in the source, from 1
	text   []byte
	json   bool
	// node is the parsed text, for the lines of its fields. It is nil for what
	// the second parser does not take; then the document's own line is named.
	node *yamlv3.Node
}

// documents splits a manifest. Empty documents and those of comments alone,
// which Helm writes many of, are left out.
func documents(source string, data []byte) ([]*document, error) {
	var docs []*document
	for r := manifest.NewReader(bytes.NewReader(data), len(data)+1); ; {
		d, err := r.Next()
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		doc := &document{source: source, number: max(d.Number, 1), line: max(d.Line, 1), text: bytes.Clone(d.Text), json: d.JSON}
		var syntax *manifest.SyntaxError
		switch {
		case errors.As(err, &syntax):
			return nil, doc.errorf(syntax.Line, "no JSON: %w", syntax.Err)
		case err != nil:
			return nil, doc.errorf(r.Line(), "%w", err)
		}
		docs = append(docs, doc)
	}
}

// errorf is an error at a line of the source, 0 for the document's first.
func (d *document) errorf(line int, format string, args ...any) error {
	if line == 0 {
		line = d.line
	}
	return fmt.Errorf("%s: document %d, line %d: %w", d.source, d.number, line, fmt.Errorf(format, args...))
}

// lineInError finds the line that the YAML parser names, which counts from the
// beginning of the document.
var lineInError = regexp.MustCompile(`line (\d+)`)

// value returns the document as JSON. Keys that are there twice are refused
// when strict: one of them would be lost without a word.
func (d *document) value(strict bool) ([]byte, error) {
	if d.json {
		return d.text, nil
	}
	convert := yaml.YAMLToJSON
	if strict {
		convert = yaml.YAMLToJSONStrict
	}
	value, err := convert(d.text)
	if err == nil {
		return value, nil
	}
	line := d.line
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "error converting YAML to JSON: "), "yaml: ")
	if m := lineInError.FindStringSubmatch(text); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			line = d.line + n - 1
			text = strings.Replace(text, m[0]+": ", "", 1)
		}
	}
	hint := ""
	if bytes.Contains(d.text, []byte("{{")) {
		hint = " (it looks like a template: render it first, such as with helm template)"
	}
	return nil, d.errorf(line, "no YAML: %s%s", strings.Join(strings.Fields(text), " "), hint)
}

// decode reads JSON into v. Fields that v does not have are refused: a misspelt
// one would be addresses lost.
func (d *document) decode(value []byte, v any, at path) error {
	strict, err := kjson.UnmarshalStrict(value, v)
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &mismatch):
		line := misfit(d.lookup(at), strings.Split(mismatch.Field, "."), mismatch.Type)
		return d.errorf(d.absolute(line), "%s: %s is where %s belongs", mismatch.Field, mismatch.Value, mismatch.Type)
	case err != nil:
		return d.errorf(d.lineOf(at), "%w", err)
	case len(strict) > 0:
		return d.errorf(d.lineOf(at.with(fieldIn(strict[0].Error())...)), "%w", errors.Join(strict...))
	}
	return nil
}

// quotedField finds the field that the strict decoder names: it writes
// unknown field "subsets[0].adresses".
var (
	quotedField = regexp.MustCompile(`field "([^"]*)"`)
	fieldStep   = regexp.MustCompile(`[^.\[\]]+`)
)

func fieldIn(message string) (at path) {
	m := quotedField.FindStringSubmatch(message)
	if m == nil {
		return nil
	}
	for _, span := range fieldStep.FindAllStringIndex(m[1], -1) {
		step := m[1][span[0]:span[1]]
		if n, err := strconv.Atoi(step); err == nil && span[0] > 0 && m[1][span[0]-1] == '[' {
			at = append(at, n)
		} else {
			at = append(at, step)
		}
	}
	return at
}

// path leads to a field: strings for keys, ints for places in a list.
type path []any

func (p path) with(steps ...any) path { return append(p[:len(p):len(p)], steps...) }

// String is the path as kubectl writes it: subsets[0].ports[1].port.
func (p path) String() string {
	var b strings.Builder
	for _, step := range p {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", step)
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			fmt.Fprint(&b, step)
		}
	}
	return b.String()
}

// lineOf is the source's line of a field, or of what holds it when it is not
// there.
func (d *document) lineOf(at path) int {
	for ; ; at = at[:len(at)-1] {
		if n := d.lookup(at); n != nil {
			return d.absolute(n.Line)
		}
		if len(at) == 0 {
			return d.line
		}
	}
}

func (d *document) absolute(line int) int {
	if line == 0 {
		return d.line
	}
	return d.line + line - 1
}

func (d *document) lookup(at path) *yamlv3.Node {
	if d.node == nil {
		var root yamlv3.Node
		if yamlv3.Unmarshal(d.text, &root) != nil || len(root.Content) == 0 {
			return nil
		}
		d.node = root.Content[0]
	}
	node := d.node
	for _, step := range at {
		if node = child(node, step); node == nil {
			return nil
		}
	}
	return node
}

func child(node *yamlv3.Node, step any) *yamlv3.Node {
	if node.Kind == yamlv3.AliasNode {
		node = node.Alias
	}
	switch step := step.(type) {
	case int:
		if node.Kind == yamlv3.SequenceNode && step < len(node.Content) {
			return node.Content[step]
		}
	case string:
		if node.Kind != yamlv3.MappingNode {
			return nil
		}
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == step {
				return node.Content[i+1]
			}
		}
	}
	return nil
}

// misfit is the line of the first value at fields, whichever of the lists' items
// it is in, that cannot be read as want. The decoder does not say which it was.
func misfit(node *yamlv3.Node, fields []string, want reflect.Type) int {
	switch {
	case node == nil:
		return 0
	case node.Kind == yamlv3.AliasNode:
		return misfit(node.Alias, fields, want)
	case node.Kind == yamlv3.SequenceNode && (len(fields) > 0 || want.Kind() != reflect.Slice):
		for _, item := range node.Content {
			if line := misfit(item, fields, want); line != 0 {
				return line
			}
		}
	case len(fields) > 0:
		return misfit(child(node, fields[0]), fields[1:], want)
	case !fits(node, want):
		return node.Line
	}
	return 0
}

func fits(node *yamlv3.Node, want reflect.Type) bool {
	switch want.Kind() {
	case reflect.String:
		return node.Tag == "!!str"
	case reflect.Int32, reflect.Int64:
		_, err := strconv.ParseInt(node.Value, 0, 32)
		return node.Tag == "!!int" && err == nil
	case reflect.Slice:
		return node.Kind == yamlv3.SequenceNode
	default:
		return node.Kind == yamlv3.MappingNode
	}
}
