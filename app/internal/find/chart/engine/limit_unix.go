//go:build linux || darwin || freebsd

package engine

import (
	"runtime/debug"
	"syscall"
)

const (
	memory    = 1 << 30 // bytes that may be written to
	processor = 20      // seconds
)

// limit bounds this process for good. A template can loop for ever or repeat a
// word a billion times, and nothing in the engine would stop it.
func limit() {
	debug.SetMemoryLimit(memory * 3 / 4)
	for resource, value := range map[int]uint64{
		syscall.RLIMIT_DATA: memory, syscall.RLIMIT_CPU: processor, syscall.RLIMIT_FSIZE: 0, syscall.RLIMIT_CORE: 0,
	} {
		// A limit that is lower already stays: it cannot be raised.
		_ = syscall.Setrlimit(resource, &syscall.Rlimit{Cur: value, Max: value})
	}
}
