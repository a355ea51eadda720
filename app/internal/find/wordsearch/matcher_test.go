package wordsearch

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func plain(data []byte, words [][]byte) bool {
	return slices.ContainsFunc(words, func(w []byte) bool { return bytes.Contains(data, w) })
}

// The matcher finds what a plain search finds, and nothing else, wherever the
// word is.
func TestMatcherAgreesWithPlainSearch(t *testing.T) {
	matchers := []*Matcher{
		New("ndpoint", "kubectl", "amespaced"), New("vwxyzab", "abvwxyz"), New("ab", "ndpoint"),
		New("ndpoint", "NDPOINT", "kubectl", "oc get ", "monitoring.coreos.com", "kube-state-metrics"),
	}
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(matchers).Draw(t, "matcher")
		// Pieces of the words make near misses likely.
		piece := rapid.Custom(func(t *rapid.T) []byte {
			w := rapid.SampledFrom(m.words).Draw(t, "word")
			from := rapid.IntRange(0, len(w)).Draw(t, "from")
			return w[from:rapid.IntRange(from, len(w)).Draw(t, "to")]
		})
		data := bytes.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), rapid.SampledFrom([][]byte{nil, []byte(" "), []byte("n")}).Draw(t, "between"))
		// Long enough to be searched in quarters, with the pieces anywhere in them.
		padding := rapid.SampledFrom([]string{"", "x", "ubectl ", "ndpoin "}).Draw(t, "padding")
		before, after := rapid.IntRange(0, 200).Draw(t, "before"), rapid.IntRange(0, 200).Draw(t, "after")
		data = bytes.Join([][]byte{bytes.Repeat([]byte(padding), before), data, bytes.Repeat([]byte(padding), after)}, nil)
		if got, want := m.In(data), plain(data, m.words); got != want {
			t.Fatalf("in(%q) = %v, want %v", data, got, want)
		}
	})
}

// A word is found anywhere in a text that is searched in quarters, also
// across their borders.
func TestAWordIsFoundAtEveryPlace(t *testing.T) {
	m := New("ndpoint", "kubectl", "kube-state-metrics")
	for _, word := range m.words {
		for at := range 400 {
			data := bytes.Repeat([]byte("."), 400)
			copy(data[at:], word)
			if got, want := m.In(data), at+len(word) <= len(data); got != want {
				t.Fatalf("%s at %d of %d: %v", word, at, len(data), got)
			}
		}
	}
}
