package audit

import (
	"bytes"
	"io"
	"time"
)

// batch is what one chunk of a log held.
type batch struct {
	events    []Event
	records   int // lines, or records of a document
	text      int // records that are no JSON at all
	cut       []int
	cuts      int
	oversized int
	headless  int // oversized records of which even the beginning did not tell enough
	seen      sightings
	from, to  time.Time
	err       error
}

// maxCutPlaces is how many places of cut lines a batch names.
const maxCutPlaces = 10

// lines decodes a chunk of whole lines. Only those with the needle are looked
// into; of the others only the last byte, which shows whether they were cut.
func (d *decoder) lines(data []byte, out *batch) {
	first := out.records
	next := indexNeedle(data)
	for pos := 0; pos < len(data); {
		end := len(data)
		if n := bytes.IndexByte(data[pos:], '\n'); n >= 0 {
			end = pos + n
		}
		line := bytes.TrimRight(data[pos:end], " \r\t\x00")
		hit := next >= 0 && next < end
		if hit {
			if n := indexNeedle(data[end:]); n >= 0 {
				next = end + n
			} else {
				next = -1
			}
		}
		pos = end + 1
		if len(line) == 0 {
			continue
		}
		out.records++
		whole := line[len(line)-1] == '}'
		if whole && (!hit || d.line(line) != broken) {
			continue
		}
		if bytes.Contains(line, []byte(`{"`)) {
			out.cuts++
			if len(out.cut) < maxCutPlaces {
				out.cut = append(out.cut, out.records)
			}
		} else {
			out.text++
		}
	}
	if out.records > first {
		out.from = nonZero(out.from, firstTime(data))
		out.to = nonZero(lastTime(data), out.to)
	}
}

// oversizedLine decodes the beginning of a line that is longer than is held.
func (d *decoder) oversizedLine(head []byte, out *batch) {
	out.records++
	out.oversized++
	if hasNeedle(head) && d.head(head) == broken || !bytes.Contains(head, []byte(`"objectRef"`)) {
		out.headless++
	}
}

func nonZero(a, b time.Time) time.Time {
	if a.IsZero() {
		return b
	}
	return a
}

// The times of a log's window are read off the first and the last event of each
// chunk, whatever they are about. stageTimestamp is in the order of the log;
// "timestamp" is Google's and "time" Azure's and Docker's.
var timeKeys = [][]byte{[]byte(`"stageTimestamp":`), []byte(`\"stageTimestamp\":`), []byte(`"timestamp":`), []byte(`"time":`)}

func firstTime(data []byte) time.Time {
	head := data[:min(len(data), 64<<10)]
	for _, key := range timeKeys {
		if i := bytes.Index(head, key); i >= 0 {
			if t := timeAt(data[i+len(key):]); !t.IsZero() {
				return t
			}
		}
	}
	return time.Time{}
}

func lastTime(data []byte) time.Time {
	tail := data[max(0, len(data)-64<<10):]
	for _, key := range timeKeys {
		if i := bytes.LastIndex(tail, key); i >= 0 {
			if t := timeAt(tail[i+len(key):]); !t.IsZero() {
				return t
			}
		}
	}
	return time.Time{}
}

func timeAt(b []byte) time.Time {
	b = bytes.TrimLeft(b[:min(len(b), 64)], ` \"`)
	if i := bytes.IndexAny(b, `\"`); i >= 0 {
		return parseTime(b[:i])
	}
	return time.Time{}
}

// chunk reads the lines that begin in [off, off+size) of a file into buf. A
// line that goes on behind the end is read to its own end, up to max bytes; if
// it is longer, what was read of it is returned as head.
func chunk(f io.ReaderAt, off int64, size, limit int, buf []byte) (lines, head, reuse []byte, err error) {
	begin := off
	if off > 0 {
		begin-- // to see whether a line begins exactly at off
		size++
	}
	buf, eof, err := readAt(f, buf[:0], begin, size)
	if err != nil {
		return nil, nil, buf, err
	}
	skip := 0
	if off > 0 {
		if skip = bytes.IndexByte(buf, '\n') + 1; skip == 0 {
			return nil, nil, buf, nil // inside of one long line, which another chunk owns
		}
	}
	for !eof {
		last := bytes.LastIndexByte(buf, '\n') + 1
		if last == len(buf) {
			break
		}
		lineStart := max(last, skip)
		if len(buf)-lineStart > limit {
			return buf[skip:lineStart], buf[lineStart:], buf, nil
		}
		// The tail is searched on its own: it may be long, and is read in steps.
		tail := len(buf)
		if buf, eof, err = readAt(f, buf, begin+int64(tail), 64<<10); err != nil {
			return nil, nil, buf, err
		}
		if n := bytes.IndexByte(buf[tail:], '\n'); n >= 0 {
			buf = buf[:tail+n+1]
			break
		}
	}
	if skip > len(buf) {
		skip = len(buf)
	}
	return buf[skip:], nil, buf, nil
}

// readAt appends n bytes from off to buf, fewer at the end of the file.
func readAt(f io.ReaderAt, buf []byte, off int64, n int) (out []byte, eof bool, err error) {
	have := len(buf)
	if cap(buf) < have+n {
		grown := make([]byte, have, have+n+n/4)
		copy(grown, buf)
		buf = grown
	}
	got, err := f.ReadAt(buf[have:have+n], off)
	if err == io.EOF {
		eof, err = true, nil
	}
	return buf[:have+got], eof, err
}
