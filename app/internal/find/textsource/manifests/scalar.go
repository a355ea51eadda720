package manifests

import (
	"bytes"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
)

// scalarSource is the text in a scalar, with the place of each byte in the
// document. Nil when it is nested too deeply.
func (d *document) scalarSource(n *yaml.Node) *detect.Text {
	value := []byte(n.Value)
	if n.Style&yaml.LiteralStyle != 0 {
		return d.s.Inner(value, d.literalOrigin(n))
	}
	start := d.offset(n)
	quote := 0
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		quote = 1
	}
	if bytes.HasPrefix(d.text[min(start+quote, len(d.text)):], value) {
		return d.s.Inner(value, func(o int) int { return start + quote + o })
	}
	return d.s.Inner(value, func(o int) int { return d.search(start, value, o) })
}

// literalOrigin maps a block scalar, whose lines are the file's lines without
// their indentation.
func (d *document) literalOrigin(n *yaml.Node) func(int) int {
	var inner, outer []int
	line := n.Line + 1
	value := n.Value
	for at := 0; at < len(value); line++ {
		stop := strings.IndexByte(value[at:], '\n')
		text := value[at:]
		if stop >= 0 {
			text = value[at : at+stop]
		}
		raw := d.ix.Line(line)
		start := d.ix.Offset(line, 1)
		if bytes.HasSuffix(raw, []byte(text)) {
			start += len(raw) - len(text)
		}
		inner, outer = append(inner, at), append(outer, start)
		if stop < 0 {
			break
		}
		at += stop + 1
	}
	return func(o int) int {
		i := sort.SearchInts(inner, o+1) - 1
		if i < 0 {
			return d.offset(n)
		}
		return outer[i] + o - inner[i]
	}
}

// search finds a place in a folded or escaped scalar by the text there.
func (d *document) search(start int, value []byte, o int) int {
	end := o
	for end < len(value) && end < o+24 && value[end] != '\n' && value[end] != '"' && value[end] != '\\' {
		end++
	}
	if start > len(d.text) || end == o {
		return start
	}
	region := d.text[start:min(len(d.text), start+2*len(value)+4096)]
	for snippet := value[o:end]; len(snippet) > 3; {
		if i := bytes.Index(region, snippet); i >= 0 {
			return start + i
		}
		space := bytes.LastIndexByte(snippet, ' ')
		if space < 0 {
			break
		}
		snippet = snippet[:space]
	}
	return start
}
