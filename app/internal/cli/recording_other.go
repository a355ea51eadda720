//go:build !unix

package cli

// IgnoreFileSizeSignal does nothing: there is no such signal.
func IgnoreFileSizeSignal() {}
