package manifests

import (
	"bytes"
	"path"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/template"
	"github.com/slicewright/slicewright/app/internal/find/textsource/yamltree"
	"github.com/slicewright/slicewright/app/internal/find/wordsearch"
)

var wordsYAML = wordsearch.New("ndpoint", "NDPOINT", "kubectl", "oc get ", "monitoring.coreos.com", "kube-state-metrics",
	"prometheusSpec", "kube-prometheus", "operator.victoriametrics.com")

// Detector reads YAML, JSON and templates of them.
type Detector struct{}

func (Detector) HasWord(data []byte) bool { return wordsYAML.In(data) }

func (Detector) Read(s *detect.Text, name string, k detect.File) {
	if k.Embedded {
		readYAMLText(s, name, yamlOptions{quiet: true, blank: k.Blank})
		return
	}
	// A template can be of anything. A template without YAML is no broken YAML.
	if k.Kind == detect.Template && path.Ext(name) != ".tpl" && !strings.Contains(name, ".y") && !detect.LooksLikeYAML(string(s.Data)) {
		template.ReadLookups(s)
		return
	}
	readYAML(s, name, k.Kind == detect.Template)
}

// yamlOptions say how a YAML text is to be taken.
type yamlOptions struct {
	// quiet: it may be no YAML at all, so not understanding it is no problem.
	quiet bool
	// blank: it has template actions that must be taken out first.
	blank bool
}

// readYAML looks into a YAML or JSON file.
func readYAML(s *detect.Text, name string, isTemplate bool) {
	if bytes.Contains(s.Data, []byte("{{")) {
		template.ReadLookups(s)
		isTemplate = isTemplate || isHelm(s.Data, name)
	}
	readYAMLText(s, name, yamlOptions{blank: isTemplate})
}

var helmMark = regexp.MustCompile(`\{\{-|-\}\}|\{\{ ?(\.Values|\.Release|\.Chart|\$|include|template|if|range|with|toYaml|tpl|define|/\*)`)

// isHelm tells Helm's actions from Ansible's and Argo's, which are inside
// YAML strings and need not be taken out.
func isHelm(data []byte, name string) bool {
	return strings.HasPrefix(name, "templates/") || strings.Contains(name, "/templates/") || helmMark.Match(data)
}

// readYAMLText reads each document of a stream by itself, so that a broken one
// costs only itself.
func readYAMLText(s *detect.Text, name string, opts yamlOptions) {
	for start := 0; start < len(s.Data); {
		end := documentEnd(s.Data, start)
		if doc := s.Slice(start, end); doc != nil && len(bytes.TrimSpace(doc.Data)) > 0 {
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
	s    *detect.Text
	ix   *detect.LineIndex
	name string
	// text is what was parsed: the document with template actions taken out.
	text []byte
	// guessed: actions were taken out, so that values may be defaults.
	guessed bool
	values  int8 // caches hasValues: 0 for not looked yet
	// rendered is the template that Helm says the document comes from.
	rendered string
}

func readDocument(s *detect.Text, name string, opts yamlOptions) {
	d := &document{s: s, name: name, text: s.Data}
	if m := renderedFrom.FindSubmatch(s.Data[:min(len(s.Data), 1024)]); m != nil {
		d.rendered = string(m[1])
	}
	if opts.blank {
		d.text, d.guessed = template.Blank(s.Data), true
	}
	root, err := yamltree.Parse(d.text)
	if err != nil && bytes.Contains(d.text, []byte(`\/`)) {
		// JSON's escaped slash, which the YAML parser does not know.
		if in := d.s.UnescapeSlashes(d.text); in != nil {
			if r, e := yamltree.Parse(in.Data); e == nil {
				d.s, d.text, root, err = in, in.Data, r, nil
			}
		}
	}
	if err != nil && !opts.blank && (bytes.Contains(s.Data, []byte("{{")) || bytes.Contains(s.Data, []byte("{%"))) {
		d.text, d.guessed = template.Blank(s.Data), true
		root, err = yamltree.Parse(d.text)
	}
	if err != nil {
		if !opts.quiet {
			line, what := yamltree.ErrorLine(err)
			if d.guessed {
				what += "; template actions were taken out first"
			}
			s.Fail(detect.NewLineIndex(d.text).Offset(line, 1), "YAML not understood ("+what+"); read line by line")
		}
		root = yamltree.ReadLoosely(d.text)
	}
	d.ix = detect.NewLineIndex(d.text)
	d.visit(root, place{})
}

// offset is a node's place in the document.
func (d *document) offset(n *yaml.Node) int { return d.ix.Offset(n.Line, n.Column) }

// unknown reports whether a scalar is what is left of a template action.
func unknown(n *yaml.Node) bool {
	v := strings.TrimSpace(yamltree.Scalar(n))
	return v != "" && strings.Trim(v, string(template.Filler)) == ""
}
