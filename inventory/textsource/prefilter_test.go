package textsource

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The matcher finds what a plain search finds, and nothing else, wherever the
// word stands.
// The word ep is found where a plain search with its boundaries finds it.
func TestShellWordsAgreeWithAPlainSearch(t *testing.T) {
	word := regexp.MustCompile(`(^|[^_a-zA-Z0-9])ep([^_a-zA-Z0-9]|$)|ndpoint`)
	rapid.Check(t, func(t *rapid.T) {
		data := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"e", "p", "ep", " ", "step", "\n", "ndpoint", ","}), 0, 9).Draw(t, "pieces"), ""))
		if got, want := mentionsCommands(data), word.Match(data); got != want {
			t.Fatalf("mentionsCommands(%q) = %v, want %v", data, got, want)
		}
	})
}

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
		// Long enough to be searched in quarters, with the pieces anywhere in them.
		padding := rapid.SampledFrom([]string{"", "x", "ubectl ", "ndpoin "}).Draw(t, "padding")
		before, after := rapid.IntRange(0, 200).Draw(t, "before"), rapid.IntRange(0, 200).Draw(t, "after")
		data = bytes.Join([][]byte{bytes.Repeat([]byte(padding), before), data, bytes.Repeat([]byte(padding), after)}, nil)
		if got, want := m.in(data), containsAny(data, m.words); got != want {
			t.Fatalf("in(%q) = %v, want %v", data, got, want)
		}
	})
}
