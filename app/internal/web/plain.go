package web

import (
	"fmt"
	"strings"
	"unicode"
)

// plain keeps a stranger's text from being shown in another order than it has:
// html/template takes its markup, and not the characters that turn writing
// around.
func plain(text any) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			return '\uFFFD'
		}
		return r
	}, fmt.Sprint(text))
}
