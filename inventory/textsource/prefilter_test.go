package textsource

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// The matcher finds what a plain search finds, and nothing else, wherever the
// word stands.
func TestMatcherAgreesWithPlainSearch(t *testing.T) {
	matchers := []*matcher{wordsCode, wordsYAML, wordsHCL, wordsSettings, newMatcher("vwxyzab", "abvwxyz")}
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(matchers).Draw(t, "matcher")
		// Pieces of the words make near misses likely.
		piece := rapid.Custom(func(t *rapid.T) []byte {
			w := rapid.SampledFrom(m.words).Draw(t, "word")
			from := rapid.IntRange(0, len(w)).Draw(t, "from")
			return w[from:rapid.IntRange(from, len(w)).Draw(t, "to")]
		})
		data := bytes.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), rapid.SampledFrom([][]byte{nil, []byte(" "), []byte("n")}).Draw(t, "between"))
		if got, want := m.in(data), containsAny(data, m.words); got != want {
			t.Fatalf("in(%q) = %v, want %v", data, got, want)
		}
	})
}
