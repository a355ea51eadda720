package timeline

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/slicewright/slicewright/app/internal/api"
	"github.com/slicewright/slicewright/endpointset"
)

// Report is what the command prints as JSON and what the HTML page draws. Its
// schema is docs/schemas/timeline.schema.json.
type Report struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	From       time.Time `json:"from"`
	Until      time.Time `json:"until"`
	// Trimmed is true where the recording once began earlier.
	Trimmed     bool            `json:"trimmed,omitempty"`
	Services    []ServiceReport `json:"services"`
	Pods        []PodReport     `json:"pods"`
	Gaps        []GapReport     `json:"gaps"`
	Uses        []UseReport     `json:"observations"`
	Findings    []Finding       `json:"findings"`
	Transitions []Transition    `json:"transitions"`
	// LanesLeftOut is how many addresses were not written, for their number.
	LanesLeftOut int `json:"lanesLeftOut,omitempty"`
}

// ServiceReport is one Service's part of a Report.
type ServiceReport struct {
	Service string        `json:"service"`
	Writes  int           `json:"writes"`
	Empty   int           `json:"emptyWrites"`
	Counts  []CountReport `json:"counts"`
	Lanes   []LaneReport  `json:"lanes"`
}

// CountReport is how many addresses were ready and known from a moment on.
type CountReport struct {
	At    time.Time `json:"at"`
	Ready int       `json:"ready"`
	Known int       `json:"known"`
}

// LaneReport is one address's part.
type LaneReport struct {
	Address string       `json:"address"`
	Spans   []SpanReport `json:"spans"`
}

// SpanReport is a time in which nothing about an address changed.
type SpanReport struct {
	From      time.Time `json:"from"`
	To        time.Time `json:"to"`
	FromClock Clock     `json:"fromClock"`
	Before    bool      `json:"before,omitempty"`
	Open      bool      `json:"open,omitempty"`
	// State is ready, unready, serving (ready false, serving true), terminating
	// (still serving) or stopping (terminating, not serving).
	State      string           `json:"state"`
	Conditions string           `json:"conditions"`
	Records    []PresenceReport `json:"records"`
}

// PresenceReport is one slice's record. The first of a span speaks for it.
type PresenceReport struct {
	Slice           string   `json:"slice"`
	ResourceVersion string   `json:"resourceVersion"`
	Conditions      string   `json:"conditions"`
	Pod             string   `json:"pod,omitempty"`
	UID             string   `json:"uid,omitempty"`
	Node            string   `json:"node,omitempty"`
	Zone            string   `json:"zone,omitempty"`
	ForZones        []string `json:"forZones,omitempty"`
	ForNodes        []string `json:"forNodes,omitempty"`
}

// PodReport is one Pod's part.
type PodReport struct {
	Pod     string            `json:"pod"`
	UID     string            `json:"uid"`
	Node    string            `json:"node,omitempty"`
	IPs     []string          `json:"ips"`
	Changes []PodChangeReport `json:"changes"`
}

// PodChangeReport is a Pod from a moment on.
type PodChangeReport struct {
	At        time.Time  `json:"at"`
	Clock     Clock      `json:"clock"`
	Ready     bool       `json:"ready"`
	Phase     string     `json:"phase,omitempty"`
	Deleting  bool       `json:"deleting,omitempty"`
	GraceEnds *time.Time `json:"graceEnds,omitempty"`
	Stopped   *time.Time `json:"stopped,omitempty"`
	Gone      bool       `json:"gone,omitempty"`
	What      string     `json:"what,omitempty"`
}

// GapReport is a time in which a watch was down.
type GapReport struct {
	From      time.Time `json:"from"`
	To        time.Time `json:"to"`
	Resource  string    `json:"resource"`
	Namespace string    `json:"namespace,omitempty"`
	Lost      bool      `json:"lost"`
	Reason    string    `json:"reason"`
}

// UseReport is one observation of a consumer.
type UseReport struct {
	Consumer string          `json:"consumer"`
	Service  string          `json:"service"`
	Address  string          `json:"address"`
	Port     uint16          `json:"port"`
	Kind     ObservationKind `json:"kind"`
	First    time.Time       `json:"first"`
	Last     time.Time       `json:"last"`
	Count    int64           `json:"count"`
	Detail   string          `json:"detail,omitempty"`
}

// Filter narrows a report. The zero value is everything.
type Filter struct {
	// Service is the one to show; the zero value is all.
	Service endpointset.ServiceKey
	// Address is the one to show, "" for all.
	Address string
	// Since and Until bound what is shown; zero is no bound.
	Since, Until time.Time
	// MaxLanes bounds how many addresses are written; 0 is no bound. Those with
	// findings come first.
	MaxLanes int
}

