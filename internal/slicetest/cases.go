// Package slicetest reads the table of cases in endpointset/testdata/cases.yaml:
// what a set must be after a sequence of slice events. Both the library's tests
// and the command's run every case.
package slicetest

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// Namespace is where the slices of every case are.
const Namespace = "t"

// Case is one row of the table.
type Case struct {
	Name string `json:"name"`
	// From is the rule or the public report that the case comes from.
	From         string          `json:"from"`
	Policy       string          `json:"policy"`
	At           At              `json:"at"`
	Steps        []Step          `json:"steps"`
	Want         Want            `json:"want"`
	WantServices map[string]Want `json:"want_services"`
}

// At is where the consumer is.
type At struct {
	Zone, Node, Topology, Mode string
}

// Want is what is expected of one Service. Nil lists are not looked at.
type Want struct {
	Active      []string `json:"active"`
	Draining    []string `json:"draining"`
	Diagnostics []string `json:"diagnostics"`
	Fallback    bool     `json:"fallback"`
}

// Step is one event, in the notation of the table.
type Step struct {
	Add     string    `json:"add"`
	Delete  string    `json:"delete"`
	Relist  []string  `json:"relist"`
	Ports   *[]string `json:"ports"`
	Type    string    `json:"type"`
	Service *string   `json:"service"`
	By      string    `json:"by"`
	RV      int       `json:"rv"`
	Eps     []string  `json:"eps"`
	// hasPorts tells "ports: null" from no ports key at all.
	hasPorts bool
}

// UnmarshalJSON notes whether the ports key is there: null means no ports, its
// absence means the default.
func (s *Step) UnmarshalJSON(data []byte) error {
	type plain Step
	if err := yaml.UnmarshalStrict(data, (*plain)(s)); err != nil {
		return err
	}
	var keys map[string]any
	if err := yaml.Unmarshal(data, &keys); err != nil {
		return err
	}
	_, s.hasPorts = keys["ports"]
	return nil
}

// Kind is what an event does.
type Kind string

// The kinds of events.
const (
	Put    Kind = "put"
	Delete Kind = "delete"
	Relist Kind = "relist"
)

// Event is a step made real.
type Event struct {
	Kind Kind
	// Slice is what is put, or the last content of what is deleted.
	Slice *discoveryv1.EndpointSlice
	// All is the full list of a relist.
	All []*discoveryv1.EndpointSlice
}

// Load reads the table.
func Load(file string) ([]Case, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var cases []Case
	if err := yaml.UnmarshalStrict(data, &cases); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return cases, nil
}

// Events returns the steps of the case as events.
func (c *Case) Events() ([]Event, error) {
	last := map[string]*discoveryv1.EndpointSlice{}
	var events []Event
	for i, step := range c.Steps {
		switch {
		case step.Add != "":
			es, err := step.slice(i + 1)
			if err != nil {
				return nil, fmt.Errorf("case %s, step %d: %w", c.Name, i+1, err)
			}
			last[step.Add] = es
			events = append(events, Event{Kind: Put, Slice: es})
		case step.Delete != "":
			events = append(events, Event{Kind: Delete, Slice: last[step.Delete]})
		default:
			e := Event{Kind: Relist}
			for _, name := range step.Relist {
				e.All = append(e.All, last[name])
			}
			events = append(events, e)
		}
	}
	return events, nil
}

