// Package wordsearch tells files that have one of a few words from those, nearly
// all, that have none, at the cost of reading them.
package wordsearch

import "bytes"

// Matcher looks for several words in one pass (Wu and Manber, 1994): the last
// two bytes of a window as long as the shortest word tell how far the window
// can move before any word can end in it. Most moves are the whole window, so
// that the number of words costs next to nothing. It may be used by several
// goroutines.
type Matcher struct {
	words  [][]byte
	window int
	shift  [1 << 13]uint8
	// first is set for the bytes that a word begins with.
	first [256]bool
}

// New makes a matcher for words of two bytes and more, of which the shortest
// decides how fast it is.
func New(words ...string) *Matcher {
	m := &Matcher{window: 255}
	for _, w := range words {
		m.words = append(m.words, []byte(w))
		m.window = min(m.window, len(w))
		m.first[w[0]] = true
	}
	for i := range m.shift {
		m.shift[i] = uint8(m.window - 1)
	}
	for _, w := range m.words {
		for end := 1; end < m.window; end++ {
			h := pairHash(w[end-1], w[end])
			m.shift[h] = min(m.shift[h], uint8(m.window-1-end))
		}
	}
	return m
}

func pairHash(a, b byte) uint { return (uint(a)<<6 ^ uint(b)) & (1<<13 - 1) }

// In reports whether one of the words is in data.
//
// How far a window moves is known only after two loads that wait for each other,
// so that one window leaves a processor idle most of the time. Four, each over
// its quarter, take hardly longer than one does.
func (m *Matcher) In(data []byte) bool {
	const lanes = 4
	w := m.window
	quarter := len(data) / lanes
	if quarter < 64 {
		return m.from(data, w-1, len(data))
	}
	// A window belongs to the lane that its last byte is in.
	a, b, c, d := w-1, quarter, 2*quarter, 3*quarter
	for a < quarter && b < 2*quarter && c < 3*quarter && d < len(data) {
		sa := m.shift[pairHash(data[a-1], data[a])]
		sb := m.shift[pairHash(data[b-1], data[b])]
		sc := m.shift[pairHash(data[c-1], data[c])]
		sd := m.shift[pairHash(data[d-1], data[d])]
		if sa != 0 && sb != 0 && sc != 0 && sd != 0 {
			a, b, c, d = a+int(sa), b+int(sb), c+int(sc), d+int(sd)
			continue
		}
		if sa == 0 && m.at(data, a) || sb == 0 && m.at(data, b) || sc == 0 && m.at(data, c) || sd == 0 && m.at(data, d) {
			return true
		}
		a, b, c, d = a+max(1, int(sa)), b+max(1, int(sb)), c+max(1, int(sc)), d+max(1, int(sd))
	}
	return m.from(data, a, quarter) || m.from(data, b, 2*quarter) || m.from(data, c, 3*quarter) || m.from(data, d, len(data))
}

// from looks at the windows that end at i and later, before end.
func (m *Matcher) from(data []byte, i, end int) bool {
	for i < end {
		if s := m.shift[pairHash(data[i-1], data[i])]; s > 0 {
			i += int(s)
			continue
		}
		if m.at(data, i) {
			return true
		}
		i++
	}
	return false
}

// at reports whether a word begins where the window that ends at i does.
func (m *Matcher) at(data []byte, i int) bool {
	start := data[i-m.window+1:]
	return m.first[start[0]] && m.begins(start)
}

// begins reports whether a text begins with one of the words.
func (m *Matcher) begins(text []byte) bool {
	for _, w := range m.words {
		if bytes.HasPrefix(text, w) {
			return true
		}
	}
	return false
}
