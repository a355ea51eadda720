package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Transition is one row of the table: something about an address, a Pod, a
// Service or the recording itself changed.
type Transition struct {
	At      time.Time `json:"at"`
	Clock   Clock     `json:"clock"`
	Service string    `json:"service,omitempty"`
	Address string    `json:"address,omitempty"`
	Pod     string    `json:"pod,omitempty"`
	Slice   string    `json:"slice,omitempty"`
	// Conditions are ready/serving/terminating of the record that speaks, as
	// written: T, F, or - for absent. "" where the address is in no slice.
	Conditions string `json:"conditions,omitempty"`
	What       string `json:"what"`
}

// Transitions lists everything that changed, in order.
func Transitions(h *History) []Transition {
	var list []Transition
	for _, svc := range h.Services {
		for _, f := range svc.Facts {
			list = append(list, Transition{At: f.At, Clock: f.Clock, Service: svc.Key.String(), What: serviceWords(f)})
		}
		for _, lane := range svc.Lanes {
			list = append(list, laneTransitions(lane)...)
		}
	}
	for _, pod := range h.Pods {
		list = append(list, podTransitions(pod)...)
	}
	for _, g := range h.Gaps {
		list = append(list, Transition{At: g.From, What: gapWords(g)})
	}
	for i := range h.Observations {
		list = append(list, observationTransition(&h.Observations[i]))
	}
	slices.SortStableFunc(list, func(a, b Transition) int {
		return cmp.Or(a.At.Compare(b.At), strings.Compare(a.Service, b.Service), compareAddresses(a.Address, b.Address),
			strings.Compare(a.Pod, b.Pod), strings.Compare(a.What, b.What))
	})
	return list
}

func serviceWords(f ServiceFact) string {
	switch {
	case f.Op.Gone():
		return "Service " + f.Op.String()
	case f.Service.PublishNotReady:
		return "Service " + f.Op.String() + ", publishNotReadyAddresses set"
	default:
		return "Service " + f.Op.String()
	}
}

func gapWords(g Gap) string {
	where := g.Namespace
	if where == "" {
		where = "all namespaces"
	}
	kind := "watch of %s in %s down for %s, nothing lost: %s"
	if g.Lost {
		kind = "GAP: watch of %s in %s lost for %s, changes may be missing: %s"
	}
	return fmt.Sprintf(kind, g.Resource, where, duration(g.To.Sub(g.From)), g.Reason)
}

func observationTransition(o *Observation) Transition {
	what := map[ObservationKind]string{
		Connection: "%s opens %d new connections", Request: "%s sends %d requests", Failure: "%s fails %d requests",
	}[o.Kind]
	t := Transition{At: o.First, Service: o.Namespace + "/" + o.Service, Address: o.Address, What: fmt.Sprintf(what, o.Consumer, o.Count)}
	if o.Last.After(o.First) {
		t.What += " until " + o.Last.Format("15:04:05.000")
	}
	if o.Detail != "" {
		t.What += ": " + o.Detail
	}
	return t
}

func laneTransitions(lane *Lane) []Transition {
	var list []Transition
	for i := range lane.Spans {
		s := &lane.Spans[i]
		speaker := s.Speaker()
		t := Transition{
			At: s.From, Clock: s.FromClock, Service: lane.Service.String(), Address: lane.Address,
			Slice: sliceNames(s), Conditions: speaker.Conditions.String(),
		}
		if speaker.Target.Name != "" {
			t.Pod = speaker.Target.Namespace + "/" + speaker.Target.Name
		}
		if i > 0 && lane.Spans[i-1].To.Equal(s.From) {
			t.What = spanWords(&lane.Spans[i-1], s)
		} else {
			t.What = arrivalWords(s)
		}
		list = append(list, t)
		if next := i + 1; !s.Open && (next == len(lane.Spans) || !lane.Spans[next].From.Equal(s.To)) {
			t.At, t.Clock, t.Conditions, t.What = s.To, s.ToClock, "", "left the slices"
			list = append(list, t)
		}
	}
	return list
}

