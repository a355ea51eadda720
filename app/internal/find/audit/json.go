package audit

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// cursor walks one JSON text without building a tree of it. On valid JSON it
// sees what encoding/json sees; on anything else it stops without a panic, and
// may accept slips inside of values that it skips.
//
// It exists for speed: a log is searched at the pace of memory, and only the
// fields of a handful of keys are ever materialised.
type cursor struct {
	b []byte
	i int
	// scratch holds the last string that had escapes.
	scratch []byte
}

func (c *cursor) space() {
	for c.i < len(c.b) {
		switch c.b[c.i] {
		case ' ', '\t', '\r', '\n':
			c.i++
		default:
			return
		}
	}
}

// peek returns the next byte that is no space, or 0 at the end.
func (c *cursor) peek() byte {
	c.space()
	if c.i >= len(c.b) {
		return 0
	}
	return c.b[c.i]
}

func (c *cursor) take(want byte) bool {
	if c.peek() != want {
		return false
	}
	c.i++
	return true
}

// raw reads a string and returns what is between its quotes.
func (c *cursor) raw() (s []byte, escaped, ok bool) {
	if !c.take('"') {
		return nil, false, false
	}
	start := c.i
	for i := c.i; i < len(c.b); i++ {
		switch ch := c.b[i]; {
		case ch == '"':
			c.i = i + 1
			return c.b[start:i], escaped, true
		case ch == '\\':
			escaped = true
			i++
		case ch < 0x20:
			return nil, false, false
		}
	}
	return nil, false, false
}

// text reads a string. The result is valid until the next call and while the
// text that the cursor walks is.
func (c *cursor) text() ([]byte, bool) {
	s, escaped, ok := c.raw()
	if !ok || !escaped {
		return s, ok
	}
	c.scratch, ok = unescape(c.scratch[:0], s)
	return c.scratch, ok
}

// textOrSkip reads a string, and skips a value of another type as if it were
// empty: null and wrongly typed fields are no reason to lose an event.
func (c *cursor) textOrSkip() ([]byte, bool) {
	if c.peek() == '"' {
		return c.text()
	}
	return nil, c.skip()
}

// number reads an integer; other values are skipped and give 0.
func (c *cursor) number() (int, bool) {
	c.space()
	start := c.i
	if !c.skip() {
		return 0, false
	}
	n, _ := strconv.Atoi(string(c.b[start:c.i]))
	return n, true
}

// object calls f for each key with the cursor at its value, which f must read
// or skip. f returns false to stop; object then returns false.
func (c *cursor) object(f func(key []byte) bool) bool {
	if c.peek() != '{' {
		return c.skip()
	}
	c.i++
	if c.take('}') {
		return true
	}
	for {
		key, ok := c.text()
		if !ok || !c.take(':') || !f(key) {
			return false
		}
		if c.take('}') {
			return true
		}
		if !c.take(',') {
			return false
		}
	}
}

// array calls f for each element, as object does.
func (c *cursor) array(f func() bool) bool {
	if c.peek() != '[' {
		return c.skip()
	}
	c.i++
	if c.take(']') {
		return true
	}
	for {
		if !f() {
			return false
		}
		if c.take(']') {
			return true
		}
		if !c.take(',') {
			return false
		}
	}
}

// skip passes over one value of any type. Objects and arrays are passed by
// counting brackets outside of strings: depth costs no stack.
func (c *cursor) skip() bool {
	switch c.peek() {
	case 0, ',', ':', '}', ']':
		return false
	case '"':
		_, _, ok := c.raw()
		return ok
	case '{', '[':
		depth := 0
		for c.i < len(c.b) {
			switch c.b[c.i] {
			case '"':
				if _, _, ok := c.raw(); !ok {
					return false
				}
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
				if depth == 0 {
					c.i++
					return true
				}
			}
			c.i++
		}
		return false
	default:
		for c.i < len(c.b) {
			switch c.b[c.i] {
			case ',', '}', ']', ' ', '\t', '\r', '\n':
				return true
			}
			c.i++
		}
		return true
	}
}

