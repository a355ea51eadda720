// Package nettest has the small listeners of tests, on loopback.
package nettest

import (
	"net"
	"sync"
	"testing"
)

// Serve accepts connections at a free port of an IP address until the test ends,
// does with each what it is told, in a goroutine of its own, and closes it. It
// returns where it listens. When the test ends it waits for all of them: do has
// to return when the other side is gone.
func Serve(t testing.TB, ip string, do func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(ip, "0"))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer conn.Close()
				do(conn)
			})
		}
	})
	t.Cleanup(func() { listener.Close(); all.Wait() })
	return listener.Addr().String()
}

// FreeAddress is one at which nobody listens, for programs that cannot be given
// a listener. Somebody else can take it before they do.
func FreeAddress(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}
