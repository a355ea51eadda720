package textsource

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// yamlOptions say how a YAML text is to be taken.
type yamlOptions struct {
	// quiet: it may be no YAML at all, so not understanding it is no problem.
	quiet bool
	// blank: it has template actions that must be taken out first.
	blank bool
}

// readYAML looks into a YAML or JSON file.
func readYAML(s *source, name string, template bool) {
	if bytes.Contains(s.data, []byte("{{")) {
		readActions(s)
		template = template || isHelm(s.data, name)
	}
	readYAMLText(s, name, yamlOptions{blank: template})
}

var helmMark = regexp.MustCompile(`\{\{-|-\}\}|\{\{ ?(\.Values|\.Release|\.Chart|\$|include|template|if|range|with|toYaml|tpl|define|/\*)`)

// isHelm tells Helm's actions from Ansible's and Argo's, which stand inside
// YAML strings and need not be taken out.
func isHelm(data []byte, name string) bool {
	return strings.HasPrefix(name, "templates/") || strings.Contains(name, "/templates/") || helmMark.Match(data)
}

// readYAMLText reads each document of a stream by itself, so that a broken one
// costs only itself.
func readYAMLText(s *source, name string, opts yamlOptions) {
	for start := 0; start < len(s.data); {
		end := documentEnd(s.data, start)
		if doc := s.slice(start, end); doc != nil && len(bytes.TrimSpace(doc.data)) > 0 {
			readDocument(doc, name, opts)
		}
		start = end
	}
}

// documentEnd is where the document that begins at start ends: at the next
// line that begins with ---, which belongs to the next document.
func documentEnd(data []byte, start int) int {
	for p := start; ; {
		i := bytes.Index(data[p:], []byte("\n---"))
		if i < 0 {
			return len(data)
		}
		at := p + i + 1
		rest := data[at+3:]
		if len(rest) == 0 || rest[0] == '\n' || rest[0] == '\r' || rest[0] == ' ' || rest[0] == '\t' {
			return at
		}
		p = at
	}
}

// renderedFrom is the comment that helm template puts over each document.
var renderedFrom = regexp.MustCompile(`(?m)\A(?:---\s*\n)?# Source: (\S{1,300})$`)

// document is one YAML document that is being looked into.
type document struct {
	s    *source
	ix   *lineIndex
	name string
	// text is what was parsed: the document with template actions taken out.
	text []byte
	// guessed: actions were taken out, so that values may be defaults.
	guessed bool
	values  int8 // caches hasValues: 0 for not looked yet
	// rendered is the template that Helm says the document comes from.
	rendered string
}

func readDocument(s *source, name string, opts yamlOptions) {
	d := &document{s: s, name: name, text: s.data}
	if m := renderedFrom.FindSubmatch(s.data[:min(len(s.data), 1024)]); m != nil {
		d.rendered = string(m[1])
	}
	if opts.blank {
		d.text, d.guessed = blankActions(s.data), true
	}
	root, err := parseYAML(d.text)
	if err != nil && bytes.Contains(d.text, []byte(`\/`)) {
		// JSON's escaped slash, which the YAML parser does not know.
		if in := d.s.unescapeSlashes(d.text); in != nil {
			if r, e := parseYAML(in.data); e == nil {
				d.s, d.text, root, err = in, in.data, r, nil
			}
		}
	}
	if err != nil && !opts.blank && (bytes.Contains(s.data, []byte("{{")) || bytes.Contains(s.data, []byte("{%"))) {
		d.text, d.guessed = blankActions(s.data), true
		root, err = parseYAML(d.text)
	}
	if err != nil {
		if !opts.quiet {
			line, what := errorLine(err)
			if d.guessed {
				what += "; template actions were taken out first"
			}
			s.fail(newLineIndex(d.text).offset(line, 1), "YAML not understood ("+what+"); read line by line")
		}
		root = looseYAML(d.text)
	}
	d.ix = newLineIndex(d.text)
	d.visit(root, place{})
}

// maxYAML bounds what is given to the parser: its tree takes some fifty times
// the text.
const maxYAML = 4 << 20

// parseYAML reads one document into nodes. Aliases are not followed anywhere,
// so that a text of a few lines cannot become a tree of billions.
func parseYAML(text []byte) (root *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			root, err = nil, fmt.Errorf("parser failed: %v", r)
		}
	}()
	if len(text) > maxYAML {
		return nil, fmt.Errorf("a document of %d bytes, more than %d", len(text), maxYAML)
	}
	if nested(text) {
		return nil, fmt.Errorf("brackets nested too deeply")
	}
	var n yaml.Node
	if err := yaml.Unmarshal(text, &n); err != nil {
		return nil, fmt.Errorf("%s", strings.TrimPrefix(firstLine(err.Error()), "yaml: "))
	}
	return &n, nil
}

// nested finds a run of opening brackets that no person writes and that costs
// the parser quadratic time.
func nested(text []byte) bool {
	depth := 0
	for _, c := range text {
		switch c {
		case '[', '{':
			if depth++; depth > 500 {
				return true
			}
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
	return false
}

var yamlLine = regexp.MustCompile(`^line (\d+): (.*)$`)

// errorLine is the line that the parser names, counted from the document's
// first, and what it says of it.
func errorLine(err error) (int, string) {
	m := yamlLine.FindStringSubmatch(err.Error())
	if m == nil {
		return 1, err.Error()
	}
	line, _ := strconv.Atoi(m[1])
	return line, m[2]
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// offset is where a node stands in the document.
func (d *document) offset(n *yaml.Node) int { return d.ix.offset(n.Line, n.Column) }

// pair is a key and its value.
type pair struct{ key, value *yaml.Node }

// pairs are a mapping's entries; none for another node.
func pairs(n *yaml.Node) []pair {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	out := make([]pair, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		out = append(out, pair{n.Content[i], n.Content[i+1]})
	}
	return out
}

// field is a mapping's entry with this key. A template can have it twice, in
// two branches; the first counts.
func field(n *yaml.Node, key string) (pair, bool) {
	for _, p := range pairs(n) {
		if p.key.Value == key {
			return p, true
		}
	}
	return pair{}, false
}

// variants are a mapping as each of its kinds has it: a template can name
// apiVersion and kind in both branches of an if. Nearly always there is one.
func variants(n *yaml.Node) []*yaml.Node {
	var kinds, versions []int
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch n.Content[i].Value {
		case "kind":
			kinds = append(kinds, i)
		case "apiVersion":
			versions = append(versions, i)
		}
	}
	if len(kinds) < 2 || len(kinds) > maxValues {
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

// child is the value at a path of keys; nil if there is none.
func child(n *yaml.Node, path ...string) *yaml.Node {
	for _, key := range path {
		p, ok := field(n, key)
		if !ok {
			return nil
		}
		n = p.value
	}
	return n
}

// scalar is a node's text; "" for one that has none.
func scalar(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

// says reports whether a scalar is a word. Where template actions were taken
// out, a branch for each value can stand side by side.
func says(n *yaml.Node, word string) bool {
	v := scalar(n)
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

// unknown reports whether a scalar is what is left of a template action.
func unknown(n *yaml.Node) bool {
	v := strings.TrimSpace(scalar(n))
	return v != "" && strings.Trim(v, string(filler)) == ""
}
