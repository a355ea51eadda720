// Program echo is a backend for `slicewright verify --hold`: it answers numbered
// messages over HTTP/2 without TLS, WebSocket and TCP, and says who it is to any
// other request. Run as a Pod it shows what a load balancer does to long
// connections, without a change of one's own programs.
//
// After SIGTERM it goes on for as long as --linger says, as programs do that wait
// until load balancers have heard; then it says goodbye on every connection, and
// after --grace it cuts those that are left. --cut leaves the goodbye out.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/slicewright/slicewright/app/internal/verify/hold/echo"
)

func main() {
	listen := flag.String("listen", ":8080", "address to listen on")
	name := flag.String("name", hostname(), "what to call itself; in a Pod the host's name is the Pod's")
	linger := flag.Duration("linger", 2*time.Second, "how long to go on after SIGTERM")
	grace := flag.Duration("grace", 10*time.Second, "how long connections may take to end after the goodbye")
	cut := flag.Bool("cut", false, "cut connections instead of saying goodbye")
	flag.Parse()
	if err := run(*listen, *name, *linger, *grace, *cut); err != nil {
		fmt.Fprintln(os.Stderr, "echo:", err)
		os.Exit(1)
	}
}

func run(listen, name string, linger, grace time.Duration, cut bool) error {
	terminated, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	fmt.Println("listening on", listener.Addr())
	server := &echo.Server{Name: name}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-terminated.Done():
	}
	time.Sleep(linger)
	if !cut {
		ctx, cancel := context.WithTimeout(context.Background(), grace)
		defer cancel()
		_ = server.Shutdown(ctx) // what did not end in time is cut
	}
	server.Close()
	return <-failed
}

func hostname() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
}
