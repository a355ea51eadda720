//go:build unix

package wordsearch

import (
	"io"
	"io/fs"
	"syscall"
)

// File is a file without Go's poller, which makes two more system calls for each
// file, and most files are read by one call.
type File int

// Open opens a file for reading. It follows no link in the last part of the name
// and does not wait for the other end of a pipe.
func Open(name string) (File, error) {
	for {
		fd, err := syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return -1, &fs.PathError{Op: "open", Path: name, Err: err}
		}
		return File(fd), nil
	}
}

// Read reads as io.Reader does.
func (f File) Read(p []byte) (int, error) {
	for {
		n, err := syscall.Read(int(f), p)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return 0, err
		case n == 0 && len(p) > 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

// Close closes the file.
func (f File) Close() { syscall.Close(int(f)) }