func (s *Step) slice(number int) (*discoveryv1.EndpointSlice, error) {
	es := &discoveryv1.EndpointSlice{
		TypeMeta:    metav1.TypeMeta{APIVersion: "discovery.k8s.io/v1", Kind: "EndpointSlice"},
		ObjectMeta:  metav1.ObjectMeta{Namespace: Namespace, Name: s.Add, Labels: map[string]string{}},
		AddressType: discoveryv1.AddressTypeIPv4,
	}
	if s.Type != "" {
		es.AddressType = discoveryv1.AddressType(s.Type)
	}
	if s.RV != 0 {
		number = s.RV
	}
	es.ResourceVersion = strconv.Itoa(number)
	service := "web"
	if s.Service != nil {
		service = *s.Service
	}
	if service != "" {
		es.Labels[discoveryv1.LabelServiceName] = service
	}
	switch s.By {
	case "", "controller":
		es.Labels[discoveryv1.LabelManagedBy] = "endpointslice-controller.k8s.io"
	case "mirroring":
		es.Labels[discoveryv1.LabelManagedBy] = "endpointslicemirroring-controller.k8s.io"
	default:
		es.Labels[discoveryv1.LabelManagedBy] = s.By
	}

	ports := []string{"http:8080"}
	if s.hasPorts {
		ports = nil
		if s.Ports != nil {
			ports = *s.Ports
		}
	}
	for _, text := range ports {
		port, err := parsePort(text)
		if err != nil {
			return nil, err
		}
		es.Ports = append(es.Ports, port)
	}
	for _, text := range s.Eps {
		ep, err := parseEndpoint(text)
		if err != nil {
			return nil, err
		}
		es.Endpoints = append(es.Endpoints, ep)
	}
	return es, nil
}

// parsePort reads "name:number[/protocol]".
func parsePort(text string) (discoveryv1.EndpointPort, error) {
	name, rest, ok := strings.Cut(text, ":")
	if !ok {
		return discoveryv1.EndpointPort{}, fmt.Errorf("port %q is not name:number[/protocol]", text)
	}
	var port discoveryv1.EndpointPort
	if name != "" {
		port.Name = &name
	}
	number, protocol, ok := strings.Cut(rest, "/")
	if ok {
		port.Protocol = new(corev1.Protocol(protocol))
	}
	if number != "" {
		n, err := strconv.ParseInt(number, 10, 32)
		if err != nil {
			return port, fmt.Errorf("port %q: %w", text, err)
		}
		port.Port = new(int32(n))
	}
	return port, nil
}

// parseEndpoint reads "ADDRESS r/s/t @node #zone >uid h=zones hn=nodes".
func parseEndpoint(text string) (discoveryv1.Endpoint, error) {
	words := strings.Fields(text)
	ep := discoveryv1.Endpoint{Addresses: []string{words[0]}}
	for _, word := range words[1:] {
		switch {
		case strings.HasPrefix(word, "@"):
			ep.NodeName = new(word[1:])
		case strings.HasPrefix(word, "#"):
			ep.Zone = new(word[1:])
		case strings.HasPrefix(word, ">"):
			ep.TargetRef = &corev1.ObjectReference{Kind: "Pod", Namespace: Namespace, Name: "pod-" + word[1:], UID: types.UID(word[1:])}
		case strings.HasPrefix(word, "h="):
			for _, zone := range strings.Split(word[2:], ",") {
				hintsOf(&ep).ForZones = append(hintsOf(&ep).ForZones, discoveryv1.ForZone{Name: zone})
			}
		case strings.HasPrefix(word, "hn="):
			for _, node := range strings.Split(word[3:], ",") {
				hintsOf(&ep).ForNodes = append(hintsOf(&ep).ForNodes, discoveryv1.ForNode{Name: node})
			}
		case len(word) == 5 && word[1] == '/' && word[3] == '/':
			ep.Conditions.Ready = condition(word[0])
			ep.Conditions.Serving = condition(word[2])
			ep.Conditions.Terminating = condition(word[4])
		default:
			return ep, fmt.Errorf("endpoint %q: what is %q?", text, word)
		}
	}
	return ep, nil
}

func hintsOf(ep *discoveryv1.Endpoint) *discoveryv1.EndpointHints {
	if ep.Hints == nil {
		ep.Hints = &discoveryv1.EndpointHints{}
	}
	return ep.Hints
}

func condition(c byte) *bool {
	switch c {
	case 'T':
		return new(true)
	case 'F':
		return new(false)
	}
	return nil
}
