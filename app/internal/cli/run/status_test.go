package run

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/slicewright/slicewright/app/internal/cli/clitest"
	"github.com/slicewright/slicewright/app/internal/config"
	"github.com/slicewright/slicewright/app/internal/shadow/live"
	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/publish"
	"github.com/slicewright/slicewright/publish/metrics"
	"github.com/slicewright/slicewright/watch"
	watchmetrics "github.com/slicewright/slicewright/watch/metrics"
)

// A target is a load balancer of a test: it takes what it is given, or fails.
type target struct {
	name    string
	err     error
	desired publish.Desired
}

type targetOps struct {
	desired publish.Desired
	empty   bool
}

func (o *targetOps) Empty() bool    { return o.empty }
func (o *targetOps) Len() int       { return len(o.desired.Active) }
func (o *targetOps) String() string { return "take it" }
func (o *targetOps) Waiting() ([]string, time.Duration) {
	return []string{"server sw-1 holds 3 connections"}, time.Second
}

type targetSeen struct{}

func (targetSeen) Ours() int         { return 0 }
func (targetSeen) Foreign() []string { return []string{"theirs"} }

func (d *target) Target() string { return d.name }
func (d *target) Observe(context.Context) (publish.Observed, error) {
	return targetSeen{}, d.err
}

func (d *target) Plan(desired publish.Desired, _ publish.Observed) publish.Ops {
	return &targetOps{desired, desired.Hash() == d.desired.Hash()}
}

func (d *target) Apply(_ context.Context, ops publish.Ops) (publish.Result, error) {
	d.desired = ops.(*targetOps).desired
	return publish.Result{Writes: 1}, nil
}

// aRunner publishes shop/cart, of one backend, to a target that works and to
// one that does not.
func aRunner(t *testing.T, client *fake.Clientset, registry *prometheus.Registry) *runner {
	t.Helper()
	r := &runner{logger: slog.New(slog.DiscardHandler)}
	r.watcher = watch.New(client.DiscoveryV1(), watch.Options{Namespaces: []string{"shop"}, Changed: r.changed})
	upstream := func(name string) publish.Upstream {
		return publish.Upstream{Name: name, Service: endpointset.ServiceKey{Namespace: "shop", Name: "cart"}, Port: "http"}
	}
	options := publish.Options{Metrics: metrics.New(registry)}
	var err error
	r.fleet, err = publish.NewFleet(
		publish.NewPublisher(upstream("works"), &target{name: "test:works"}, r.watcher.Service, options),
		publish.NewPublisher(upstream("fails"), &target{name: "test:fails", err: errors.New("connection refused")}, r.watcher.Service, options),
	)
	if err != nil {
		t.Fatal(err)
	}
	registry.MustRegister(metrics.Collector(r.fleet), watchmetrics.Collector(r.watcher), live.Collector(live.New(client, live.Options{})))
	return r
}

// aServer has one slice, and streams it as the initial list of a watch.
func aServer() *fake.Clientset {
	client := fake.NewClientset()
	client.PrependWatchReactor("endpointslices", func(clienttesting.Action) (bool, apiwatch.Interface, error) {
		w := apiwatch.NewFakeWithChanSize(2, false)
		w.Add(cartSlice())
		w.Action(apiwatch.Bookmark, &discoveryv1.EndpointSlice{ObjectMeta: metav1.ObjectMeta{
			ResourceVersion: "1", Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"},
		}})
		return true, w, nil
	})
	return client
}

func cartSlice() *discoveryv1.EndpointSlice {
	return &discoveryv1.EndpointSlice{
		ObjectMeta:  metav1.ObjectMeta{Namespace: "shop", Name: "cart-a", Labels: map[string]string{discoveryv1.LabelServiceName: "cart"}},
		AddressType: discoveryv1.AddressTypeIPv4,
		Ports:       []discoveryv1.EndpointPort{{Name: new("http"), Port: new(int32(8080))}},
		Endpoints:   []discoveryv1.Endpoint{{Addresses: []string{"10.0.0.1"}}},
	}
}

