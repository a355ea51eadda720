package gobuild

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

// countPackages counts the lines of go build -v that name a package and
// returns the end of the others: what the compiler had to say.
func countPackages(r io.Reader, compiled *atomic.Int64) string {
	var said bytes.Buffer
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := lines.Text()
		if line != "" && !strings.ContainsAny(line, " #:") {
			compiled.Add(1)
		} else if said.Len() < 16<<10 {
			fmt.Fprintln(&said, line)
		}
	}
	// A line too long for the scanner: nothing to count, but go build must not
	// block on a full pipe.
	if lines.Err() != nil && !errors.Is(lines.Err(), os.ErrClosed) {
		_, _ = io.Copy(io.Discard, r)
	}
	return said.String()
}

func (c Cache) report(title string, compiled *atomic.Int64, stop <-chan struct{}) {
	if c.Progress == nil {
		<-stop
		return
	}
	every, begin, end := 30*time.Second, "", "\n"
	if c.Terminal {
		every, begin, end = time.Second, "\r\x1b[K", ""
	}
	start := time.Now()
	line := func(what string) {
		fmt.Fprintf(c.Progress, "%s%s %s: %d packages compiled, %s%s", begin, what, title,
			compiled.Load(), time.Since(start).Round(time.Second), end)
	}
	fmt.Fprintf(c.Progress, "Building %s. The first time this takes minutes.\n", title)
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			line("Building")
		case <-stop:
			line("Built")
			if c.Terminal {
				fmt.Fprintln(c.Progress)
			}
			return
		}
	}
}
