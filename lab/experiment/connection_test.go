package experiment

import (
	"bufio"
	"fmt"
	"net"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestACutConnectionIsResetAndRefusedAndComesBackAtTheSameAddress(t *testing.T) {
	defer goleak.VerifyNone(t)
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := server.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				lines := bufio.NewScanner(conn)
				for lines.Scan() {
					fmt.Fprintln(conn, "echo "+lines.Text())
				}
			}()
		}
	}()
	c, err := newConnection(server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	address := c.address
	ask := func(conn net.Conn) (string, error) {
		_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
		if _, err := fmt.Fprintln(conn, "hello"); err != nil {
			return "", err
		}
		return bufio.NewReader(conn).ReadString('\n')
	}
	open := func() net.Conn {
		t.Helper()
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		return conn
	}
	first := open()
	defer first.Close()
	if answer, err := ask(first); err != nil || answer != "echo hello\n" {
		t.Fatalf("%q, %v", answer, err)
	}
	for range 2 {
		c.cut()
		if answer, err := ask(first); err == nil {
			t.Errorf("an open connection still answers %q", answer)
		}
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			t.Error("a new connection is taken")
		}
		if err := c.mend(); err != nil {
			t.Fatal(err)
		}
		first = open()
		if answer, err := ask(first); err != nil || answer != "echo hello\n" {
			t.Errorf("after it came back: %q, %v", answer, err)
		}
	}
	first.Close()
	c.cut()
	server.Close()
	<-done
}
