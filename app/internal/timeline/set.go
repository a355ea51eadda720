package timeline

import (
	"time"

	"github.com/slicewright/slicewright/app/internal/api"
	"github.com/slicewright/slicewright/endpointset"
)

// SetReport is the set of each Service as it was at one moment. Its schema is
// docs/schemas/timelineset.schema.json.
type SetReport struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	At         time.Time `json:"at"`
	// Uncertain is true inside a lost watch: something may have changed that the
	// recording does not know.
	Uncertain bool         `json:"uncertain,omitempty"`
	Policy    string       `json:"policy"`
	Services  []ServiceSet `json:"services"`
}

// ServiceSet is one Service's part.
type ServiceSet struct {
	Service  string        `json:"service"`
	Fallback bool          `json:"fallback"`
	Active   []BackendThen `json:"active"`
	Draining []BackendThen `json:"draining"`
	Excluded []BackendThen `json:"excluded"`
	Slices   []SliceThen   `json:"slices"`
}

// BackendThen is a backend of the joined set.
type BackendThen struct {
	Port        string `json:"port"`
	Protocol    string `json:"protocol"`
	Endpoint    string `json:"endpoint"`
	Ready       bool   `json:"ready"`
	Serving     bool   `json:"serving"`
	Terminating bool   `json:"terminating"`
	Node        string `json:"node,omitempty"`
	Zone        string `json:"zone,omitempty"`
	Pod         string `json:"pod,omitempty"`
	Slice       string `json:"slice"`
	Reason      string `json:"reason,omitempty"`
}

// SliceThen is one slice before any join.
type SliceThen struct {
	Slice           string         `json:"slice"`
	ResourceVersion string         `json:"resourceVersion"`
	AddressType     string         `json:"addressType"`
	Endpoints       []EndpointThen `json:"endpoints"`
}

// EndpointThen is one endpoint as its slice had it.
type EndpointThen struct {
	Addresses  []string `json:"addresses"`
	Conditions string   `json:"conditions"`
	Node       string   `json:"node,omitempty"`
	Zone       string   `json:"zone,omitempty"`
	ForZones   []string `json:"forZones,omitempty"`
	ForNodes   []string `json:"forNodes,omitempty"`
	Pod        string   `json:"pod,omitempty"`
	UID        string   `json:"uid,omitempty"`
}

// NewSetReport joins the slices of a state as package endpointset does, and adds
// what each slice said. A zero service is all of them.
func NewSetReport(state *State, gaps []Gap, at time.Time, service endpointset.ServiceKey, policy endpointset.Policy) *SetReport {
	r := &SetReport{APIVersion: api.Version, Kind: "TimelineSet", At: at, Policy: string(policy), Services: []ServiceSet{}}
	for _, g := range gaps {
		r.Uncertain = r.Uncertain || g.Lost && !g.From.After(at) && g.To.After(at)
	}
	index := Index(state)
	byService := map[endpointset.ServiceKey][]*Slice{}
	for _, key := range sortedKeys(state.Slices, compareSlices) {
		s := state.Slices[key]
		if owner, ok := s.ServiceKey(); ok {
			byService[owner] = append(byService[owner], s)
		}
	}
	for _, key := range sortedKeys(byService, compareServices) {
		if service == (endpointset.ServiceKey{}) || service == key {
			r.Services = append(r.Services, serviceSet(index.Service(key), key, byService[key], policy))
		}
	}
	return r
}

// Index joins a state's slices.
func Index(state *State) *endpointset.Index {
	index := endpointset.NewIndex(endpointset.Options{})
	parsed := make([]*endpointset.Slice, 0, len(state.Slices))
	for _, key := range sortedKeys(state.Slices, compareSlices) {
		parsed = append(parsed, index.Parse(state.Slices[key].Object()))
	}
	index.Replace("", parsed)
	return index
}

func serviceSet(set *endpointset.Set, key endpointset.ServiceKey, from []*Slice, policy endpointset.Policy) ServiceSet {
	selection := set.Select(endpointset.Query{Policy: policy})
	r := ServiceSet{
		Service: key.String(), Fallback: selection.Fallback,
		Active: []BackendThen{}, Draining: []BackendThen{}, Excluded: []BackendThen{}, Slices: []SliceThen{},
	}
	for _, b := range selection.Active {
		r.Active = append(r.Active, backendThen(b, ""))
	}
	for _, b := range selection.Draining {
		r.Draining = append(r.Draining, backendThen(b, ""))
	}
	for _, b := range selection.Excluded {
		r.Excluded = append(r.Excluded, backendThen(b.Backend, b.Reason))
	}
	for _, s := range from {
		then := SliceThen{Slice: s.Key.Name, ResourceVersion: s.ResourceVersion, AddressType: s.AddressType, Endpoints: []EndpointThen{}}
		for _, entry := range s.sortedEntries() {
			e := s.Entries[entry]
			then.Endpoints = append(then.Endpoints, EndpointThen{
				Addresses: append([]string{}, splitList(e.Addresses)...), Conditions: e.Conditions.String(), Node: e.Node, Zone: e.Zone,
				ForZones: splitList(e.ForZones), ForNodes: splitList(e.ForNodes), Pod: targetName(e.Target), UID: e.Target.UID,
			})
		}
		r.Slices = append(r.Slices, then)
	}
	return r
}

func backendThen(b endpointset.Backend, reason endpointset.Reason) BackendThen {
	return BackendThen{
		Port: b.PortName, Protocol: b.Protocol, Endpoint: b.Endpoint(),
		Ready: b.Ready, Serving: b.Serving, Terminating: b.Terminating,
		Node: b.Node, Zone: b.Zone, Pod: targetName(b.Target), Slice: b.Slice, Reason: string(reason),
	}
}

// targetName is "namespace/name", "" for no target.
func targetName(t endpointset.Target) string {
	if t.Name == "" {
		return ""
	}
	return t.Namespace + "/" + t.Name
}
