package web

import (
	"fmt"
	"strings"
	"unicode"
)

// plain keeps untrusted text from being shown in another order than it has:
// html/template escapes its markup, and not the characters that change the
// direction of writing.
func plain(text any) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			return '\uFFFD'
		}
		return r
	}, fmt.Sprint(text))
}
