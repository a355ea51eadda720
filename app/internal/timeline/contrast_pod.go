package timeline

import (
	"fmt"
	"time"

	"github.com/slicewright/slicewright/endpointset"
)

// readyTime is a time in which slices said ready for one target without a
// break, whichever slice said it.
type readyTime struct {
	from, to           time.Time
	fromClock, toClock Clock
	before, open       bool
	target             endpointset.Target
}

func readyTimes(lane *Lane) []readyTime {
	var times []readyTime
	for i := range lane.Spans {
		s := &lane.Spans[i]
		if !s.Ready() {
			continue
		}
		target := s.Speaker().Target
		if n := len(times); n > 0 && times[n-1].to.Equal(s.From) && times[n-1].target.UID == target.UID {
			times[n-1].to, times[n-1].toClock, times[n-1].open = s.To, s.ToClock, s.Open
			continue
		}
		times = append(times, readyTime{s.From, s.To, s.FromClock, s.ToClock, s.Before, s.Open, target})
	}
	return times
}

// unreadyTime is a time in which a Pod existed and said that it was not ready.
type unreadyTime struct {
	from, to           time.Time
	fromClock, toClock Clock
	since              time.Time // the API's moment of the change to not ready
	readyAgain         time.Time // the API's moment of the change back
	open               bool
	wasReady           bool
}

func unreadyTimes(pod *PodHistory, until time.Time) []unreadyTime {
	var times []unreadyTime
	ready := false
	var current *unreadyTime
	for _, c := range pod.Changes {
		now := c.Pod.Ready == True
		if current != nil && (now || c.Op.Gone()) {
			current.to, current.toClock, current.open = c.At, c.Clock, false
			if now {
				current.readyAgain = c.Pod.ReadySince
			}
			current = nil
		}
		if c.Op.Gone() {
			break
		}
		if current == nil && !now {
			times = append(times, unreadyTime{
				from: c.At, to: until, fromClock: c.Clock, since: c.Pod.ReadySince, open: true, wasReady: ready,
			})
			current = &times[len(times)-1]
		}
		ready = ready || now
	}
	return times
}

// readiness finds slices that said ready while the Pod said that it was not.
// What it was before makes the difference between the two codes.
func (f *finder) readiness(svc *ServiceHistory, lane *Lane) {
	for _, r := range readyTimes(lane) {
		pod := f.h.Pods[r.target.UID]
		if r.target.UID == "" || pod == nil {
			continue
		}
		for _, u := range unreadyTimes(pod, f.h.Until) {
			from, to := later(r.from, u.from), earlier(r.to, u.to)
			if publish, known := svc.PublishNotReady(from); publish || !known {
				continue
			}
			if to.Sub(from) <= f.options.between(r.fromClock, u.fromClock) {
				continue
			}
			// The watch of Pods may lag behind that of slices. Where the API's own
			// moment of the change, cut to whole seconds, proves that the Pod was
			// ready first, it was.
			if !u.wasReady && !u.readyAgain.IsZero() && !u.readyAgain.Add(time.Second).After(r.from) {
				continue
			}
			f.add(readinessFinding(lane, pod, r, u, from, to))
		}
	}
}

func readinessFinding(lane *Lane, pod *PodHistory, r readyTime, u unreadyTime, from, to time.Time) Finding {
	name := podName(pod.Last())
	x := Finding{
		Service: lane.Service.String(), Address: lane.Address, Pod: name,
		From: from, To: to, Ongoing: r.open && u.open,
		Moments: []Moment{
			{r.from, r.fromClock, "slices say ready"},
			{u.from, u.fromClock, "Pod is not ready"},
		},
	}
	if !u.since.IsZero() && u.wasReady {
		x.Moments = append(x.Moments, Moment{u.since, Told, "Pod's Ready condition changed to not ready"})
	}
	if !r.open {
		x.Moments = append(x.Moments, Moment{r.to, r.toClock, "slices no longer say ready"})
	}
	if !u.open {
		what := "Pod is gone"
		if !u.readyAgain.IsZero() {
			what = "Pod is ready"
		}
		x.Moments = append(x.Moments, Moment{u.to, u.toClock, what})
	}
	if u.wasReady {
		x.Code = ReadyAfterUnready
		x.Message = fmt.Sprintf("slices said ready for %s although Pod %s was no longer ready", duration(to.Sub(from)), name)
	} else {
		x.Code = PublishedBeforeReady
		x.Message = fmt.Sprintf("slices said ready %s before Pod %s was ready", duration(to.Sub(from)), name)
	}
	return x
}

