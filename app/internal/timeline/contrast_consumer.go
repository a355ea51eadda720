package timeline

import (
	"fmt"
	"strings"
	"time"
)

// terminations measures, for every Pod whose deletion was asked for, how long it
// took until the slices said so and until each consumer followed.
func (f *finder) terminations() {
	for _, svc := range f.h.Services {
		for _, lane := range svc.Lanes {
			for _, uid := range laneTargets(lane) {
				if pod := f.h.Pods[uid]; pod != nil {
					f.termination(lane, pod, uid)
				}
			}
		}
	}
}

func (f *finder) termination(lane *Lane, pod *PodHistory, uid string) {
	deletion := pod.Deletion()
	if deletion == nil {
		return
	}
	// The first sight of the deletion is of the same clock as the slices'; the
	// API's own moment has whole seconds. Both are kept.
	asked := deletion.At
	x := Finding{
		Code: TerminationTimes, Service: lane.Service.String(), Address: lane.Address, Pod: podName(deletion.Pod),
		From: asked, To: asked,
		Moments: []Moment{
			{deletion.Pod.DeletionAsked(), Told, fmt.Sprintf("deletion asked for, grace %s", deletion.Pod.Grace)},
			{asked, deletion.Clock, "deletion seen"},
		},
	}
	var parts []string
	note := func(at time.Time, clock Clock, what string) {
		parts = append(parts, fmt.Sprintf("%s after %s", what, signed(at.Sub(asked))))
		x.Moments = append(x.Moments, Moment{at, clock, what})
		x.To = later(x.To, at)
		x.From = earlier(x.From, at)
	}
	terminating, left := leaving(lane, uid)
	if terminating != nil {
		note(terminating.From, terminating.FromClock, "slices said terminating")
	}
	if left != nil {
		note(left.To, left.ToClock, "slices dropped it")
	}
	for _, use := range f.uses(lane, pod) {
		if !use.lastConnection.IsZero() {
			note(use.lastConnection, Received, use.consumer+" opened its last connection")
		}
		if !use.lastRequest.IsZero() {
			note(use.lastRequest, Received, use.consumer+" sent its last request")
		}
		if terminating != nil {
			f.connectedLate(lane, pod, terminating, use)
		}
	}
	if gone := pod.Gone(); gone != nil {
		note(gone.At, gone.Clock, "Pod was gone")
	}
	if len(parts) == 0 {
		return
	}
	x.Message = "after the deletion was seen: " + strings.Join(parts, ", ")
	f.add(x)
}

// leaving returns the first span in which the target was terminating, and the
// last in which it was present if it then left.
func leaving(lane *Lane, uid string) (terminating, left *Span) {
	for i := range lane.Spans {
		s := &lane.Spans[i]
		if !s.Names(uid) {
			continue
		}
		if left = s; s.Open {
			left = nil
		}
		for j := range s.Presences {
			p := &s.Presences[j]
			if terminating == nil && p.Target.UID == uid && p.Effective().Terminating {
				terminating = s
			}
		}
	}
	return terminating, left
}

// use is what one consumer did with one Pod's address.
type use struct {
	consumer                    string
	lastConnection, lastRequest time.Time
}

// uses returns what consumers did with the address while it was the Pod's: an
// address that is given to a new Pod starts again from nothing.
func (f *finder) uses(lane *Lane, pod *PodHistory) []use {
	var list []use
	index := map[string]int{}
	from, to := pod.Changes[0].At, f.successor(lane, pod)
	for i := range f.h.Observations {
		o := &f.h.Observations[i]
		if o.Address != lane.Address || o.Namespace != lane.Service.Namespace || o.Service != lane.Service.Name ||
			o.Last.Before(from) || !to.IsZero() && !o.First.Before(to) {
			continue
		}
		last := o.Last
		if !to.IsZero() {
			last = earlier(last, to)
		}
		k, ok := index[o.Consumer]
		if !ok {
			k = len(list)
			index[o.Consumer] = k
			list = append(list, use{consumer: o.Consumer})
		}
		switch o.Kind {
		case Connection:
			list[k].lastConnection = later(list[k].lastConnection, last)
		case Request:
			list[k].lastRequest = later(list[k].lastRequest, last)
		}
	}
	return list
}

// successor returns when the slices first named another target for the address
// after the Pod's deletion; zero if they never did.
func (f *finder) successor(lane *Lane, pod *PodHistory) time.Time {
	deletion := pod.Deletion()
	for i := range lane.Spans {
		s := &lane.Spans[i]
		uid := s.Speaker().Target.UID
		if uid != "" && uid != pod.Last().UID && deletion != nil && s.From.After(deletion.At) {
			return s.From
		}
	}
	return time.Time{}
}

