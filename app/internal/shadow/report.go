package shadow

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/slicewright/slicewright/app/internal/api"
	"github.com/slicewright/slicewright/endpointset"
)

// The identity of a Report.
const (
	APIVersion = api.Version
	ReportKind = "ShadowReport"
)

// Outcome is what is said of a Service, or of all of them together.
type Outcome string

// The outcomes.
const (
	Equal     Outcome = "equal"
	Different Outcome = "different"
	// Unknown: it did not settle, or could not be read.
	Unknown Outcome = "unknown"
)

// Report is what a time of comparing came to. Its schema is
// docs/schemas/shadowreport.schema.json.
type Report struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Outcome is different if one Service is, and else unknown if one is, or if
	// there was no Service at all.
	Outcome Outcome   `json:"outcome"`
	From    time.Time `json:"from"`
	Until   time.Time `json:"until"`
	// SettleSeconds is how long both sources had to be still; 0 for objects from
	// files, which do not change.
	SettleSeconds float64         `json:"settleSeconds"`
	Services      []ServiceReport `json:"services"`
	Unread        []Unread        `json:"unread"`
}

// ServiceReport is one Service's part of a Report.
type ServiceReport struct {
	Service string  `json:"service"`
	Outcome Outcome `json:"outcome"`
	// Reason says why the outcome is unknown.
	Reason string `json:"reason,omitempty"`
	// Judgements counts how often it was judged, Differed in how many of them
	// something was to look at. One is enough for the outcome different.
	Judgements int `json:"judgements"`
	Differed   int `json:"differed"`
	// Judged is when the judgement was made that the rest is about: the last one
	// that differed, or else the last one.
	Judged time.Time `json:"judged,omitzero"`
	// Still is false for a Service that never rested: then only what lasted counts.
	Still bool `json:"still"`
	// Resolved: it differed and, when last judged, did not any more.
	Resolved bool `json:"resolved,omitempty"`
	// Reference is true where a reference was compared with, not Endpoints.
	Reference bool `json:"reference,omitempty"`
	// Endpoints and Slices count the backends of each side.
	Endpoints int           `json:"endpoints"`
	Slices    int           `json:"slices"`
	Classes   map[Class]int `json:"classes"`
	// Differences are maxDifferences at most, those to look at first.
	Differences []DifferenceReport `json:"differences"`
	LeftOut     int                `json:"differencesLeftOut,omitempty"`
	Findings    []FindingReport    `json:"findings"`
}

// DifferenceReport is one backend of which the sources differ.
type DifferenceReport struct {
	Port     string     `json:"port"`
	Protocol string     `json:"protocol"`
	IP       netip.Addr `json:"ip"`
	Number   uint16     `json:"number"`
	Endpoint string     `json:"endpoint"`
	Side     Side       `json:"side"`
	Class    Class      `json:"class"`
	Expected bool       `json:"expected"`
	Ready    bool       `json:"ready"`
	Because  string     `json:"because"`
}

// FindingReport is something about a Service as a whole.
type FindingReport struct {
	Class    Class  `json:"class"`
	Expected bool   `json:"expected"`
	Message  string `json:"message"`
}

// Unread is something that could not be read, and what cannot be said for it.
type Unread struct {
	Resource string `json:"resource"`
	// Namespace is "" for all.
	Namespace string `json:"namespace"`
	// Needed: without it no Service there can be judged.
	Needed bool `json:"needed"`
	// Refused: permission is missing; else it did not work for another reason.
	Refused bool   `json:"refused"`
	Problem string `json:"problem"`
	Effect  string `json:"effect"`
}

// maxDifferences bounds a Service's part of a report: Classes has the counts of
// all, and a thousand addresses say no more than the first hundred.
const maxDifferences = 100

// Outcome is what a comparison that counts says.
func (c Comparison) Outcome() Outcome {
	if c.Equal() {
		return Equal
	}
	return Different
}

