package command

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// Streams are what a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Open opens a file, or stdin for "-".
func (s Streams) Open(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(s.In), nil
	}
	return os.Open(name)
}

// OpenEvents opens what --events names: a recorded watch, or stdin for "-".
func (s Streams) OpenEvents(name string) (io.ReadCloser, error) {
	in, err := s.Open(name)
	if err != nil {
		return nil, fmt.Errorf("--events: %w", err)
	}
	return in, nil
}

// InputName is the name of a file in messages: "stdin" for "-".
func InputName(name string) string {
	if name == "-" {
		return "stdin"
	}
	return name
}

// NoTerminal refuses to write a page to a terminal, before the work that leads
// to the page: name is what a file for it could be called.
func NoTerminal(out io.Writer, name string) error {
	if _, ok := terminal(out); ok {
		return UsageErrorf("a page is no text for a terminal: redirect it, > %s", name)
	}
	return nil
}

// ProgressLine returns a function that rewrites one line of a terminal. For
// anything else the function does nothing.
func ProgressLine(w io.Writer) func(string) {
	f, ok := terminal(w)
	if !ok {
		return func(string) {}
	}
	return func(text string) { fmt.Fprintf(f, "\r\033[K%s", text) }
}

func terminal(w io.Writer) (*os.File, bool) {
	f, ok := w.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}
