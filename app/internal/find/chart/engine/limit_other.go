//go:build !linux && !darwin && !freebsd

package engine

import "runtime/debug"

// limit: only the clock of the process above bounds a rendering here.
func limit() { debug.SetMemoryLimit(768 << 20) }
