package textsource

import (
	"bytes"
	"path"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slicewright/slicewright/app/internal/find/wordsearch"
)

var wordsYAML = wordsearch.New("ndpoint", "NDPOINT", "kubectl", "oc get ", "monitoring.coreos.com", "kube-state-metrics",
	"prometheusSpec", "kube-prometheus", "operator.victoriametrics.com")

// yamlDetector reads YAML, JSON and templates of them.
type yamlDetector struct{}

func (yamlDetector) hasWord(data []byte) bool { return wordsYAML.In(data) }

func (yamlDetector) read(s *source, name string, k fileKind) {
	if k.embedded {
		readYAMLText(s, name, yamlOptions{quiet: true, blank: k.blank})
		return
	}
	// A template can be of anything. A template without YAML is no broken YAML.
	if k.kind == kindTemplate && path.Ext(name) != ".tpl" && !strings.Contains(name, ".y") && !looksLikeYAML(string(s.data)) {
		readActions(s)
		return
	}
	readYAML(s, name, k.kind == kindTemplate)
}

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

// offset is where a node stands in the document.
func (d *document) offset(n *yaml.Node) int { return d.ix.offset(n.Line, n.Column) }

// unknown reports whether a scalar is what is left of a template action.
func unknown(n *yaml.Node) bool {
	v := strings.TrimSpace(scalar(n))
	return v != "" && strings.Trim(v, string(filler)) == ""
}
