package yamltree

import (
	"bytes"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ReadLoosely reads YAML that the parser refuses: each line that looks like a
// key, an item or a value becomes one, by its indentation. It keeps more than
// is right rather than less; nothing in the text is out of its reach.
func ReadLoosely(text []byte) *yaml.Node {
	p := &looseParser{}
	number := 0
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		number++
		trimmed := strings.TrimRight(string(line), " \t\r")
		body := strings.TrimLeft(trimmed, " \t")
		p.lines = append(p.lines, looseLine{number: number, indent: len(trimmed) - len(body), text: body})
	}
	doc := &yaml.Node{Kind: yaml.DocumentNode, Line: 1, Column: 1}
	for p.next < len(p.lines) {
		before := p.next
		if n := p.block(0, 0); n != nil {
			doc.Content = append(doc.Content, n)
		}
		if p.next == before {
			p.next++
		}
	}
	return doc
}

type looseLine struct {
	number, indent int
	text           string
}

type looseParser struct {
	lines []looseLine
	next  int
}

var looseKey = regexp.MustCompile(`^(?:"([^"]{1,200})"|'([^']{1,200})'|([A-Za-z0-9_$./*{}][^\s:#]{0,200}|[A-Za-z0-9_])) ?:(?:\s+(.*))?$`)

// block reads the lines from here on that are indented at least so much.
func (p *looseParser) block(indent, depth int) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	items := &yaml.Node{Kind: yaml.SequenceNode}
	for p.next < len(p.lines) {
		l := p.lines[p.next]
		if l.text == "" || l.text[0] == '#' || strings.HasPrefix(l.text, "---") {
			p.next++
			continue
		}
		if l.indent < indent {
			break
		}
		if n.Line == 0 {
			n.Line, n.Column = l.number, l.indent+1
			items.Line, items.Column = n.Line, n.Column
		}
		if l.text == "-" || strings.HasPrefix(l.text, "- ") {
			p.item(items, l, depth)
			continue
		}
		p.entry(n, l, depth)
	}
	switch {
	case len(items.Content) == 0 && len(n.Content) == 0:
		return nil
	case len(items.Content) == 0:
		return n
	case len(n.Content) > 0:
		items.Content = append(items.Content, n)
	}
	return items
}

// maxLoose bounds nesting; deeper lines are read as if they were not deeper.
const maxLoose = 100

// item reads "- …" as the first line of a block that is indented further.
func (p *looseParser) item(items *yaml.Node, l looseLine, depth int) {
	rest := strings.TrimLeft(strings.TrimPrefix(l.text, "-"), " ")
	inner := l.indent + len(l.text) - len(rest)
	if rest == "" || depth >= maxLoose {
		p.next++
		if rest == "" && depth < maxLoose && p.next < len(p.lines) && p.lines[p.next].indent > l.indent {
			if n := p.block(l.indent+1, depth+1); n != nil {
				items.Content = append(items.Content, n)
			}
		}
		return
	}
	p.lines[p.next] = looseLine{number: l.number, indent: inner, text: rest}
	if looseKey.MatchString(rest) || strings.HasPrefix(rest, "- ") {
		if n := p.block(inner, depth+1); n != nil {
			items.Content = append(items.Content, n)
		}
		return
	}
	items.Content = append(items.Content, p.value(rest, l.number, inner+1, l.indent))
}

// entry reads "key: value"; any other line is kept as a value without a key.
func (p *looseParser) entry(n *yaml.Node, l looseLine, depth int) {
	m := looseKey.FindStringSubmatch(l.text)
	if m == nil {
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Line: l.number, Column: l.indent + 1}, p.value(l.text, l.number, l.indent+1, l.indent))
		return
	}
	key := &yaml.Node{Kind: yaml.ScalarNode, Value: m[1] + m[2] + m[3], Line: l.number, Column: l.indent + 1}
	text := stripComment(m[4])
	if text != "" {
		column := l.indent + len(l.text) - len(m[4]) + 1
		n.Content = append(n.Content, key, p.value(text, l.number, column, l.indent))
		return
	}
	p.next++
	var value *yaml.Node
	for k := p.next; k < len(p.lines); k++ {
		below := p.lines[k]
		if below.text == "" || below.text[0] == '#' {
			continue
		}
		isItem := below.text == "-" || strings.HasPrefix(below.text, "- ")
		switch {
		case depth >= maxLoose:
		case below.indent > l.indent:
			value = p.block(l.indent+1, depth+1)
		case below.indent == l.indent && isItem:
			value = p.sameIndentItems(l.indent, depth+1)
		}
		break
	}
	if value == nil {
		value = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: l.number, Column: l.indent + 1}
	}
	n.Content = append(n.Content, key, value)
}

// sameIndentItems reads a list that is indented no further than its key.
func (p *looseParser) sameIndentItems(indent, depth int) *yaml.Node {
	items := &yaml.Node{Kind: yaml.SequenceNode}
	for p.next < len(p.lines) {
		l := p.lines[p.next]
		if l.text == "" || l.text[0] == '#' {
			p.next++
			continue
		}
		if l.indent < indent || l.indent == indent && l.text != "-" && !strings.HasPrefix(l.text, "- ") {
			break
		}
		if items.Line == 0 {
			items.Line, items.Column = l.number, l.indent+1
		}
		if l.text == "-" || strings.HasPrefix(l.text, "- ") {
			p.item(items, l, depth)
			continue
		}
		if n := p.block(l.indent, depth+1); n != nil {
			items.Content = append(items.Content, n)
		} else {
			p.next++
		}
	}
	return items
}

// value reads what comes after a key or a dash, and moves past it.
func (p *looseParser) value(text string, line, column, indent int) *yaml.Node {
	p.next++
	text = stripComment(text)
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: text, Line: line, Column: column}
	switch {
	case text == "":
	case text[0] == '|' || text[0] == '>':
		n.Style = yaml.LiteralStyle
		n.Value = p.blockScalar(indent)
	case text[0] == '"' || text[0] == '\'':
		if end := strings.LastIndexByte(text, text[0]); end > 0 {
			n.Value = text[1:end]
		} else {
			n.Value = text[1:]
		}
		n.Style = yaml.SingleQuotedStyle
	case text[0] == '[' || text[0] == '{':
		if flow, err := Parse([]byte(text)); err == nil && len(flow.Content) == 1 {
			move(flow.Content[0], line, column)
			return flow.Content[0]
		}
	}
	return n
}

// move shifts nodes of a flow collection to its place.
func move(n *yaml.Node, line, column int) {
	if n.Line == 1 {
		n.Column += column - 1
	}
	n.Line += line - 1
	for _, c := range n.Content {
		move(c, line, column)
	}
}

// blockScalar reads the lines that are indented further than its key.
func (p *looseParser) blockScalar(indent int) string {
	var b strings.Builder
	inner := -1
	for p.next < len(p.lines) {
		l := p.lines[p.next]
		if l.text != "" {
			if l.indent <= indent {
				break
			}
			if inner < 0 {
				inner = l.indent
			}
			b.WriteString(strings.Repeat(" ", max(0, l.indent-inner)))
			b.WriteString(l.text)
		}
		b.WriteByte('\n')
		p.next++
	}
	return b.String()
}

// stripComment drops " # …" outside quotes.
func stripComment(s string) string {
	var quote byte
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && (i == 0 || s[i-1] == ' ' || s[i-1] == '[' || s[i-1] == ','):
			quote = c
		case c == '#' && (i == 0 || s[i-1] == ' ' || s[i-1] == '\t'):
			return strings.TrimRight(s[:i], " \t")
		}
	}
	return s
}
