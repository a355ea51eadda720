// Package printable makes text of strangers fit to be shown: names, labels, what
// a consumer answers, what a program says.
package printable

import (
	"strings"
	"unicode"
)

// Text returns text with U+FFFD for everything that a terminal would act on and
// that would break a line or turn it around: all but letters, marks, numbers,
// punctuation, symbols and the space of ASCII. Bytes that are not UTF-8 become
// U+FFFD too.
func Text(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
