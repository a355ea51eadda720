package shell

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The word ep is found where a plain search with its boundaries finds it.
func TestShellWordsAgreeWithAPlainSearch(t *testing.T) {
	word := regexp.MustCompile(`(^|[^_a-zA-Z0-9])ep([^_a-zA-Z0-9]|$)|ndpoint`)
	rapid.Check(t, func(t *rapid.T) {
		data := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"e", "p", "ep", " ", "step", "\n", "ndpoint", ","}), 0, 9).Draw(t, "pieces"), ""))
		if got, want := MentionsCommands(data), word.Match(data); got != want {
			t.Fatalf("mentionsCommands(%q) = %v, want %v", data, got, want)
		}
	})
}
