package hold

import (
	"context"
	"sync"
)

// Run opens the targets' connections and holds them until ctx ends or all of
// them have. It says goodbye to those that are open then, and reports.
//
// opened, which can be nil, is called once, when every connection has been made
// and its backend has answered, or has been given up: the moment to begin the
// change that is to be looked at. Its report is what is known then.
func Run(ctx context.Context, targets []*Target, opened func(Report)) Report {
	var holds []*held
	for _, target := range targets {
		for range target.options.Connections {
			holds = append(holds, &held{target: target, ready: make(chan struct{})})
		}
	}
	var wait sync.WaitGroup
	for _, h := range holds {
		wait.Go(func() { h.run(ctx) })
	}
	for _, h := range holds {
		<-h.ready
	}
	if opened != nil {
		opened(report(holds))
	}
	wait.Wait()
	return report(holds)
}

func report(holds []*held) Report {
	r := Report{Connections: make([]Connection, 0, len(holds))}
	for _, h := range holds {
		r.Connections = append(r.Connections, h.report())
	}
	return r
}

// carrier carries messages over one connection.
type carrier interface {
	// send writes one message. It waits no longer than the target's time-out.
	send(text string) error
	// receive waits for the next line. After an error, which is the end, it is not
	// called again.
	receive() (string, error)
	// end says what an error of receive means; the caller puts in the time.
	end(err error) End
	// goodbye ends the connection in the way of its protocol, after which receive
	// is to return.
	goodbye()
	// cut closes the connection, whatever became of it.
	cut()
}
