package hold

import (
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"time"
)

// told is a connection whose reset was told to the writer, as the kernel may.
type told struct{ net.Conn }

func (told) SetWriteDeadline(time.Time) error { return nil }
func (told) Write([]byte) (int, error)        { return 0, syscall.EPIPE }
func (told) Read([]byte) (int, error)         { return 0, io.EOF }

func TestResetThatTheWriterWasToldOfIsNoFIN(t *testing.T) {
	w := &watched{Conn: told{}, timeout: time.Second}
	if _, err := w.Read(nil); transportEnd(err).Kind != FIN {
		t.Errorf("before: %v", err)
	}
	if _, err := w.Write(nil); !errors.Is(err, syscall.EPIPE) {
		t.Error(err)
	}
	if _, err := w.Read(nil); transportEnd(err).Kind != RST {
		t.Errorf("after: %v", err)
	}
}
