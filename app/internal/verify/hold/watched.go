package hold

import (
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/slicewright/slicewright/app/internal/verify/connect"
)

// watched is a TCP connection that remembers being reset. The kernel tells of an
// RST once, to the next read or write. If that is the writer's, the reader would
// see the same end as after a FIN.
type watched struct {
	net.Conn
	timeout time.Duration // of one write

	mu    sync.Mutex // held while writing
	reset bool
}

func (w *watched) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.SetWriteDeadline(time.Now().Add(w.timeout)); err != nil {
		return 0, err
	}
	n, err := w.Conn.Write(text)
	if connect.Reset(err) {
		w.reset = true
	}
	return n, err
}

func (w *watched) Read(buffer []byte) (int, error) {
	n, err := w.Conn.Read(buffer)
	if errors.Is(err, io.EOF) {
		w.mu.Lock() // after a write that is on its way
		defer w.mu.Unlock()
		if w.reset {
			return n, syscall.ECONNRESET
		}
	}
	return n, err
}

// CloseWrite sends a FIN.
func (w *watched) CloseWrite() error {
	if c, ok := w.Conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return w.Close()
}

// transportEnd says what an error of a connection means.
func transportEnd(err error) End {
	switch {
	case connect.Reset(err):
		return End{Kind: RST}
	case errors.Is(err, io.EOF):
		return End{Kind: FIN}
	case errors.Is(err, io.ErrUnexpectedEOF):
		// Go's TLS says so of a connection that ended without its goodbye, and readers
		// of what came in the middle of something.
		return End{Kind: FIN, Detail: "in the middle of a record or a frame"}
	}
	return End{Kind: Failed, Detail: err.Error()}
}
