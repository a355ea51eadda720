package experiment

import (
	"fmt"
	"io"
	"net"
	"sync"
)

// A connection is a consumer's way to the API server, which can be cut: open
// connections are reset and new ones refused, as if the API server's machine
// were gone, while everybody else still has it. Its methods may be called
// concurrently.
type connection struct {
	to string // the API server

	mu       sync.Mutex
	address  string       // ours, the same after every cut; guarded by mu
	listener net.Listener // nil while cut; guarded by mu
	open     map[net.Conn]bool
	wait     sync.WaitGroup
}

// newConnection returns one that is whole.
func newConnection(to string) (*connection, error) {
	c := &connection{to: to, address: "127.0.0.1:0", open: map[net.Conn]bool{}}
	return c, c.mend()
}

// mend takes connections again.
func (c *connection) mend() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.listener != nil {
		return nil
	}
	listener, err := net.Listen("tcp", c.address)
	if err != nil {
		return fmt.Errorf("take a consumer's connections to the API server: %w", err)
	}
	c.listener, c.address = listener, listener.Addr().String()
	c.wait.Go(func() { c.serve(listener) })
	return nil
}

// cut resets what is open and refuses what comes.
func (c *connection) cut() {
	c.mu.Lock()
	if c.listener != nil {
		_ = c.listener.Close()
		c.listener = nil
	}
	for conn := range c.open {
		_ = conn.Close()
	}
	c.mu.Unlock()
	c.wait.Wait()
}

func (c *connection) serve(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		c.wait.Go(func() { c.carry(listener, conn) })
	}
}

func (c *connection) carry(of net.Listener, conn net.Conn) {
	defer conn.Close()
	server, err := net.Dial("tcp", c.to)
	if err != nil {
		return // the API server is away: the client sees its connection close
	}
	defer server.Close()
	c.mu.Lock()
	if c.listener != of {
		c.mu.Unlock()
		return // cut meanwhile
	}
	c.open[conn], c.open[server] = true, true
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.open, conn)
		delete(c.open, server)
	}()
	var wait sync.WaitGroup
	// Whichever direction ends, ends both.
	for _, pair := range [][2]net.Conn{{conn, server}, {server, conn}} {
		wait.Go(func() {
			_, _ = io.Copy(pair[0], pair[1])
			_ = pair[0].Close()
			_ = pair[1].Close()
		})
	}
	wait.Wait()
}
