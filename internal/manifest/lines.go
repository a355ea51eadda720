package manifest

import "bufio"

// LineCounter reads JSON, notes where lines begin, and forgets those that lie
// behind. It blanks YAML's marker between two values: inside one no line begins
// with it.
type LineCounter struct {
	in     *bufio.Reader
	offset int64   // of what was read from in
	rest   []byte  // read from in and not yet given away
	starts []int64 // offsets of line beginnings, ascending
	first  int     // number of the line that begins at starts[0]
	// limit is the offset at which reading ends with ErrTooLong; 0 means no
	// limit.
	limit int64
}

// Read reads as io.Reader does.
func (l *LineCounter) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		if l.limit > 0 && l.offset > l.limit {
			return 0, ErrTooLong
		}
		piece, err := l.in.ReadSlice('\n')
		if len(piece) == 0 {
			return 0, err
		}
		if l.starts[len(l.starts)-1] == l.offset && isMarker(piece) {
			copy(piece, "   ")
		}
		l.offset += int64(len(piece))
		if piece[len(piece)-1] == '\n' {
			l.starts = append(l.starts, l.offset)
		}
		l.rest = piece
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// Position gives line and column, from 1, of an offset not before the line last
// asked for.
func (l *LineCounter) Position(offset int64) (line, column int) {
	i := 0
	for i+1 < len(l.starts) && l.starts[i+1] <= offset {
		i++
	}
	l.starts = l.starts[i:]
	l.first += i
	return l.first, max(int(offset-l.starts[0])+1, 1)
}
