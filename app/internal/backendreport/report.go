// Package backendreport is the BackendReport: what `slicewright backends`
// answers, as a value that encodes and prints. Its schema is
// docs/schemas/backendreport.schema.json.
package backendreport

import (
	"slices"

	"github.com/slicewright/slicewright/app/internal/api"
	"github.com/slicewright/slicewright/endpointset"
)

// The report's type.
const (
	APIVersion = api.Version
	Kind       = "BackendReport"
)

// Report is the answer for one or more Services.
type Report struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Services   []Service `json:"services"`
}

// Service is the answer for one.
type Service struct {
	Namespace   string                   `json:"namespace"`
	Name        string                   `json:"name"`
	Policy      endpointset.Policy       `json:"policy"`
	Fallback    bool                     `json:"fallback"`
	Active      []Backend                `json:"active"`
	Draining    []Backend                `json:"draining"`
	Excluded    []Backend                `json:"excluded"`
	Diagnostics []endpointset.Diagnostic `json:"diagnostics"`
}

// Backend is one backend and what became of it.
type Backend struct {
	Port        string             `json:"port"`
	Protocol    string             `json:"protocol"`
	AppProtocol string             `json:"appProtocol,omitempty"`
	AddressType string             `json:"addressType"`
	IP          string             `json:"ip"`
	Number      uint16             `json:"number"`
	Endpoint    string             `json:"endpoint"`
	Ready       bool               `json:"ready"`
	Serving     bool               `json:"serving"`
	Terminating bool               `json:"terminating"`
	Zone        string             `json:"zone"`
	Node        string             `json:"node"`
	ForZones    []string           `json:"forZones,omitempty"`
	ForNodes    []string           `json:"forNodes,omitempty"`
	Target      *Target            `json:"target,omitempty"`
	Slice       string             `json:"slice"`
	Reason      endpointset.Reason `json:"reason,omitempty"`
	// Rule and Because explain, when that was asked for.
	Rule    string `json:"rule,omitempty"`
	Because string `json:"because,omitempty"`

	id    endpointset.ID
	state endpointset.State
}

// Target is the object behind a backend.
type Target struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	UID  string `json:"uid"`
}

// Options say what is asked.
type Options struct {
	Policy   endpointset.Policy
	Location endpointset.Location
	// Explain adds to every backend the rule that decided and why.
	Explain bool
}

// New returns an empty report.
func New() *Report {
	return &Report{APIVersion: APIVersion, Kind: Kind, Services: []Service{}}
}

// Add adds the answer for one Service.
func (r *Report) Add(set *endpointset.Set, options Options) {
	r.Services = append(r.Services, Of(set, options))
}

// Of returns the answer for one Service.
func Of(set *endpointset.Set, options Options) Service {
	sel := set.Select(endpointset.Query{Policy: options.Policy, Location: options.Location})
	s := Service{
		Namespace: sel.Service.Namespace, Name: sel.Service.Name,
		Policy: sel.Query.Policy, Fallback: sel.Fallback,
		Active: []Backend{}, Draining: []Backend{}, Excluded: []Backend{},
		Diagnostics: sel.Diagnostics,
	}
	if s.Diagnostics == nil {
		s.Diagnostics = []endpointset.Diagnostic{}
	}
	for _, v := range sel.Explain() {
		b := backendOf(v)
		if !options.Explain {
			b.Rule, b.Because = "", ""
		}
		switch v.State {
		case endpointset.StateActive:
			s.Active = append(s.Active, b)
		case endpointset.StateDraining:
			s.Draining = append(s.Draining, b)
		default:
			s.Excluded = append(s.Excluded, b)
		}
	}
	return s
}

func backendOf(v endpointset.Verdict) Backend {
	b := Backend{
		Port: v.PortName, Protocol: v.Protocol, AppProtocol: v.AppProtocol,
		AddressType: v.Family().String(), IP: v.Addr.String(), Number: v.Number, Endpoint: v.Endpoint(),
		Ready: v.Ready, Serving: v.Serving, Terminating: v.Terminating,
		Zone: v.Zone, Node: v.Node, ForZones: v.ForZones, ForNodes: v.ForNodes,
		Slice: v.Slice, Reason: v.Reason, Rule: v.Rule, Because: v.Because,
		id: v.ID, state: v.State,
	}
	if v.Target != (endpointset.Target{}) {
		b.Target = &Target{Kind: v.Target.Kind, Name: v.Target.Name, UID: v.Target.UID}
	}
	return b
}

// Backends returns all backends of the Service in the order of S8.
func (s *Service) Backends() []Backend {
	all := slices.Concat(s.Active, s.Draining, s.Excluded)
	slices.SortFunc(all, func(a, b Backend) int { return a.id.Compare(b.id) })
	return all
}
