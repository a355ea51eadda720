package connect

import (
	"errors"
	"io"
	"net"
	"syscall"
)

// Ended reports whether err says that the other side ended the connection,
// in whatever way.
func Ended(err error) bool {
	return Reset(err) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

// Reset reports whether err says that the other side cut the connection (RST)
// instead of closing it (FIN).
func Reset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNABORTED)
}