// NewReport puts Services' parts together. The parts must be in the order in
// which they are to be shown.
func NewReport(from, until time.Time, settle time.Duration, services []ServiceReport, unread []Unread) *Report {
	r := &Report{
		APIVersion: APIVersion, Kind: ReportKind, Outcome: Equal, From: from, Until: until, SettleSeconds: settle.Seconds(),
		Services: append([]ServiceReport{}, services...), Unread: append([]Unread{}, unread...),
	}
	has := func(o Outcome) bool {
		return slices.ContainsFunc(services, func(s ServiceReport) bool { return s.Outcome == o })
	}
	switch {
	case has(Different):
		r.Outcome = Different
	case has(Unknown) || len(services) == 0:
		r.Outcome = Unknown
	}
	return r
}

// History is what the judgements of one Service came to so far. The zero value
// has none.
type History struct {
	judgements, differed int
	last, lastDifferent  judgement
}

type judgement struct {
	at      time.Time
	verdict Verdict
}

// Add takes in a judgement of a moment. A verdict that is not judged is
// ignored.
func (h *History) Add(at time.Time, v Verdict) {
	if !v.Judged {
		return
	}
	h.judgements++
	h.last = judgement{at, v}
	if !v.Comparison.Equal() {
		h.differed++
		h.lastDifferent = h.last
	}
}

// Last returns the last judgement and when it was made; zero if no judgement
// was made.
func (h *History) Last() (Verdict, time.Time) { return h.last.verdict, h.last.at }

// Report returns the Service's part of a report. Without a judgement the outcome
// is unknown for the reason given.
func (h *History) Report(service endpointset.ServiceKey, reason string) ServiceReport {
	r := ServiceReport{
		Service: service.String(), Outcome: Unknown, Judgements: h.judgements, Differed: h.differed,
		Classes: map[Class]int{}, Differences: []DifferenceReport{}, Findings: []FindingReport{},
	}
	shown := h.last
	switch {
	case h.judgements == 0:
		r.Reason = reason
		return r
	case h.differed > 0:
		r.Outcome, shown = Different, h.lastDifferent
		r.Resolved = h.last.verdict.Comparison.Equal()
	default:
		r.Outcome = Equal
	}
	c := shown.verdict.Comparison
	r.Judged, r.Still = shown.at, shown.verdict.Still
	r.Reference = c.Reference
	r.Endpoints, r.Slices, r.Classes = c.Old, c.New, c.Count()
	r.differences(c.Differences)
	for _, f := range c.Findings {
		r.Findings = append(r.Findings, FindingReport{f.Class, f.Class.Expected(), f.Message})
	}
	return r
}

func (r *ServiceReport) differences(all []Difference) {
	for _, expected := range []bool{false, true} {
		for _, d := range all {
			if d.Class.Expected() != expected {
				continue
			}
			if len(r.Differences) == maxDifferences {
				r.LeftOut = len(all) - maxDifferences
				return
			}
			r.Differences = append(r.Differences, DifferenceReport{
				Port: d.PortName, Protocol: d.Protocol, IP: d.Addr, Number: d.Number,
				Endpoint: netip.AddrPortFrom(d.Addr, d.Number).String(),
				Side:     d.Side, Class: d.Class, Expected: expected, Ready: d.Ready, Because: d.Because,
			})
		}
	}
}

// Summary counts in a line what the outcome is about: "3 endpoints-stale, 1
// orphan-slices", what is to look at first.
func (r *ServiceReport) Summary() string {
	if r.Outcome == Unknown {
		return r.Reason
	}
	var text string
	for _, expected := range []bool{false, true} {
		var classes []Class
		for c := range r.Classes {
			if c.Expected() == expected {
				classes = append(classes, c)
			}
		}
		slices.Sort(classes)
		for _, c := range classes {
			if text != "" {
				text += ", "
			}
			text += strconv.Itoa(r.Classes[c]) + " " + string(c)
		}
	}
	if r.Resolved {
		text += fmt.Sprintf(" (no more: it differed in %d of %d judgements)", r.Differed, r.Judgements)
	}
	return text
}