// presence finds records that outlive their Pod, and Pods that outlive their
// records while their grace runs.
func (f *finder) presence(lane *Lane) {
	for _, p := range presenceTimes(lane) {
		pod := f.h.Pods[p.uid]
		if pod == nil {
			continue
		}
		f.afterGone(lane, pod, p)
		f.beforeGrace(lane, pod, p)
	}
}

// presenceTime is a time in which any slice named a target for an address.
type presenceTime struct {
	uid                string
	from, to           time.Time
	fromClock, toClock Clock
	open               bool
}

func presenceTimes(lane *Lane) []presenceTime {
	var times []presenceTime
	last := map[string]int{}
	for i := range lane.Spans {
		s := &lane.Spans[i]
		seen := map[string]bool{}
		for j := range s.Presences {
			uid := s.Presences[j].Target.UID
			if uid == "" || seen[uid] {
				continue
			}
			seen[uid] = true
			if k, ok := last[uid]; ok && times[k].to.Equal(s.From) {
				times[k].to, times[k].toClock, times[k].open = s.To, s.ToClock, s.Open
				continue
			}
			last[uid] = len(times)
			times = append(times, presenceTime{uid, s.From, s.To, s.FromClock, s.ToClock, s.Open})
		}
	}
	return times
}

func (f *finder) afterGone(lane *Lane, pod *PodHistory, p presenceTime) {
	gone := pod.Gone()
	if gone == nil || !p.to.After(gone.At) {
		return
	}
	from := later(gone.At, p.from)
	if p.to.Sub(from) <= f.options.between(gone.Clock, p.toClock) {
		return
	}
	x := Finding{
		Code: InSlicesAfterGone, Service: lane.Service.String(), Address: lane.Address, Pod: podName(gone.Pod),
		From: from, To: p.to, Ongoing: p.open,
		Message: fmt.Sprintf("slices held the address for %s after Pod %s was gone", duration(p.to.Sub(from)), podName(gone.Pod)),
		Moments: []Moment{{gone.At, gone.Clock, "Pod is gone"}},
	}
	if p.open {
		x.Moments = append(x.Moments, Moment{p.to, p.toClock, "the recording ends, slices still hold it"})
	} else {
		x.Moments = append(x.Moments, Moment{p.to, p.toClock, "slices no longer hold it"})
	}
	f.add(x)
}

// beforeGrace leaves out Pods that ended by themselves: those are dropped from
// slices by design.
func (f *finder) beforeGrace(lane *Lane, pod *PodHistory, p presenceTime) {
	if p.open {
		return
	}
	now, known := pod.At(p.to)
	if !known || now.GraceEnds.IsZero() || now.Ended() {
		return
	}
	end, what, clock := now.GraceEnds, "the grace ends", Told
	before := fmt.Sprintf("the grace of Pod %s ended (%s)", podName(now), now.Grace)
	if gone := pod.Gone(); gone != nil && gone.At.Before(end) {
		end, what, clock = gone.At, "Pod is gone", gone.Clock
		before = fmt.Sprintf("Pod %s was gone (grace %s)", podName(now), now.Grace)
	}
	if end.Sub(p.to) <= f.options.between(p.toClock, clock) {
		return
	}
	f.add(Finding{
		Code: GoneBeforeGrace, Service: lane.Service.String(), Address: lane.Address, Pod: podName(now),
		From: p.to, To: end,
		Message: fmt.Sprintf("slices dropped the address %s before %s", duration(end.Sub(p.to)), before),
		Moments: []Moment{
			{now.DeletionAsked(), Told, "deletion asked for"},
			{p.to, p.toClock, "slices no longer hold it"},
			{end, clock, what},
		},
	})
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
