package manifest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// UTF8 returns the stream as UTF-8 without a byte order mark, for a caller that needs
// no documents. It reads the first bytes when it is called.
func UTF8(stream io.Reader) io.Reader { return toUTF8(bufio.NewReaderSize(stream, 64<<10)) }

// toUTF8 returns the stream as UTF-8 without a byte order mark. The mark alone tells
// UTF-16, which is what ">" writes in Windows PowerShell: YAML and JSON without it are
// UTF-8.
func toUTF8(in *bufio.Reader) *bufio.Reader {
	if mark, _ := in.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = in.Discard(3)
		return in
	}
	mark, _ := in.Peek(2)
	var order binary.ByteOrder
	switch string(mark) {
	case "\xff\xfe":
		order = binary.LittleEndian
	case "\xfe\xff":
		order = binary.BigEndian
	default:
		return in
	}
	_, _ = in.Discard(2)
	return bufio.NewReaderSize(&fromUTF16{in: in, order: order}, 64<<10)
}

// fromUTF16 reads UTF-16 as UTF-8. Half of a surrogate pair becomes U+FFFD.
type fromUTF16 struct {
	in    *bufio.Reader
	order binary.ByteOrder
	rest  []byte // read and not yet given away
	first rune   // half of a surrogate pair that was read; 0 is nothing
	err   error  // that ended the stream; a caller may peek at it and read again
}

func (f *fromUTF16) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		if f.err != nil {
			return 0, f.err
		}
		var two [2]byte
		if _, f.err = io.ReadFull(f.in, two[:]); f.err == nil {
			f.add(rune(f.order.Uint16(two[:])))
		} else if f.first != 0 {
			f.first, f.rest = 0, utf8.AppendRune(f.rest[:0], utf8.RuneError)
		}
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// add takes in one unit. A first half of a pair waits for the second.
func (f *fromUTF16) add(unit rune) {
	f.rest = f.rest[:0]
	if f.first != 0 {
		pair := utf16.DecodeRune(f.first, unit)
		f.first = 0
		f.rest = utf8.AppendRune(f.rest, pair)
		if pair != utf8.RuneError {
			return
		}
	}
	if 0xd800 <= unit && unit < 0xdc00 {
		f.first = unit
		return
	}
	f.rest = utf8.AppendRune(f.rest, unit)
}
