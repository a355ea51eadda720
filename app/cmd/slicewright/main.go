// Command slicewright moves Kubernetes consumers from Endpoints to
// EndpointSlice. Installed as kubectl-slicewright it is a kubectl plugin.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/slicewright/slicewright/app/internal/cli"
	"github.com/slicewright/slicewright/app/internal/cli/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first Ctrl-C asks for an orderly end, a later one ends: a read of stdin
	// heeds no context. One that comes with the first is the same: timeout(1)
	// sends its signal to the program and to the program's group.
	context.AfterFunc(ctx, func() { time.Sleep(time.Second); stop() })
	code := cli.Main(ctx, command.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, os.Args)
	stop()
	os.Exit(code)
}
