//go:build !unix

package recording

// IgnoreFileSizeSignal does nothing: there is no such signal.
func IgnoreFileSizeSignal() {}
