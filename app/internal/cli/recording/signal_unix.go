//go:build unix

package recording

import (
	"os/signal"
	"syscall"
)

// IgnoreFileSizeSignal makes a file size limit an error of the write instead of the
// end of the process.
func IgnoreFileSizeSignal() { signal.Ignore(syscall.SIGXFSZ) }
