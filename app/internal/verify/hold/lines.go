package hold

import (
	"bufio"
	"errors"
	"io"
	"net"
)

// lines carries messages as lines over TCP or TLS.
type lines struct {
	conn net.Conn
	in   *bufio.Reader
}

func openLines(conn net.Conn, t *Target) (*lines, error) {
	if !t.options.Silent {
		if _, err := io.WriteString(conn, hello+"\n"); err != nil {
			return nil, err
		}
	}
	return &lines{conn: conn, in: bufio.NewReaderSize(conn, maxLine+1)}, nil
}

func (l *lines) send(text string) error {
	_, err := io.WriteString(l.conn, text+"\n")
	return err
}

func (l *lines) receive() (string, error) {
	line, err := l.in.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return string(line), nil // no answer is that long: it counts as strange
	case err != nil:
		return "", err // what came without a line end was no whole answer
	}
	return string(line[:len(line)-1]), nil
}

func (l *lines) end(err error) End { return transportEnd(err) }

func (l *lines) goodbye() {
	if c, ok := l.conn.(interface{ CloseWrite() error }); ok {
		_ = c.CloseWrite() // it may have ended already
	}
}

func (l *lines) cut() { _ = l.conn.Close() }
