//go:build !unix

package wordsearch

import "os"

// File is a file.
type File struct{ *os.File }

// Open opens a file for reading.
func Open(name string) (File, error) {
	f, err := os.Open(name)
	return File{f}, err
}

// Close closes the file.
func (f File) Close() { f.File.Close() }
