package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// lead publishes while this replica holds the Lease. A replica that loses it
// ends, as Kubernetes' own controllers do: what it has in flight must not meet
// what the next leader sends. One that is told to end gives the Lease back, and
// that only after its publishers have ended.
func (r *runner) lead(ctx context.Context, client kubernetes.Interface) error {
	host, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("leader election: %w", err)
	}
	election, endElection := context.WithCancel(context.WithoutCancel(ctx))
	defer endElection()
	published := make(chan struct{}) // closed when the publishers, once started, have ended
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: r.conf.Leader.Namespace, Name: r.conf.Leader.Name},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: host + "_" + string(uuid.NewUUID())},
		},
		// The defaults of Kubernetes' controllers.
		LeaseDuration:   15 * time.Second,
		RenewDeadline:   10 * time.Second,
		RetryPeriod:     2 * time.Second,
		ReleaseOnCancel: true,
		Name:            r.conf.Leader.Name,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(leading context.Context) {
				r.leading.Store(true)
				defer close(published)
				defer endElection()
				leading, stop := context.WithCancel(leading)
				defer stop()
				defer context.AfterFunc(ctx, stop)()
				r.logger.Info("leading: this replica publishes")
				r.fleet.Run(leading)
				<-leading.Done()
			},
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		return fmt.Errorf("leader election: %w", err)
	}
	defer context.AfterFunc(ctx, func() {
		if !r.leading.Load() {
			endElection()
		}
	})()
	elector.Run(election)
	if !r.leading.Load() {
		return nil
	}
	<-published
	if ctx.Err() == nil {
		return errors.New("leader election: the Lease is lost, and another replica may publish: ending")
	}
	return nil
}
