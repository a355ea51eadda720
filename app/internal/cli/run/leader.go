package run

import (
	"context"
	"errors"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/slicewright/slicewright/app/internal/apiclient"
	"github.com/slicewright/slicewright/app/internal/election"
)

// lead publishes while this replica holds the Lease. A replica that loses it
// ends, as Kubernetes' own controllers do: what it has in flight must not meet
// what the next leader sends. One that is told to end gives the Lease back, and
// that only after its publishers have ended.
func (r *runner) lead(ctx context.Context, client apiclient.Interface) error {
	host, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("leader election: %w", err)
	}
	electing, endElection := context.WithCancel(context.WithoutCancel(ctx))
	defer endElection()
	published := make(chan struct{}) // closed when the publishers, once started, have ended
	elector := &election.Election{
		Leases:   client.CoordinationV1().Leases(r.conf.Leader.Namespace),
		Name:     r.conf.Leader.Name,
		Identity: host + "_" + string(uuid.NewUUID()),
		Times:    election.Default,
	}
	defer context.AfterFunc(ctx, func() {
		if !r.leading.Load() {
			endElection()
		}
	})()
	elector.Run(electing, func(leading context.Context) {
		r.leading.Store(true)
		defer close(published)
		defer endElection()
		leading, stop := context.WithCancel(leading)
		defer stop()
		defer context.AfterFunc(ctx, stop)()
		r.logger.Info("leading: this replica publishes")
		r.fleet.Run(leading)
		<-leading.Done()
	})
	if !r.leading.Load() {
		return nil
	}
	<-published
	if ctx.Err() == nil {
		return errors.New("leader election: the Lease is lost, and another replica may publish: ending")
	}
	return nil
}