// unescape appends the string literal s, given without its quotes, to dst.
// Broken surrogates become U+FFFD, as in encoding/json.
func unescape(dst, s []byte) ([]byte, bool) {
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			dst = append(dst, s[i])
			continue
		}
		i++
		if i >= len(s) {
			return dst, false
		}
		switch s[i] {
		case '"', '\\', '/':
			dst = append(dst, s[i])
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			r, ok := hex4(s[i+1:])
			if !ok {
				return dst, false
			}
			i += 4
			if utf16.IsSurrogate(r) {
				low := rune(-1)
				if i+2 < len(s) && s[i+1] == '\\' && s[i+2] == 'u' {
					low, _ = hex4(s[i+3:])
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					i += 6
				}
			}
			dst = utf8.AppendRune(dst, r)
		default:
			return dst, false
		}
	}
	return dst, true
}

func hex4(s []byte) (rune, bool) {
	if len(s) < 4 {
		return -1, false
	}
	var r rune
	for _, ch := range s[:4] {
		switch {
		case '0' <= ch && ch <= '9':
			r = r<<4 | rune(ch-'0')
		case 'a' <= ch && ch <= 'f':
			r = r<<4 | rune(ch-'a'+10)
		case 'A' <= ch && ch <= 'F':
			r = r<<4 | rune(ch-'A'+10)
		default:
			return -1, false
		}
	}
	return r, true
}

// parseTime reads an RFC 3339 time; other text gives the zero time. The form
// that the API server writes is read without time.Parse, which would be a fifth
// of all the time spent on an event.
func parseTime(s []byte) time.Time {
	const form = "2006-01-02T15:04:05"
	if len(s) > len(form) && s[4] == '-' && s[7] == '-' && s[10] == 'T' && s[13] == ':' && s[16] == ':' && s[len(s)-1] == 'Z' {
		year, ok1 := digits(s[0:4])
		month, ok2 := digits(s[5:7])
		day, ok3 := digits(s[8:10])
		hour, ok4 := digits(s[11:13])
		minute, ok5 := digits(s[14:16])
		second, ok6 := digits(s[17:19])
		nanos, ok7 := fraction(s[len(form) : len(s)-1])
		valid := month >= 1 && month <= 12 && day >= 1 && day <= 28 && hour < 24 && minute < 60 && second < 60
		if ok1 && ok2 && ok3 && ok4 && ok5 && ok6 && ok7 && valid {
			return time.Date(year, time.Month(month), day, hour, minute, second, nanos, time.UTC)
		}
	}
	// Days 29 to 31 come here too: time.Parse knows the lengths of months.
	t, err := time.Parse(time.RFC3339Nano, string(s))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

func digits(s []byte) (int, bool) {
	n := 0
	for _, ch := range s {
		if ch < '0' || ch > '9' {
			return 0, false
		}
		n = n*10 + int(ch-'0')
	}
	return n, true
}

// fraction reads ".123456" as nanoseconds.
func fraction(s []byte) (int, bool) {
	if len(s) == 0 {
		return 0, true
	}
	if s[0] != '.' || len(s) == 1 || len(s) > 10 {
		return 0, false
	}
	n, ok := digits(s[1:])
	for range 10 - len(s) {
		n *= 10
	}
	return n, ok
}

// looseTime reads the times of query tools: RFC 3339, SQL with a space and
// perhaps a zone, and milliseconds since 1970.
func looseTime(s string) time.Time {
	s = strings.TrimSpace(s)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999", "2006-01-02 15:04:05.999999999 MST", "2006-01-02 15:04:05.999999999-07:00"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	if ms, err := strconv.ParseInt(s, 10, 64); err == nil && ms > 1e11 && ms < 1e14 {
		return time.UnixMilli(ms).UTC()
	}
	return time.Time{}
}
