package timeline

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Code names a contrast.
type Code string

// The contrasts, each between two of: the Pod's own facts, the slices, and what
// a consumer was seen to do.
const (
	// PublishedBeforeReady: slices said ready before the Pod was, and the Service
	// does not set publishNotReadyAddresses.
	PublishedBeforeReady Code = "published-before-ready"
	// ReadyAfterUnready: slices still said ready after the Pod no longer was.
	ReadyAfterUnready Code = "ready-after-unready"
	// InSlicesAfterGone: slices still held the address after the Pod was gone.
	InSlicesAfterGone Code = "in-slices-after-gone"
	// GoneBeforeGrace: slices dropped the address while the Pod's grace ran.
	GoneBeforeGrace Code = "gone-before-grace"
	// TerminationTimes: how long after the request of a deletion the slices said
	// terminating, and each consumer opened its last connection and sent its last
	// request. It is a measurement.
	TerminationTimes Code = "termination-times"
	// ConnectedAfterTerminating: a consumer opened new connections after the
	// slices said terminating.
	ConnectedAfterTerminating Code = "connected-after-terminating"
	// SharedIP: two Pods had one IP at a time.
	SharedIP Code = "shared-ip"
	// Flapping: an endpoint went ready and unready again and again.
	Flapping Code = "flapping"
	// EmptyWrites: slices were written without change of meaning (S18).
	EmptyWrites Code = "empty-writes"
	// ShrunkToNothing: a Service that had ready addresses had none.
	ShrunkToNothing Code = "shrunk-to-nothing"
	// RequestFailed: a consumer's request failed, with what the recording says of
	// the endpoint at that moment.
	RequestFailed Code = "request-failed"
)

// Codes returns all codes in the order in which they are documented.
func Codes() []Code {
	return []Code{
		PublishedBeforeReady, ReadyAfterUnready, InSlicesAfterGone, GoneBeforeGrace, TerminationTimes,
		ConnectedAfterTerminating, SharedIP, Flapping, EmptyWrites, ShrunkToNothing, RequestFailed,
	}
}

// Measurement reports whether the code is a number and not a fault.
func (c Code) Measurement() bool { return c == TerminationTimes }

// Finding is one contrast that was seen.
type Finding struct {
	Code Code `json:"code"`
	// Service is "namespace/name".
	Service string `json:"service,omitempty"`
	Address string `json:"address,omitempty"`
	// Pod is "namespace/name".
	Pod string `json:"pod,omitempty"`
	// From and To bound it; they are equal for a single moment.
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	// Ongoing is true where it had not ended when the recording did.
	Ongoing bool `json:"ongoing,omitempty"`
	// Uncertain is true where a watch had lost changes in that time, so that it
	// may have begun earlier, ended earlier or not have been at all.
	Uncertain bool   `json:"uncertain,omitempty"`
	Message   string `json:"message"`
	// Moments are the facts that it rests on, in order.
	Moments []Moment `json:"moments"`
}

// Moment is a fact with its time.
type Moment struct {
	At    time.Time `json:"at"`
	Clock Clock     `json:"clock"`
	What  string    `json:"what"`
}

// Options bound what counts as a contrast. The zero value uses the defaults.
type Options struct {
	// Skew is how far two watches may deliver apart without a finding; default
	// 500 ms. Where a moment is the API's, in whole seconds, it is at least 1 s.
	Skew time.Duration
	// Flaps is how many changes of readiness within FlapWindow are flapping;
	// default 4 in 5 minutes: twice there and back.
	Flaps      int
	FlapWindow time.Duration
}

func (o Options) withDefaults() Options {
	o.Skew = cmp.Or(o.Skew, 500*time.Millisecond)
	o.Flaps = cmp.Or(o.Flaps, 4)
	o.FlapWindow = cmp.Or(o.FlapWindow, 5*time.Minute)
	return o
}

// between returns the least difference that means something between two moments.
func (o Options) between(a, b Clock) time.Duration {
	if a != Received || b != Received {
		return max(o.Skew, time.Second)
	}
	return o.Skew
}

// Findings computes every contrast in a history, sorted by time.
func Findings(h *History, options Options) []Finding {
	f := finder{h: h, options: options.withDefaults()}
	for _, svc := range h.Services {
		for _, lane := range svc.Lanes {
			f.readiness(svc, lane)
			f.presence(lane)
			f.twoTargets(lane)
			f.flapping(lane)
		}
		f.emptyWrites(svc)
		f.shrunk(svc)
	}
	f.sharedIPs()
	f.terminations()
	f.failures()
	slices.SortStableFunc(f.found, compareFindings)
	return f.found
}

type finder struct {
	h       *History
	options Options
	found   []Finding
}

func (f *finder) add(x Finding) {
	for _, g := range f.h.Gaps {
		if g.Lost && !g.From.After(x.To) && !g.To.Before(x.From) {
			x.Uncertain = true
		}
	}
	slices.SortStableFunc(x.Moments, func(a, b Moment) int { return a.At.Compare(b.At) })
	f.found = append(f.found, x)
}

func compareFindings(a, b Finding) int {
	return cmp.Or(
		a.From.Compare(b.From),
		strings.Compare(a.Service, b.Service),
		compareAddresses(a.Address, b.Address),
		strings.Compare(string(a.Code), string(b.Code)),
		strings.Compare(a.Message, b.Message),
	)
}

// pod returns the history of the Pod that a record names, or nil: an endpoint
// need not be a Pod's, and its Pod need not have been recorded.
func (f *finder) pod(p *Presence) *PodHistory {
	if p.Target.UID == "" {
		return nil
	}
	return f.h.Pods[p.Target.UID]
}

func podName(p Pod) string { return p.Namespace + "/" + p.Name }

// duration prints a difference of moments the way people read it.
func duration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return d.String()
	case d < 10*time.Second:
		return d.Round(time.Millisecond).String()
	default:
		return d.Round(100 * time.Millisecond).String()
	}
}
