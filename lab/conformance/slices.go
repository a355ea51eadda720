package conformance

import (
	"crypto/sha256"
	"fmt"

	v1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// Slice is an EndpointSlice, in short.
type Slice struct {
	Name string
	// Service is what the label kubernetes.io/service-name says, "web" if empty;
	// noLabel is without one.
	Service string
	// IPv6 is the family of the slice.
	IPv6 bool
	// Ports are one named http at 8080 if nil, and none if empty and not nil.
	Ports     []Port
	Endpoints []Endpoint
}

// noLabel is a Slice's Service when it has no label.
const noLabel = "-"

// Port is a port of a slice. Number 0 leaves the number out.
type Port struct {
	Name   string
	Number int32
}

// Endpoint are endpoints that are alike.
type Endpoint struct {
	// Hosts are the last parts of their addresses: "1-100,103".
	Hosts string
	// State are the conditions ready, serving, terminating: T, F, or - where one is
	// absent. "" is TTF, "---" none of them.
	State string
	// Pod names the Pod that they are; "" is one for each address.
	Pod string
	// Also is the last part of a second address.
	Also string
	// Zones and Nodes are hints.
	Zones, Nodes []string
}

// object is the slice as it is written, for addresses of a block.
func (s Slice) object(b block, service string) (*discoveryv1.EndpointSlice, error) {
	o := &discoveryv1.EndpointSlice{
		TypeMeta:    metav1.TypeMeta{APIVersion: "discovery.k8s.io/v1", Kind: "EndpointSlice"},
		ObjectMeta:  metav1.ObjectMeta{Name: s.Name, Labels: map[string]string{discoveryv1.LabelManagedBy: "conformance.lab.slicewright.dev"}},
		AddressType: discoveryv1.AddressTypeIPv4,
		Ports:       []discoveryv1.EndpointPort{},
	}
	if s.IPv6 {
		o.AddressType = discoveryv1.AddressTypeIPv6
	}
	if service != noLabel {
		o.Labels[discoveryv1.LabelServiceName] = service
	}
	ports := s.Ports
	if ports == nil {
		ports = []Port{{portName, defaultPort}}
	}
	for _, p := range ports {
		port := discoveryv1.EndpointPort{Name: ptr.To(p.Name), Protocol: ptr.To(v1.ProtocolTCP)}
		if p.Number != 0 {
			port.Port = ptr.To(p.Number)
		}
		o.Ports = append(o.Ports, port)
	}
	for _, e := range s.Endpoints {
		hosts, err := parseHosts(e.Hosts)
		if err != nil {
			return nil, fmt.Errorf("slice %s: %w", s.Name, err)
		}
		for _, host := range hosts {
			endpoint, err := e.object(b, s.IPv6, host)
			if err != nil {
				return nil, fmt.Errorf("slice %s: %w", s.Name, err)
			}
			o.Endpoints = append(o.Endpoints, endpoint)
		}
	}
	return o, nil
}

func (e Endpoint) object(b block, v6 bool, host int) (discoveryv1.Endpoint, error) {
	o := discoveryv1.Endpoint{Addresses: []string{b.address(v6, host).String()}}
	if e.Also != "" {
		also, err := parseHosts(e.Also)
		if err != nil {
			return o, err
		}
		for _, host := range also {
			o.Addresses = append(o.Addresses, b.address(v6, host).String())
		}
	}
	state := or(e.State, "TTF")
	if len(state) != 3 {
		return o, fmt.Errorf("state %q: three of T, F and -", state)
	}
	for i, to := range []**bool{&o.Conditions.Ready, &o.Conditions.Serving, &o.Conditions.Terminating} {
		switch state[i] {
		case 'T', 'F':
			*to = ptr.To(state[i] == 'T')
		case '-':
		default:
			return o, fmt.Errorf("state %q: three of T, F and -", state)
		}
	}
	pod := or(e.Pod, fmt.Sprintf("pod-%d", host))
	o.TargetRef = &v1.ObjectReference{Kind: "Pod", Namespace: b.namespace, Name: pod, UID: uid(pod)}
	if len(e.Zones)+len(e.Nodes) > 0 {
		o.Hints = &discoveryv1.EndpointHints{}
		for _, zone := range e.Zones {
			o.Hints.ForZones = append(o.Hints.ForZones, discoveryv1.ForZone{Name: zone})
		}
		for _, node := range e.Nodes {
			o.Hints.ForNodes = append(o.Hints.ForNodes, discoveryv1.ForNode{Name: node})
		}
	}
	return o, nil
}

// uid gives a Pod's name the same UID in every slice and every run.
func uid(pod string) types.UID {
	h := sha256.Sum256([]byte(pod))
	return types.UID(fmt.Sprintf("%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:16]))
}
