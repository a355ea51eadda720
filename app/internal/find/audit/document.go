package audit

import (
	"bytes"
	"io"
)

// splitter cuts a stream of JSON documents into records without holding a
// document: the elements of a top-level array, of an array that is a field of a
// top-level object (items, records, logEvents), and of arrays directly in
// those. A top-level object without such elements is a record itself. Text
// between documents is passed over.
type splitter struct {
	// record receives each record; it must not keep it. whole is false for one
	// longer than max, of which it gets the beginning.
	record func(b []byte, whole bool)
	// cut is called for each document that ends or breaks in its middle.
	cut func()
	max int

	buf      []byte
	depth    int
	kinds    [4]byte // the brackets of the outermost levels
	start    int     // depth at which the record in buf began; -1 without a record
	long     bool    // buf is at max, the rest of the record is dropped
	listed   bool    // the top-level object turned out to hold records
	inString bool
	escape   bool
	fresh    bool // at the top level, where a document may begin
}

// split reads r to its end.
func (s *splitter) split(r io.Reader) error {
	s.reset()
	s.fresh = true
	chunk := make([]byte, 256<<10)
	for {
		n, err := r.Read(chunk)
		s.feed(chunk[:n])
		if err == io.EOF {
			if s.depth > 0 {
				s.cut()
			}
			return nil
		}
		if err != nil {
			if s.depth > 0 {
				s.cut()
			}
			return err
		}
	}
}

func (s *splitter) reset() {
	s.buf, s.depth, s.start = s.buf[:0], 0, -1
	s.long, s.listed, s.inString, s.escape, s.fresh = false, false, false, false, false
}

// feed takes the next bytes. from is where the part begins that is not in buf.
func (s *splitter) feed(b []byte) {
	from := 0
	for i := 0; i < len(b); i++ {
		ch := b[i]
		if s.inString {
			switch {
			case s.escape:
				s.escape = false
			case ch == '\\':
				s.escape = true
			case ch == '"':
				s.inString = false
			case ch == '\n': // no JSON string has one: the document was cut here
				s.broken()
				s.fresh = true
			default:
				// Strings are most of a log: jump to what can end them.
				if skip := bytes.IndexAny(b[i:], "\"\\\n"); skip < 0 {
					i = len(b)
				} else {
					i += skip - 1
				}
			}
			continue
		}
		switch ch {
		case '"':
			s.inString = s.depth > 0
		case '{', '[':
			if s.depth == 0 && !s.fresh {
				continue // a bracket in text between documents
			}
			if s.begins(ch) {
				s.buf, s.start, s.long, from = s.buf[:0], s.depth, false, i
			}
			if s.depth < len(s.kinds) {
				s.kinds[s.depth] = ch
			}
			s.depth++
			s.fresh = false
		case '}', ']':
			if s.depth == 0 {
				continue
			}
			if s.depth <= len(s.kinds) && s.kinds[s.depth-1] != ch-2 { // '{' is '}'-2, '[' is ']'-2
				s.broken()
				continue
			}
			s.depth--
			if s.depth == s.start {
				s.keep(b[from : i+1])
				s.finish()
			}
			if s.depth == 0 {
				s.listed, s.fresh = false, true
			}
		case '\n':
			s.fresh = s.fresh || s.depth == 0
		case ' ', '\t', '\r', ',':
		default:
			if s.depth == 0 {
				s.fresh = false
			}
		}
	}
	if s.start >= 0 && from < len(b) {
		s.keep(b[from:])
	}
}

// begins says whether the bracket at this depth opens a record.
func (s *splitter) begins(ch byte) bool {
	if ch != '{' {
		return false
	}
	if s.depth == 0 {
		return true // until an element shows that it is only a wrapper
	}
	if s.depth > len(s.kinds) || s.start > 0 {
		return false
	}
	for _, kind := range s.kinds[1:s.depth] {
		if kind != '[' {
			return false
		}
	}
	if s.depth == 1 && s.kinds[0] == '{' {
		return false // a field of the top-level object
	}
	s.listed = true
	return true
}

func (s *splitter) keep(b []byte) {
	if s.start < 0 || s.long {
		return
	}
	if len(s.buf)+len(b) > s.max {
		b, s.long = b[:max(0, s.max-len(s.buf))], true
	}
	s.buf = append(s.buf, b...)
}

func (s *splitter) finish() {
	s.record(s.buf, !s.long)
	s.buf, s.start, s.long = s.buf[:0], -1, false
}

func (s *splitter) broken() {
	s.cut()
	s.reset()
}
