package verify

import (
	"testing"
	"time"

	"github.com/slicewright/slicewright/app/internal/cli/clitest"
	"github.com/slicewright/slicewright/endpointset"
)

// An API server that does not answer does not hold what comes after.
func TestAllowedAddressesAreNotWaitedForForEver(t *testing.T) {
	t.Parallel()
	client, asked := clitest.HangingCluster(t)
	s := verifySlices{service: endpointset.ServiceKey{Namespace: "shop", Name: "web"}, client: client}
	done := make(chan int, 1)
	go func() { done <- len(s.allowed(t.Context())) }()
	<-asked
	select {
	case n := <-done:
		if n != 0 {
			t.Errorf("%d addresses from no answer", n)
		}
	case <-time.After(time.Minute):
		t.Error("it waits and waits")
	}
}
