package live

import (
	"context"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/internal/pause"
)

var web = endpointset.ServiceKey{Namespace: "shop", Name: "web"}

// world is slices, one consumer and who answers, all in memory and all changed
// by the test.
type world struct {
	mu      sync.Mutex
	index   *endpointset.Index
	teller  Teller
	has     []string // what the consumer has for new connections
	problem error    // why the consumer does not say
	next    int      // who of has answers next
	failure verify.Failure
}

func newWorld(addresses ...string) *world {
	w := &world{index: endpointset.NewIndex(endpointset.Options{}), has: addresses}
	w.put(addresses...)
	return w
}

// put makes addresses the Service's slice.
func (w *world) put(addresses ...string) {
	w.index.Apply(w.index.Parse(sliceOf(addresses...)))
	if w.teller != nil {
		w.teller.Set(w.index.Service(web))
	}
}

// sliceOf is a slice of the Service; "-10.0.0.1" is an address that terminates.
func sliceOf(addresses ...string) *discoveryv1.EndpointSlice {
	s := &discoveryv1.EndpointSlice{
		ObjectMeta:  metav1.ObjectMeta{Namespace: web.Namespace, Name: "web-a", Labels: map[string]string{discoveryv1.LabelServiceName: web.Name}},
		AddressType: discoveryv1.AddressTypeIPv4,
		Ports:       []discoveryv1.EndpointPort{{Name: ptr.To("http"), Port: ptr.To[int32](80)}},
	}
	for _, a := range addresses {
		bare := strings.TrimPrefix(a, "-")
		s.Endpoints = append(s.Endpoints, discoveryv1.Endpoint{
			Addresses:  []string{bare},
			Conditions: discoveryv1.EndpointConditions{Ready: ptr.To(a == bare), Serving: ptr.To(true), Terminating: ptr.To(a != bare)},
		})
	}
	return s
}

func (w *world) follow(addresses ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.has = addresses
}

func (w *world) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.problem = err
}

// Run implements Source.
func (w *world) Run(ctx context.Context, t Teller) error {
	w.teller = t
	t.Set(w.index.Service(web))
	<-ctx.Done()
	return nil
}

// consumer is the world's consumer.
type worldConsumer struct{ *world }

func (c worldConsumer) String() string { return "consumer" }

func (c worldConsumer) Observe(ctx context.Context) (verify.View, error) {
	v := verify.View{At: time.Now()}
	if pause.For(ctx, time.Millisecond) != nil {
		return v, ctx.Err()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range c.has {
		v.Members = append(v.Members, verify.Member{
			Address: netip.AddrPortFrom(netip.MustParseAddr(a), 80), Use: verify.New, Total: int64(c.next), Open: verify.Unknown,
		})
	}
	return v, c.problem
}

// worldProbe connects through the world's consumer.
type worldProbe struct{ *world }

func (p worldProbe) String() string { return "probe" }

func (p worldProbe) Probe(context.Context) verify.Answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := verify.Answer{Began: time.Now(), Ended: time.Now(), Failure: p.failure}
	if len(p.has) == 0 && a.Failure == "" {
		a.Failure, a.Detail = verify.Status, "503"
	}
	if a.Failure == "" {
		a.From = netip.AddrPortFrom(netip.MustParseAddr(p.has[p.next%len(p.has)]), 80)
		p.next++
	}
	return a
}

func run(t *testing.T, w *world, plan Plan, change func(*Config)) *Report {
	t.Helper()
	config := Config{
		Service: web, Slices: w,
		Consumers: []verify.Observer{worldConsumer{w}}, Probes: []verify.Prober{worldProbe{w}},
	}
	if change != nil {
		change(&config)
	}
	r, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	report, err := r.Run(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	return report
}
