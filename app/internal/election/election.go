// Package election lets one of several replicas lead: the replica that holds a
// Lease. The rules and the times are those of client-go's leaderelection, whose
// package imports the informers of all API groups.
package election

import (
	"context"
	"reflect"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

// Leases reads and writes the Leases of one namespace.
type Leases interface {
	Get(ctx context.Context, name string, options metav1.GetOptions) (*coordinationv1.Lease, error)
	Create(ctx context.Context, lease *coordinationv1.Lease, options metav1.CreateOptions) (*coordinationv1.Lease, error)
	Update(ctx context.Context, lease *coordinationv1.Lease, options metav1.UpdateOptions) (*coordinationv1.Lease, error)
}

// Times are how long things take. Those of Kubernetes' controllers are in Default.
type Times struct {
	// Lease is how long the others wait since the last renewal that they saw.
	Lease time.Duration
	// Renew is how long a leader tries to renew before it stops leading. It must be
	// less than Lease.
	Renew time.Duration
	// Retry is the pause between two tries.
	Retry time.Duration
}

// Default are the times of Kubernetes' controllers.
var Default = Times{Lease: 15 * time.Second, Renew: 10 * time.Second, Retry: 2 * time.Second}

// An Election is one replica's part in it. Run may be called once.
type Election struct {
	Leases Leases
	Name   string
	// Identity is the replica's own and must differ from that of all others.
	Identity string
	Times    Times

	// observed is the Lease as it was seen last, and since when it has been so by
	// the clock of this machine: clocks of machines may differ.
	observed *coordinationv1.Lease
	since    time.Time
}

// Run waits until this replica holds the Lease, calls lead in a goroutine and
// renews the Lease. Run returns when ctx has ended or the Lease could not be
// renewed; the context of lead has ended then. A Lease that is held is given back.
func (e *Election) Run(ctx context.Context, lead func(context.Context)) {
	waiting, acquired := context.WithCancel(ctx)
	defer acquired()
	wait.JitterUntilWithContext(waiting, func(ctx context.Context) {
		if e.try(ctx) {
			acquired()
		}
	}, e.Times.Retry, 1.2, true)
	if !e.leads() {
		return
	}
	leading, stop := context.WithCancel(ctx)
	defer stop()
	go lead(leading)
	wait.UntilWithContext(leading, func(ctx context.Context) {
		err := wait.PollUntilContextTimeout(ctx, e.Times.Retry, e.Times.Renew, true, func(ctx context.Context) (bool, error) {
			return ctx.Err() == nil && e.try(ctx), ctx.Err()
		})
		if err != nil {
			stop()
		}
	}, e.Times.Retry)
	e.release(context.WithoutCancel(ctx))
}

func (e *Election) leads() bool {
	return e.observed != nil && holder(e.observed) == e.Identity
}

// valid reports whether the observed Lease has not run out.
func (e *Election) valid(now time.Time) bool {
	seconds := e.observed.Spec.LeaseDurationSeconds
	return seconds != nil && e.since.Add(time.Duration(*seconds)*time.Second).After(now)
}

func (e *Election) observe(lease *coordinationv1.Lease, now time.Time) {
	if e.observed == nil || !reflect.DeepEqual(e.observed.Spec, lease.Spec) {
		e.since = now
	}
	e.observed = lease
}

// try acquires or renews the Lease once, and reports whether this replica holds
// it.
func (e *Election) try(ctx context.Context) bool {
	now := time.Now()
	// The leader does not read first: nobody else writes while its Lease is valid.
	if e.leads() && e.valid(now) && e.update(ctx, e.observed, now) {
		return true
	}
	lease, err := e.Leases.Get(ctx, e.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: e.Name}, Spec: e.spec(nil, now)}
		if lease, err = e.Leases.Create(ctx, lease, metav1.CreateOptions{}); err == nil {
			e.observe(lease, now)
		}
		return err == nil
	}
	if err != nil {
		return false
	}
	e.observe(lease, now)
	if holder(lease) != "" && !e.leads() && e.valid(now) {
		return false
	}
	return e.update(ctx, lease, now)
}

func (e *Election) update(ctx context.Context, lease *coordinationv1.Lease, now time.Time) bool {
	renewed := lease.DeepCopy()
	renewed.Spec = e.spec(&lease.Spec, now)
	updated, err := e.Leases.Update(ctx, renewed, metav1.UpdateOptions{})
	if err != nil {
		return false
	}
	e.observe(updated, now)
	return true
}

// spec is that of a Lease that this replica holds; before is what the Lease says
// now, nil for nothing.
func (e *Election) spec(before *coordinationv1.LeaseSpec, now time.Time) coordinationv1.LeaseSpec {
	seconds, changes, moment := int32(e.Times.Lease/time.Second), int32(0), metav1.NewMicroTime(now)
	spec := coordinationv1.LeaseSpec{
		HolderIdentity: &e.Identity, LeaseDurationSeconds: &seconds, LeaseTransitions: &changes, AcquireTime: &moment, RenewTime: &moment,
	}
	if before == nil {
		return spec
	}
	if before.LeaseTransitions != nil {
		changes = *before.LeaseTransitions
	}
	if before.HolderIdentity != nil && *before.HolderIdentity == e.Identity {
		spec.AcquireTime = before.AcquireTime
	} else {
		changes++
	}
	return spec
}

// release gives the Lease back, so that another replica need not wait until it
// runs out. A conflict may come of a renewal that was under way: then the Lease is
// read once more.
func (e *Election) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, e.Times.Renew)
	defer cancel()
	for ctx.Err() == nil {
		lease, err := e.Leases.Get(ctx, e.Name, metav1.GetOptions{})
		if err != nil || holder(lease) != e.Identity {
			return
		}
		free, second, now := lease.DeepCopy(), int32(1), metav1.NowMicro()
		free.Spec.HolderIdentity, free.Spec.LeaseDurationSeconds = new(string), &second
		free.Spec.AcquireTime, free.Spec.RenewTime = &now, &now
		if _, err := e.Leases.Update(ctx, free, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
			return
		}
	}
}

func holder(lease *coordinationv1.Lease) string {
	if lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}
