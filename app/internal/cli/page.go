package cli

import (
	"io"
	"os"

	"golang.org/x/term"
)

// noTerminal refuses to write a page to a terminal, before the work that leads to
// it: name is what a file for it could be called.
func noTerminal(out io.Writer, name string) error {
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return usageErrorf("a page is no text for a terminal: redirect it, > %s", name)
	}
	return nil
}
