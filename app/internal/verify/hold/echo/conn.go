package echo

import (
	"bufio"
	"net"
	"sync"
)

// peeked is a connection whose first bytes have been looked at.
type peeked struct {
	net.Conn
	in     *bufio.Reader
	forget func(net.Conn)
	once   sync.Once
}

func (p *peeked) Read(buffer []byte) (int, error) { return p.in.Read(buffer) }

func (p *peeked) Close() error {
	p.once.Do(func() { p.forget(p.Conn) })
	return p.Conn.Close()
}

// handedOver is a listener whose connections were accepted by somebody else.
type handedOver struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (h *handedOver) Accept() (net.Conn, error) {
	select {
	case conn := <-h.conns:
		return conn, nil
	case <-h.closed:
		return nil, net.ErrClosed
	}
}

func (h *handedOver) Close() error {
	h.once.Do(func() { close(h.closed) })
	return nil
}

func (h *handedOver) Addr() net.Addr { return &net.TCPAddr{} }