func (f *finder) connectedLate(lane *Lane, pod *PodHistory, terminating *Span, u use) {
	late := u.lastConnection.Sub(terminating.From)
	if u.lastConnection.IsZero() || late <= f.options.between(terminating.FromClock, Received) {
		return
	}
	f.add(Finding{
		Code: ConnectedAfterTerminating, Service: lane.Service.String(), Address: lane.Address, Pod: podName(pod.Last()),
		From: terminating.From, To: u.lastConnection,
		Message: fmt.Sprintf("%s opened a new connection %s after the slices said terminating", u.consumer, duration(late)),
		Moments: []Moment{
			{terminating.From, terminating.FromClock, "slices say terminating"},
			{u.lastConnection, Received, u.consumer + " opens its last connection"},
		},
	})
}

// failures says of every failed request what was known of its endpoint then.
func (f *finder) failures() {
	for i := range f.h.Observations {
		o := &f.h.Observations[i]
		if o.Kind == Failure {
			f.failure(o)
		}
	}
}

func (f *finder) failure(o *Observation) {
	x := Finding{
		Code: RequestFailed, Service: o.Namespace + "/" + o.Service, Address: o.Address, From: o.First, To: o.Last,
		Moments: []Moment{{o.First, Received, o.Consumer + ": " + o.Detail}},
	}
	why := f.explain(o, &x)
	times := ""
	if o.Count > 1 {
		times = fmt.Sprintf(" (%d times)", o.Count)
	}
	x.Message = fmt.Sprintf("%s: %s%s; %s", o.Consumer, o.Detail, times, why)
	f.add(x)
}

// explain puts together what slices and Pod said at the moment of a failure.
func (f *finder) explain(o *Observation, x *Finding) string {
	if o.Address == "" {
		return "which endpoint it went to is not known"
	}
	var lane *Lane
	for _, svc := range f.h.Services {
		if svc.Key.Namespace == o.Namespace && svc.Key.Name == o.Service {
			lane = svc.Lane(o.Address)
		}
	}
	if lane == nil {
		return "no slice of the Service ever held the address"
	}
	span := lane.At(o.First)
	if span == nil {
		if last := lastBefore(lane, o.First); last != nil {
			x.Moments = append(x.Moments, Moment{last.To, last.ToClock, "slices no longer hold it"})
			return fmt.Sprintf("the slices had dropped the address %s before", duration(o.First.Sub(last.To))) +
				f.explainPod(last.Speaker(), o.First, x)
		}
		return "no slice held the address yet"
	}
	speaker := span.Speaker()
	said := "not ready"
	switch c := speaker.Effective(); {
	case c.Terminating:
		said = "terminating"
	case c.Ready:
		said = "ready"
	}
	x.Moments = append(x.Moments, Moment{span.From, span.FromClock, "slices say " + said})
	return fmt.Sprintf("the slices had said %s for %s", said, duration(o.First.Sub(span.From))) + f.explainPod(speaker, o.First, x)
}

func (f *finder) explainPod(speaker *Presence, at time.Time, x *Finding) string {
	pod := f.pod(speaker)
	if pod == nil {
		return ""
	}
	x.Pod = podName(pod.Last())
	now, known := pod.At(at)
	switch gone := pod.Gone(); {
	case known && !now.Stopped.IsZero() && !now.Stopped.After(at):
		x.Moments = append(x.Moments, Moment{now.Stopped, Told, "Pod's containers ended"})
		return fmt.Sprintf(", the containers of Pod %s had ended", x.Pod)
	case known && !now.GraceEnds.IsZero():
		seen := pod.Deletion()
		x.Moments = append(x.Moments, Moment{seen.At, seen.Clock, "deletion seen"})
		return fmt.Sprintf(", Pod %s was being deleted for %s (grace %s)", x.Pod, duration(at.Sub(seen.At)), now.Grace)
	case known && now.Ready != True:
		return fmt.Sprintf(", Pod %s was not ready", x.Pod)
	case known:
		return fmt.Sprintf(", Pod %s was ready", x.Pod)
	case gone != nil && !gone.At.After(at):
		x.Moments = append(x.Moments, Moment{gone.At, gone.Clock, "Pod is gone"})
		return fmt.Sprintf(", Pod %s had been gone for %s", x.Pod, duration(at.Sub(gone.At)))
	default:
		return ""
	}
}

func lastBefore(lane *Lane, t time.Time) *Span {
	var last *Span
	for i := range lane.Spans {
		if lane.Spans[i].To.After(t) || lane.Spans[i].Open {
			break
		}
		last = &lane.Spans[i]
	}
	return last
}

func laneTargets(lane *Lane) []string {
	var uids []string
	seen := map[string]bool{"": true}
	for i := range lane.Spans {
		for j := range lane.Spans[i].Presences {
			if uid := lane.Spans[i].Presences[j].Target.UID; !seen[uid] {
				seen[uid] = true
				uids = append(uids, uid)
			}
		}
	}
	return uids
}

// signed prints a duration with its sign where it is negative: what came before
// the deletion was seen.
func signed(d time.Duration) string {
	if d < 0 {
		return "-" + duration(-d)
	}
	return duration(d)
}