func sliceNames(s *Span) string {
	names := make([]string, 0, len(s.Presences))
	for i := range s.Presences {
		if n := s.Presences[i].Slice; !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return strings.Join(names, ",")
}

func arrivalWords(s *Span) string {
	if s.Before {
		return "found, " + stateWord(s)
	}
	return "joined, " + stateWord(s)
}

// stateWord is what the conditions add up to.
func stateWord(s *Span) string {
	switch c := s.Speaker().Effective(); {
	case c.Terminating && c.Serving:
		return "terminating, still serving"
	case c.Terminating:
		return "terminating, not serving"
	case c.Ready && !c.Serving:
		return "ready, not serving"
	case c.Ready:
		return "ready"
	case c.Serving:
		return "not ready, serving"
	default:
		return "not ready"
	}
}

// spanWords says what differs between two spans that touch.
func spanWords(before, now *Span) string {
	var words []string
	if a, b := stateWord(before), stateWord(now); a != b {
		words = append(words, b)
	}
	if a, b := before.Speaker().Target, now.Speaker().Target; a.UID != b.UID {
		words = append(words, fmt.Sprintf("now %s %s, before %s", b.Kind, b.Name, a.Name))
	}
	a, b := sliceNames(before), sliceNames(now)
	switch {
	case a == b && len(before.Presences) != len(now.Presences):
		words = append(words, fmt.Sprintf("%d records in slice %s", len(now.Presences), b))
	case a == b:
	case strings.Contains(b, ","):
		words = append(words, "duplicate: in slices "+b)
	case strings.Contains(a, ","):
		words = append(words, "now in slice "+b+" alone")
	default:
		words = append(words, "moved from slice "+a+" to "+b)
	}
	p, q := before.Speaker(), now.Speaker()
	if p.Node != q.Node || p.Zone != q.Zone {
		words = append(words, fmt.Sprintf("now on node %q, zone %q", q.Node, q.Zone))
	}
	if p.ForZones != q.ForZones || p.ForNodes != q.ForNodes {
		words = append(words, fmt.Sprintf("hints now zones [%s], nodes [%s]", q.ForZones, q.ForNodes))
	}
	if len(words) == 0 {
		if p.Conditions != q.Conditions {
			return "conditions written as " + q.Conditions.String()
		}
		return "record changed without change of meaning"
	}
	return strings.Join(words, "; ")
}

func podTransitions(pod *PodHistory) []Transition {
	var list []Transition
	var before Pod
	for i, c := range pod.Changes {
		what := podWords(i == 0, before, c)
		if what != "" {
			ip, _, _ := strings.Cut(c.Pod.IPs, ",")
			list = append(list, Transition{At: c.At, Clock: c.Clock, Address: ip, Pod: podName(c.Pod), What: what})
		}
		before = c.Pod
	}
	return list
}

func podWords(first bool, before Pod, c PodChange) string {
	if c.Op.Gone() {
		return "Pod gone"
	}
	var words []string
	p := c.Pod
	if first {
		words = append(words, "Pod "+c.Op.String())
	}
	if p.Phase != before.Phase && p.Phase != "" {
		words = append(words, "phase "+p.Phase)
	}
	if p.IPs != before.IPs {
		words = append(words, "IP "+p.IPs)
	}
	if ready := p.Ready == True; ready != (before.Ready == True) {
		if ready {
			words = append(words, "Pod ready")
		} else {
			words = append(words, "Pod not ready")
		}
	}
	if !p.GraceEnds.Equal(before.GraceEnds) && !p.GraceEnds.IsZero() {
		words = append(words, fmt.Sprintf("deletion asked for at %s, grace %s", p.DeletionAsked().Format("15:04:05"), p.Grace))
	}
	if !p.Stopped.Equal(before.Stopped) && !p.Stopped.IsZero() {
		words = append(words, "containers ended at "+p.Stopped.Format("15:04:05"))
	}
	return strings.Join(words, "; ")
}
