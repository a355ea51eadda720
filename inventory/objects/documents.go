package objects

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"go.yaml.in/yaml/v3"
)

// document is a piece of a stream that stands or falls by itself.
type document struct {
	line int // of its beginning, from 1
	// text is YAML not yet parsed; nil where root is set.
	text []byte
	// root is JSON, parsed.
	root *yaml.Node
	// list says of which list this is an item: the items of a PodList from the
	// API itself name no kind.
	list typeMeta
}

// typeMeta names a type as an object does.
type typeMeta struct {
	apiVersion, kind string
}

var errTooLong = errors.New("is longer than the limit: dump it as JSON, which is read item by item, or one namespace a file")

// documents splits a stream. YAML is split at its markers before it is parsed,
// so that a document that does not parse costs only itself. JSON is split into
// values, and a list into its items, so that a dump of any length fits.
type documents struct {
	in   *bufio.Reader
	max  int
	line int // of the document last returned, or of the error

	started bool
	json    *jsonDocuments
	ahead   int    // number of the line that comes next
	marker  []byte // a line read already that begins the next document
	err     error
}

func newDocuments(stream io.Reader, max int) *documents {
	return &documents{in: bufio.NewReaderSize(stream, 64<<10), max: max, ahead: 1, line: 1}
}

// next returns the next document, io.EOF after the last. After errTooLong it can
// be called again; any other error ends the stream.
func (d *documents) next() (document, error) {
	if !d.started {
		d.started = true
		d.begin()
	}
	if d.json != nil {
		doc, err := d.json.next()
		d.line = d.json.line
		return doc, err
	}
	return d.nextYAML()
}

// begin drops a byte order mark and tells JSON by its first bytes. Also where
// JSON is valid YAML, JSON's own rules for tabs and escapes hold.
func (d *documents) begin() {
	if mark, err := d.in.Peek(3); err == nil && bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = d.in.Discard(3)
	}
	head, _ := d.in.Peek(4096)
	if looksLikeJSON(head) {
		d.json = newJSONDocuments(d.in, d.max)
	}
}

// looksLikeJSON tells {"a": and [{"a": from {{ a template }} and {a: flow}.
func looksLikeJSON(text []byte) bool {
	const space = " \t\r\n"
	text = bytes.TrimLeft(text, space)
	if rest, found := bytes.CutPrefix(text, []byte("[")); found {
		text = bytes.TrimLeft(rest, space)
	}
	rest, found := bytes.CutPrefix(text, []byte("{"))
	rest = bytes.TrimLeft(rest, space)
	return found && len(rest) > 0 && (rest[0] == '"' || rest[0] == '}')
}

func (d *documents) nextYAML() (document, error) {
	doc := document{line: d.ahead}
	d.line = d.ahead
	var text []byte
	tooLong := false
	for d.err == nil {
		line := d.marker
		d.marker = nil
		if line == nil {
			line, d.err = d.readLine()
			if errors.Is(d.err, errTooLong) {
				d.err, tooLong = nil, true
				d.ahead++
				continue
			}
		}
		// A marker at the first column ends a document whatever stands before:
		// YAML forbids it there even inside a block of text. Before anything but
		// comments and directives it begins one.
		if isMarker(line) && (tooLong || !onlyPreamble(text)) {
			d.marker = line
			break
		}
		if len(line) > 0 {
			d.ahead++
		}
		if !tooLong {
			text = append(text, line...)
		}
		if len(text) > d.max {
			text, tooLong = nil, true
		}
	}
	switch {
	case tooLong:
		return doc, errTooLong
	case len(text) > 0:
		doc.text = text
		return doc, nil
	}
	return doc, d.err
}

// readLine reads a line with its end. A line longer than the limit is read to
// its end and given up.
func (d *documents) readLine() ([]byte, error) {
	var line []byte
	for {
		part, err := d.in.ReadSlice('\n')
		if len(line)+len(part) > d.max {
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = d.in.ReadSlice('\n')
			}
			if err != nil && !errors.Is(err, io.EOF) {
				return nil, err
			}
			return nil, errTooLong
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

func isMarker(line []byte) bool {
	rest, found := bytes.CutPrefix(line, []byte("---"))
	return found && (len(rest) == 0 || bytes.ContainsRune([]byte(" \t\r\n"), rune(rest[0])))
}

// onlyPreamble: nothing but space, comments and directives such as %YAML, which
// belong to the document that the next marker begins.
func onlyPreamble(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' && line[0] != '%' {
			return false
		}
	}
	return true
}
