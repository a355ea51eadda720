// Package manifest reads what holds Kubernetes objects: YAML with any number of
// documents, JSON values one after the other, or both, in UTF-8 or, with a byte order
// mark, in UTF-16.
//
// A Reader splits a stream into documents and does not parse them: a document that is
// broken costs only itself. Objects goes on from there to the objects, with Lists
// taken apart, and each caller decodes into what it needs.
//
// Memory is bounded by the limit for one document, whatever the stream. Nothing is
// shared: a Reader is for one goroutine.
package manifest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Document is a piece of a stream that is read on its own: an error in it
// does not affect the others.
type Document struct {
	// Number counts documents from 1, empty ones left out.
	Number int
	// Line is where it begins, from 1: for YAML the line of its marker, if it has
	// one, so that the parser's line n is line Line+n-1 of the stream.
	Line int
	// JSON says that Text is one JSON value; else it is YAML.
	JSON bool
	// Text is valid until the next call of Next.
	Text []byte
}

// ErrTooLong is returned for a document that is longer than the limit.
var ErrTooLong = errors.New("is longer than the limit: dump it as JSON, which is read item by item, or one namespace a file")

// SyntaxError is for text that is not JSON, or that ends too early. It ends a stream.
type SyntaxError struct {
	Line int // of the stream, from 1
	Err  error
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: no JSON: %v", e.Line, e.Err) }
func (e *SyntaxError) Unwrap() error { return e.Err }

// Reader reads documents.
type Reader struct {
	in     *bufio.Reader
	max    int
	number int
	line   int // of the document that is being read
	ahead  int // number of the line that comes next
	marker []byte
	err    error

	json   *jsonValues // of the stream
	inner  *jsonValues // of a document of JSON values in a YAML stream
	opened bool
}

// NewReader makes a reader of documents of at most max bytes each.
func NewReader(stream io.Reader, max int) *Reader {
	return &Reader{in: bufio.NewReaderSize(stream, 64<<10), max: max, ahead: 1, line: 1}
}

// JSON reports whether the stream is of JSON values, told by its first bytes, and
// returns it for readers that take values apart while they read. It must be
// called before Next, which is then of no more use.
func (r *Reader) JSON() (*LineCounter, bool) {
	r.open()
	if r.json == nil {
		return nil, false
	}
	return r.json.in, true
}

// Line is the line of the document, or of the error, that Next returned last.
func (r *Reader) Line() int { return r.line }

// Next returns the next document, io.EOF after the last. Those of comments and
// blanks alone are passed over. After an error it can be called again: what is
// behind a YAML document that is too long comes next, and behind JSON that is
// broken or too long nothing of the same run of values.
func (r *Reader) Next() (Document, error) {
	r.open()
	if r.json != nil {
		return r.value(r.json, 0)
	}
	for {
		if r.inner != nil {
			doc, err := r.value(r.inner, r.inner.from)
			if !errors.Is(err, io.EOF) {
				return doc, err
			}
			r.inner = nil
		}
		text, err := r.nextYAML()
		if err != nil {
			return Document{}, err
		}
		if blank(text) {
			continue
		}
		if looksLikeJSON(text) {
			r.inner = newJSONValues(bytes.NewReader(text), r.max)
			r.inner.from = r.line - 1
			continue
		}
		r.number++
		return Document{Number: r.number, Line: r.line, Text: text}, nil
	}
}

// open makes UTF-8 of the stream and tells JSON by its first bytes. Also where JSON
// is valid YAML, JSON's own rules for tabs and escapes hold.
func (r *Reader) open() {
	if r.opened {
		return
	}
	r.opened = true
	r.in = toUTF8(r.in)
	head, _ := r.in.Peek(4096)
	if looksLikeJSON(head) {
		r.json = newJSONValues(r.in, r.max)
	}
}

// looksLikeJSON tells {"a": and [{"a": from {{ a template }} and {a: flow}.
func looksLikeJSON(text []byte) bool {
	const space = " \t\r\n"
	text = bytes.TrimLeft(text, space)
	if isMarker(text) {
		text = bytes.TrimLeft(text[3:], space)
	}
	if rest, found := bytes.CutPrefix(text, []byte("[")); found {
		text = bytes.TrimLeft(rest, space)
	}
	rest, found := bytes.CutPrefix(text, []byte("{"))
	rest = bytes.TrimLeft(rest, space)
	return found && len(rest) > 0 && (rest[0] == '"' || rest[0] == '}')
}

func (r *Reader) nextYAML() ([]byte, error) {
	r.line = r.ahead
	var text []byte
	tooLong := false
	for r.err == nil {
		line := r.marker
		r.marker = nil
		if line == nil {
			line, r.err = r.readLine()
			if errors.Is(r.err, ErrTooLong) {
				r.err, tooLong = nil, true
				r.ahead++
				continue
			}
		}
		// A marker at the first column ends a document whatever comes before:
		// YAML forbids it there even inside a block of text. Before anything but
		// comments and directives it begins one.
		if isMarker(line) && (tooLong || !preamble(text)) {
			r.marker = line
			break
		}
		if len(line) > 0 {
			r.ahead++
		}
		if !tooLong {
			text = append(text, line...)
		}
		if len(text) > r.max {
			text, tooLong = nil, true
		}
		if isEnd(line) {
			break
		}
	}
	switch {
	case tooLong:
		return nil, ErrTooLong
	case len(text) > 0:
		return text, nil
	}
	return nil, r.err
}

// readLine reads a line with its end. A line longer than the limit is read to
// its end and given up.
func (r *Reader) readLine() ([]byte, error) {
	var line []byte
	for {
		part, err := r.in.ReadSlice('\n')
		if len(line)+len(part) > r.max {
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = r.in.ReadSlice('\n')
			}
			if err != nil && !errors.Is(err, io.EOF) {
				return nil, err
			}
			return nil, ErrTooLong
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

func isMarker(line []byte) bool { return begins(line, "---") }
func isEnd(line []byte) bool    { return begins(line, "...") }

func begins(line []byte, mark string) bool {
	rest, found := bytes.CutPrefix(line, []byte(mark))
	return found && (len(rest) == 0 || bytes.ContainsRune([]byte(" \t\r\n"), rune(rest[0])))
}

// preamble reports that there is nothing but space, comments and directives such
// as %YAML, which belong to the document that the next marker begins.
func preamble(text []byte) bool {
	for line := range bytes.Lines(text) {
		if bare := bytes.TrimSpace(line); len(bare) > 0 && bare[0] != '#' && bare[0] != '%' {
			return false
		}
	}
	return true
}

// blank is preamble with markers among it.
func blank(text []byte) bool {
	for line := range bytes.Lines(text) {
		if isMarker(line) || isEnd(line) {
			line = line[3:]
		}
		if !preamble(line) {
			return false
		}
	}
	return true
}

// jsonValues reads JSON values one after the other.
type jsonValues struct {
	in   *LineCounter
	dec  *json.Decoder
	max  int
	from int // lines before the first
	over bool
}

func newJSONValues(in io.Reader, max int) *jsonValues {
	buffered, ok := in.(*bufio.Reader)
	if !ok {
		buffered = bufio.NewReader(in)
	}
	counter := &LineCounter{in: buffered, starts: []int64{0}, first: 1}
	return &jsonValues{in: counter, dec: json.NewDecoder(counter), max: max}
}

// value reads one value of v, which begins from lines into the stream.
func (r *Reader) value(v *jsonValues, from int) (Document, error) {
	if v.over {
		return Document{}, io.EOF
	}
	before := v.dec.InputOffset()
	v.in.limit = before + int64(v.max) + 64<<10 // what the decoder reads ahead
	var raw json.RawMessage
	err := v.dec.Decode(&raw)
	v.over = err != nil
	if errors.Is(err, io.EOF) {
		return Document{}, io.EOF
	}
	if err != nil {
		at := v.dec.InputOffset()
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			at = syntax.Offset
		} else if errors.Is(err, io.ErrUnexpectedEOF) {
			at = v.in.offset
		}
		line, _ := v.in.Position(at)
		r.line = from + line
		if errors.Is(err, ErrTooLong) {
			return Document{}, ErrTooLong
		}
		return Document{Number: r.number + 1, Line: r.line}, &SyntaxError{r.line, err}
	}
	if len(raw) > v.max {
		return Document{}, ErrTooLong
	}
	line, _ := v.in.Position(v.dec.InputOffset() - int64(len(raw)))
	r.line = from + line
	r.number++
	return Document{Number: r.number, Line: r.line, JSON: true, Text: raw}, nil
}