// NewReport puts a history together with its findings.
func NewReport(h *History, filter Filter, options Options) *Report {
	r := &Report{
		APIVersion: api.Version, Kind: "Timeline", From: h.From, Until: h.Until,
		Services: []ServiceReport{}, Pods: []PodReport{}, Gaps: []GapReport{}, Uses: []UseReport{},
		Findings: []Finding{}, Transitions: []Transition{},
	}
	if filter.Since.After(r.From) {
		r.From = filter.Since
	}
	if !filter.Until.IsZero() && filter.Until.Before(r.Until) {
		r.Until = filter.Until
	}
	k := keep{filter: filter, from: r.From, until: r.Until, pods: map[string]bool{}, addresses: map[string]bool{}}
	for _, svc := range h.Services {
		if k.service(svc.Key.String()) {
			r.Services = append(r.Services, k.serviceReport(svc))
		}
	}
	for _, uid := range sortedKeys(h.Pods, strings.Compare) {
		if p := h.Pods[uid]; k.pod(uid, p) {
			r.Pods = append(r.Pods, k.podReport(uid, p))
		}
	}
	for _, g := range h.Gaps {
		if k.time(g.From, g.To) {
			r.Gaps = append(r.Gaps, GapReport(g))
		}
	}
	for i := range h.Observations {
		o := &h.Observations[i]
		if k.service(o.Namespace+"/"+o.Service) && k.address(o.Address) && k.time(o.First, o.Last) {
			r.Uses = append(r.Uses, UseReport{
				o.Consumer, o.Namespace + "/" + o.Service, o.Address, o.Port, o.Kind, o.First, o.Last, o.Count, o.Detail,
			})
		}
	}
	for _, x := range Findings(h, options) {
		if k.finding(&x) {
			r.Findings = append(r.Findings, x)
		}
	}
	for _, t := range Transitions(h) {
		if k.transition(&t) {
			r.Transitions = append(r.Transitions, t)
		}
	}
	r.limitLanes(filter.MaxLanes)
	return r
}

// limitLanes keeps the lanes with most to say: those with findings, then those
// with more spans.
func (r *Report) limitLanes(limit int) {
	if limit <= 0 {
		return
	}
	type place struct{ service, lane, weight int }
	var places []place
	found := map[string]int{}
	for _, f := range r.Findings {
		if !f.Code.Measurement() {
			found[f.Address]++
		}
	}
	for i := range r.Services {
		for j := range r.Services[i].Lanes {
			lane := &r.Services[i].Lanes[j]
			places = append(places, place{i, j, min(found[lane.Address], 1)<<20 + len(lane.Spans)})
		}
	}
	if len(places) <= limit {
		return
	}
	r.LanesLeftOut = len(places) - limit
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(b.weight, a.weight) })
	places = places[:limit]
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.service, b.service), cmp.Compare(a.lane, b.lane))
	})
	kept := make([][]LaneReport, len(r.Services))
	for _, p := range places {
		kept[p.service] = append(kept[p.service], r.Services[p.service].Lanes[p.lane])
	}
	for i := range r.Services {
		r.Services[i].Lanes = append([]LaneReport{}, kept[i]...)
	}
}

// keep decides what a filter lets through.
type keep struct {
	filter      Filter
	from, until time.Time
	// pods and addresses are those that the kept lanes name.
	pods      map[string]bool
	addresses map[string]bool
}

func (k *keep) service(name string) bool {
	return k.filter.Service == (endpointset.ServiceKey{}) || k.filter.Service.String() == name
}

// address compares as addresses where both are: an IPv6 address has more than
// one text.
func (k *keep) address(address string) bool {
	if k.filter.Address == "" || k.filter.Address == address {
		return true
	}
	a, errA := netip.ParseAddr(k.filter.Address)
	b, errB := netip.ParseAddr(address)
	return errA == nil && errB == nil && a == b
}

func (k *keep) time(from, to time.Time) bool { return !from.After(k.until) && !to.Before(k.from) }

func (k *keep) pod(uid string, p *PodHistory) bool {
	if gone := p.Gone(); gone != nil && gone.At.Before(k.from) || p.Changes[0].At.After(k.until) {
		return false
	}
	if k.pods[uid] {
		return true
	}
	if k.filter.Address != "" || k.filter.Service != (endpointset.ServiceKey{}) {
		return slices.ContainsFunc(p.Last().IPList(), func(ip string) bool { return k.addresses[ip] })
	}
	return true
}

