package web

import (
	"fmt"

	"github.com/slicewright/slicewright/internal/text"
)

// plain is a value in a line of a page. html/template escapes markup, and lets
// through the characters that turn writing around.
func plain(value any) string { return text.Line(fmt.Sprint(value)) }
