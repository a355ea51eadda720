package election_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/slicewright/slicewright/app/internal/election"
)

var quick = election.Times{Lease: time.Second, Renew: 500 * time.Millisecond, Retry: 50 * time.Millisecond}

// start begins a replica and returns a channel that is closed once it leads, and
// one that is closed once it has ended.
func start(ctx context.Context, client *fake.Clientset, identity string) (leads, ended <-chan struct{}) {
	e := &election.Election{Leases: client.CoordinationV1().Leases("shop"), Name: "lease", Identity: identity, Times: quick}
	leading, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		e.Run(ctx, func(context.Context) { close(leading) })
	}()
	return leading, done
}

func TestALeaderThatDiesIsReplacedWhenItsLeaseRunsOut(t *testing.T) {
	client := fake.NewClientset()
	var dead atomic.Bool
	// Of the first replica no write arrives any more, not even that of giving back.
	client.PrependReactor("update", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
		if dead.Load() {
			return true, nil, errors.New("no connection")
		}
		return false, nil, nil
	})
	first, firstEnded := start(t.Context(), client, "first")
	<-first
	second, _ := start(t.Context(), client, "second")
	select {
	case <-second:
		t.Fatal("both lead")
	case <-time.After(2 * quick.Lease):
	}
	dead.Store(true)
	<-firstEnded
	select {
	case <-second:
		t.Fatal("the second leads without a write")
	default:
	}
	dead.Store(false)
	<-second
}