func (k *keep) finding(x *Finding) bool {
	if !k.time(x.From, x.To) || x.Address != "" && !k.address(x.Address) || x.Address == "" && k.filter.Address != "" {
		return false
	}
	if x.Service == "" {
		return k.filter.Service == (endpointset.ServiceKey{}) || k.addresses[x.Address]
	}
	return k.service(x.Service)
}

func (k *keep) transition(t *Transition) bool {
	if !k.time(t.At, t.At) {
		return false
	}
	switch {
	case t.Service != "":
		return k.service(t.Service) && (t.Address == "" && k.filter.Address == "" || t.Address != "" && k.address(t.Address))
	case t.Pod != "":
		return k.filter.Service == (endpointset.ServiceKey{}) && k.address(t.Address) || k.addresses[t.Address]
	default: // a gap concerns everything
		return true
	}
}

func (k *keep) serviceReport(svc *ServiceHistory) ServiceReport {
	r := ServiceReport{
		Service: svc.Key.String(), Writes: svc.Writes, Empty: len(svc.Empty),
		Counts: []CountReport{}, Lanes: []LaneReport{},
	}
	for i, c := range svc.Counts {
		// The one that holds at the beginning counts too.
		ends := k.until
		if i+1 < len(svc.Counts) {
			ends = svc.Counts[i+1].At
		}
		if !c.At.After(k.until) && ends.After(k.from) {
			r.Counts = append(r.Counts, CountReport{c.At, c.Ready, c.Known})
		}
	}
	for _, lane := range svc.Lanes {
		if !k.address(lane.Address) {
			continue
		}
		if l := k.laneReport(lane); len(l.Spans) > 0 {
			r.Lanes = append(r.Lanes, l)
		}
	}
	return r
}

func (k *keep) laneReport(lane *Lane) LaneReport {
	r := LaneReport{Address: lane.Address}
	for i := range lane.Spans {
		s := &lane.Spans[i]
		if !k.time(s.From, s.To) {
			continue
		}
		k.addresses[lane.Address] = true
		span := SpanReport{
			From: s.From, To: s.To, FromClock: s.FromClock, Before: s.Before, Open: s.Open,
			State: state(s), Conditions: s.Speaker().Conditions.String(),
		}
		span.Records = append(span.Records, presenceReport(s.Speaker()))
		for j := range s.Presences {
			k.pods[s.Presences[j].Target.UID] = true
			if j != s.Speaks {
				span.Records = append(span.Records, presenceReport(&s.Presences[j]))
			}
		}
		r.Spans = append(r.Spans, span)
	}
	return r
}

// state names a span for the page's bands.
func state(s *Span) string {
	switch c := s.Speaker().Effective(); {
	case c.Terminating && c.Serving:
		return "terminating"
	case c.Terminating:
		return "stopping"
	case c.Ready:
		return "ready"
	case c.Serving:
		return "serving"
	default:
		return "unready"
	}
}

func presenceReport(p *Presence) PresenceReport {
	r := PresenceReport{
		Slice: p.Slice, ResourceVersion: p.ResourceVersion, Conditions: p.Conditions.String(),
		UID: p.Target.UID, Node: p.Node, Zone: p.Zone,
		ForZones: splitList(p.ForZones), ForNodes: splitList(p.ForNodes),
	}
	if p.Target.Name != "" {
		r.Pod = p.Target.Namespace + "/" + p.Target.Name
	}
	return r
}

func (k *keep) podReport(uid string, p *PodHistory) PodReport {
	last := p.Last()
	r := PodReport{Pod: podName(last), UID: uid, Node: last.Node, IPs: last.IPList(), Changes: []PodChangeReport{}}
	if r.IPs == nil {
		r.IPs = []string{}
	}
	var before Pod
	for i, c := range p.Changes {
		change := PodChangeReport{
			At: c.At, Clock: c.Clock, Ready: c.Pod.Ready == True, Phase: c.Pod.Phase,
			Deleting: !c.Pod.GraceEnds.IsZero(), Gone: c.Op.Gone(), What: podWords(i == 0, before, c),
		}
		if change.Deleting {
			change.GraceEnds = &p.Changes[i].Pod.GraceEnds
		}
		if !c.Pod.Stopped.IsZero() {
			change.Stopped = &p.Changes[i].Pod.Stopped
		}
		r.Changes = append(r.Changes, change)
		before = c.Pod
	}
	return r
}
