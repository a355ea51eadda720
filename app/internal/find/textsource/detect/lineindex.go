package detect

import (
	"bytes"
	"sort"
	"unicode/utf8"
)

// LineIndex turns offsets into lines and columns and back.
type LineIndex struct {
	data   []byte
	starts []int
	// Where offset last ended: a file of one line asks for each place on it,
	// and counting from its start each time would take quadratic time.
	lastLine, lastColumn, lastOffset int
}

func NewLineIndex(data []byte) *LineIndex {
	ix := &LineIndex{data: data, starts: []int{0}}
	for p := 0; ; {
		i := bytes.IndexByte(data[p:], '\n')
		if i < 0 {
			return ix
		}
		p += i + 1
		ix.starts = append(ix.starts, p)
	}
}

// Position is the line and the column, in bytes, of an offset; both from 1.
func (ix *LineIndex) Position(offset int) (line, column int) {
	offset = max(0, min(offset, len(ix.data)))
	line = sort.SearchInts(ix.starts, offset+1)
	return line, offset - ix.starts[line-1] + 1
}

// Offset is the place of a line and a column in characters, as YAML counts.
func (ix *LineIndex) Offset(line, column int) int {
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

// Line is the text of a line, without its end.
func (ix *LineIndex) Line(n int) []byte {
	if n < 1 || n > len(ix.starts) {
		return nil
	}
	end := len(ix.data)
	if n < len(ix.starts) {
		end = ix.starts[n] - 1
	}
	return bytes.TrimSuffix(ix.data[ix.starts[n-1]:end], []byte("\r"))
}
