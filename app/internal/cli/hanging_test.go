package cli

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/slicewright/slicewright/endpointset"
)

// hangingCluster is an API server that takes requests and never answers. asked
// gets the path of each.
func hangingCluster(t *testing.T) (client kubernetes.Interface, asked <-chan string) {
	t.Helper()
	paths, ended := make(chan string, 100), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		paths <- r.URL.Path
		<-ended
	}))
	t.Cleanup(func() { close(ended); server.Close() })
	set, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return set, paths
}

// Ctrl-C ends a plan that waits for an API server.
func TestExperimentPlanIsInterrupted(t *testing.T) {
	client, asked := hangingCluster(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	began := time.Now()
	// The client's own time-out is half a minute.
	if _, err := planCluster(ctx, client); !errors.Is(err, context.Canceled) || time.Since(began) > 20*time.Second {
		t.Errorf("after %s it ended with %v", time.Since(began), err)
	}
}

// An API server that does not answer does not hold what comes after.
func TestAllowedAddressesAreNotWaitedForForEver(t *testing.T) {
	t.Parallel()
	client, asked := hangingCluster(t)
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