// start runs r until the test ends.
func (r *runner) start(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); r.watcher.Run(ctx) }()
	published := make(chan struct{})
	go func() { defer close(published); r.fleet.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done; <-published })
}

// await returns the first status that is as wanted.
func (r *runner) await(t *testing.T, wanted func(runStatus) bool) runStatus {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		s := r.status()
		if wanted(s) {
			return s
		}
		if time.Now().After(deadline) {
			t.Fatalf("after 30 s the status is %+v", s)
		}
	}
}

// The status fits its schema before the start, when it publishes and fails, and
// when the API server refuses.
func TestStatusFitsItsSchema(t *testing.T) {
	fits := func(s runStatus) {
		t.Helper()
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		clitest.CheckSchema(t, "runstatus", string(text))
	}
	r := aRunner(t, aServer(), prometheus.NewRegistry())
	fits(r.status())
	r.start(t)
	s := r.await(t, func(s runStatus) bool {
		return s.Upstreams[0].Phase == publish.PhasePublished && s.Upstreams[1].Phase == publish.PhaseFailing
	})
	if s.Upstreams[0].Applied.Active != 1 || len(s.Upstreams[0].Pending) != 1 || len(s.Upstreams[0].Foreign) != 1 || s.Upstreams[1].LastError == "" {
		t.Errorf("the status is %+v", s)
	}
	fits(s)

	refusing := fake.NewClientset()
	refuse := func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, errors.New("forbidden") }
	refusing.PrependReactor("list", "endpointslices", refuse)
	refusing.PrependWatchReactor("endpointslices", clienttesting.DefaultWatchReactor(nil, errors.New("forbidden")))
	r = aRunner(t, refusing, prometheus.NewRegistry())
	r.start(t)
	s = r.await(t, func(s runStatus) bool { return s.Degraded })
	if s.Synced || s.Watches[0].Error == "" {
		t.Errorf("the status is %+v", s)
	}
	fits(s)

	// With an upstream in mode shadow, the comparison is in it.
	r.shadow = live.New(refusing, live.Options{Services: []endpointset.ServiceKey{{Namespace: "shop", Name: "cart"}}})
	s = r.status()
	fits(s)
	comparison, err := json.Marshal(s.Shadow)
	if err != nil {
		t.Fatal(err)
	}
	clitest.CheckSchema(t, "shadowreport", string(comparison))
}

// A misspelt name makes the process not ready, and says so.
func TestAnUnknownUpstreamIsNotReady(t *testing.T) {
	r := aRunner(t, aServer(), prometheus.NewRegistry())
	r.conf = &config.Config{}
	upstream := publish.Upstream{Name: "misspelt", Service: endpointset.ServiceKey{Namespace: "shop", Name: "card"}, Port: "http"}
	var err error
	r.fleet, err = publish.NewFleet(publish.NewPublisher(upstream, &target{name: "test:misspelt"}, r.watcher.Service, publish.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	r.start(t)
	s := r.await(t, func(s runStatus) bool { return s.Upstreams[0].Phase == publish.PhaseUnknown })
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	clitest.CheckSchema(t, "runstatus", string(text))
	if why := r.unready(); !strings.Contains(why, `upstream "misspelt" has not been published to test:misspelt yet: no EndpointSlice in namespace shop says service-name "card"`) {
		t.Errorf("ready, or for another reason: %q", why)
	}
}

// metricNames returns what /metrics has once something was published and
// something failed.
func metricNames(t *testing.T) map[string]bool {
	t.Helper()
	registry := prometheus.NewRegistry()
	r := aRunner(t, aServer(), registry)
	r.start(t)
	r.await(t, func(s runStatus) bool {
		return s.Upstreams[0].Phase == publish.PhasePublished && s.Upstreams[1].Phase == publish.PhaseFailing
	})
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, f := range families {
		names[f.GetName()] = true
	}
	return names
}
