package textsource

import (
	"bytes"
	"fmt"
	"sort"
	"unicode/utf8"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// source is a text to look into: a file, or a text inside one, such as a
// script in a ConfigMap. It knows where each of its bytes stands in the file.
type source struct {
	data []byte
	// origin maps an offset in data to one in the enclosing text. Nil for a
	// file, and then out is where hits go.
	origin func(int) int
	parent *source
	out    *[]hit
	// subject is who runs the text, when a manifest around it says so.
	subject evidence.Subject
	// problem records what was not read. Shared with the file's.
	problem func(offset int, message string)
	// turned collects settings that turn a library to slices. Shared with the
	// file's; nil where nobody asks.
	turned func(setting string)
	depth  int
	// calls caches callsAPI: 0 for not looked yet.
	calls int8
}

// hit is a finding before it has a line number.
type hit struct {
	offset     int
	detector   string
	class      evidence.Class
	confidence evidence.Confidence
	verb       string
	access     string
	namespace  string
	advice     string
	note       string
	dual       bool
	subject    evidence.Subject
	// setting is what turns a library to slices. Another file may have it, so
	// that only the whole tree decides about the hit.
	setting string
}

// maxHits is how many places one file can have; a person reads none of so many.
const maxHits = 2000

// report adds a hit at an offset of this text.
func (s *source) report(h hit) {
	if isEmptySubject(h.subject) {
		h.subject = s.subject
	}
	for s.parent != nil {
		h.offset = s.origin(h.offset)
		s = s.parent
	}
	if len(*s.out) == maxHits {
		s.problem(h.offset, fmt.Sprintf("more than %d places in one file; the rest are not listed", maxHits))
		return
	}
	*s.out = append(*s.out, h)
}

// callsAPI reports whether the file speaks of the API server at all. It decides
// about what other programs have too, such as a path /api/v1/endpoints.
func (s *source) callsAPI() bool {
	for s.parent != nil {
		s = s.parent
	}
	if s.calls == 0 {
		s.calls = -1
		if containsAny(s.data, kubeWords) {
			s.calls = 1
		}
	}
	return s.calls > 0
}

// fail records that something at an offset was not read.
func (s *source) fail(offset int, message string) {
	for s.parent != nil {
		offset = s.origin(offset)
		s = s.parent
	}
	s.problem(offset, message)
}

// maxDepth bounds texts in texts: a script in a manifest in a ConfigMap in a
// chart's values is four.
const maxDepth = 6

// inner is a text inside this one; nil when there are too many around it.
func (s *source) inner(data []byte, origin func(int) int) *source {
	if s.depth >= maxDepth {
		return nil
	}
	return &source{data: data, origin: origin, parent: s, subject: s.subject, depth: s.depth + 1}
}

// turn notes that a setting turns its library to slices.
func (s *source) turn(setting string) {
	for s.parent != nil {
		s = s.parent
	}
	if s.turned != nil {
		s.turned(setting)
	}
}

// unescapeSlashes is a text of this one's length with each \/ as /.
func (s *source) unescapeSlashes(text []byte) *source {
	var dropped []int // where a backslash went, in the result
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			if text[i+1] == '/' {
				dropped = append(dropped, len(out))
				continue
			}
			out = append(out, text[i])
			i++
		}
		out = append(out, text[i])
	}
	return s.inner(out, func(o int) int { return o + sort.SearchInts(dropped, o+1) })
}

// slice is the inner text that stands in this one byte for byte.
func (s *source) slice(start, end int) *source {
	return s.inner(s.data[start:end], func(o int) int { return start + o })
}

// lineIndex turns offsets into lines and columns and back.
type lineIndex struct {
	data   []byte
	starts []int
	// Where offset last ended: a file of one line asks for each place on it,
	// and counting from its start each time would take quadratic time.
	lastLine, lastColumn, lastOffset int
}

func newLineIndex(data []byte) *lineIndex {
	ix := &lineIndex{data: data, starts: []int{0}}
	for p := 0; ; {
		i := bytes.IndexByte(data[p:], '\n')
		if i < 0 {
			return ix
		}
		p += i + 1
		ix.starts = append(ix.starts, p)
	}
}

// position is the line and the column, in bytes, of an offset; both from 1.
func (ix *lineIndex) position(offset int) (line, column int) {
	offset = max(0, min(offset, len(ix.data)))
	line = sort.SearchInts(ix.starts, offset+1)
	return line, offset - ix.starts[line-1] + 1
}

// offset is where a line and a column in characters stand, as YAML counts.
func (ix *lineIndex) offset(line, column int) int {
	if line < 1 {
		return 0
	}
	if line > len(ix.starts) {
		return len(ix.data)
	}
	p, i := ix.starts[line-1], 1
	if line == ix.lastLine && column >= ix.lastColumn {
		p, i = ix.lastOffset, ix.lastColumn
	}
	for ; i < column && p < len(ix.data) && ix.data[p] != '\n'; i++ {
		_, n := utf8.DecodeRune(ix.data[p:])
		p += n
	}
	ix.lastLine, ix.lastColumn, ix.lastOffset = line, i, p
	return p
}

// line is the text of a line, without its end.
func (ix *lineIndex) line(n int) []byte {
	if n < 1 || n > len(ix.starts) {
		return nil
	}
	end := len(ix.data)
	if n < len(ix.starts) {
		end = ix.starts[n] - 1
	}
	return bytes.TrimSuffix(ix.data[ix.starts[n-1]:end], []byte("\r"))
}
