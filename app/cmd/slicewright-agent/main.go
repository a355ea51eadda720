// Command slicewright-agent is the part of slicewright that runs beside a load
// balancer or in a Pod: it keeps load balancers at the backends of Services.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/slicewright/slicewright/app/internal/cli/backends"
	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/cli/run"
	"github.com/slicewright/slicewright/app/internal/cli/version"
)

var agent = command.Program{
	Name:  "slicewright-agent",
	Short: "Keep load balancers at the backends that the EndpointSlices give",
	Long: `The agent is the part of Slicewright that runs beside a load balancer or in a
Pod. Its commands are those of slicewright, which has more.`,
	Commands: []command.New{run.New, backends.New, version.New},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// As in slicewright: a second signal ends what heeds no context.
	context.AfterFunc(ctx, func() { time.Sleep(time.Second); stop() })
	code := agent.Main(ctx, command.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, os.Args)
	stop()
	os.Exit(code)
}
