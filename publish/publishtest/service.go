package publishtest

import (
	"fmt"
	"net/netip"
	"sync"

	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/publish"
)

const number = 8080

var upstream = publish.Upstream{Name: "web", Service: endpointset.ServiceKey{Namespace: "shop", Name: "web"}, Port: "http"}

// A service is the Service of a test, as its slices have it.
type service struct {
	ix        *endpointset.Index
	mu        sync.Mutex // guards what follows
	addresses []string   // ready
}

// newService returns a Service with these ready addresses.
func newService(addresses ...string) *service {
	s := &service{ix: endpointset.NewIndex(endpointset.Options{})}
	s.set(addresses...)
	return s
}

// addressesFrom returns n addresses with the port, from the i-th on.
func addressesFrom(i, n int) []string {
	list := make([]string, n)
	for k := range list {
		list[k] = fmt.Sprintf("10.42.%d.%d:%d", (i+k)/250, (i+k)%250+1, number)
	}
	return list
}

// source is the [publish.Source] of the service.
func (s *service) source(key endpointset.ServiceKey) (*endpointset.Set, bool) {
	return s.ix.Service(key), true
}

// set replaces all endpoints by these, which are ready.
func (s *service) set(addresses ...string) { s.put(discoveryv1.EndpointConditions{}, addresses) }

// drain makes all endpoints terminate.
func (s *service) drain() {
	s.put(discoveryv1.EndpointConditions{Ready: new(false), Serving: new(true), Terminating: new(true)}, s.ready())
}

// put replaces all endpoints, in slices of at most 100 as the controller writes
// them.
func (s *service) put(conditions discoveryv1.EndpointConditions, addresses []string) {
	var all []*endpointset.Slice
	for i := 0; i == 0 || i < len(addresses); i += 100 {
		es := &discoveryv1.EndpointSlice{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: upstream.Service.Namespace, Name: fmt.Sprintf("web-%d", i/100),
				Labels: map[string]string{discoveryv1.LabelServiceName: upstream.Service.Name},
			},
			AddressType: discoveryv1.AddressTypeIPv4,
			Ports:       []discoveryv1.EndpointPort{{Name: new(upstream.Port), Port: new(int32(number))}},
		}
		for _, a := range addresses[i:min(i+100, len(addresses))] {
			es.Endpoints = append(es.Endpoints, discoveryv1.Endpoint{
				Addresses: []string{netip.MustParseAddrPort(a).Addr().String()}, Conditions: conditions,
			})
		}
		all = append(all, s.ix.Parse(es))
	}
	s.ix.Replace("", all)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addresses = nil
	if conditions.Terminating == nil {
		s.addresses = addresses
	}
}

// ready returns the addresses that are to be active.
func (s *service) ready() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addresses
}

// desiredOf is what a publisher desires of the service now.
func desiredOf(s *service) publish.Desired {
	sel := s.ix.Service(upstream.Service).Select(endpointset.Query{Port: endpointset.PortNamed(upstream.Port), Protocol: "TCP"})
	return publish.Desired{
		Upstream: upstream.Name, Service: upstream.Service, Port: upstream.Port,
		Active: sel.Active, Draining: sel.Draining,
	}
}
