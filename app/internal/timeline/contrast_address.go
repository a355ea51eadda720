package timeline

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// sharedIPs finds Pods that had one IP at one time. Pods on the host's network
// share its address by design, and a Pod that ended has given its address back.
func (f *finder) sharedIPs() {
	holders := map[string][]holding{}
	for _, uid := range sortedKeys(f.h.Pods, strings.Compare) {
		for _, h := range holdings(f.h.Pods[uid], f.h.Until) {
			holders[h.ip] = append(holders[h.ip], h)
		}
	}
	for _, ip := range sortedKeys(holders, compareAddresses) {
		list := holders[ip]
		slices.SortStableFunc(list, func(a, b holding) int { return a.from.Compare(b.from) })
		for i := range list {
			for j := i + 1; j < len(list) && list[j].from.Before(list[i].to); j++ {
				f.sharedIP(ip, list[i], list[j])
			}
		}
	}
}

// holding is a time in which a Pod had an IP.
type holding struct {
	ip                 string
	pod                Pod
	from, to           time.Time
	fromClock, toClock Clock
	open               bool
}

func holdings(pod *PodHistory, until time.Time) []holding {
	var list []holding
	current := map[string]int{}
	for _, c := range pod.Changes {
		has := map[string]bool{}
		if !c.Op.Gone() && !c.Pod.HostNetwork && !c.Pod.Ended() {
			for _, ip := range c.Pod.IPList() {
				has[ip] = true
				if _, ok := current[ip]; !ok {
					current[ip] = len(list)
					list = append(list, holding{ip, c.Pod, c.At, until, c.Clock, Received, true})
				}
			}
		}
		for ip, i := range current {
			if !has[ip] {
				list[i].to, list[i].toClock, list[i].open = c.At, c.Clock, false
				delete(current, ip)
			}
		}
	}
	return list
}

func (f *finder) sharedIP(ip string, a, b holding) {
	from, to := later(a.from, b.from), earlier(a.to, b.to)
	if a.pod.UID == b.pod.UID || to.Sub(from) <= f.options.between(a.toClock, b.fromClock) {
		return
	}
	x := Finding{
		Code: SharedIP, Address: ip, Pod: podName(b.pod), From: from, To: to, Ongoing: a.open && b.open,
		Message: fmt.Sprintf("Pods %s and %s both had the IP for %s", podName(a.pod), podName(b.pod), duration(to.Sub(from))),
		Moments: []Moment{
			{a.from, a.fromClock, "Pod " + podName(a.pod) + " has the IP"},
			{b.from, b.fromClock, "Pod " + podName(b.pod) + " has the IP"},
		},
	}
	for _, h := range []holding{a, b} {
		if !h.open {
			x.Moments = append(x.Moments, Moment{h.to, h.toClock, "Pod " + podName(h.pod) + " no longer has it"})
		}
	}
	f.add(x)
}

// twoTargets finds an address for which the slices named two targets at once.
// It needs no Pod facts; a short one is what S6 is for, and is found too, since
// consumers without S6 take the wrong one.
func (f *finder) twoTargets(lane *Lane) {
	for i := 0; i < len(lane.Spans); i++ {
		names := targets(&lane.Spans[i])
		if len(names) < 2 {
			continue
		}
		first, last := &lane.Spans[i], &lane.Spans[i]
		for i+1 < len(lane.Spans) && lane.Spans[i+1].From.Equal(last.To) && len(targets(&lane.Spans[i+1])) > 1 {
			i++
			last = &lane.Spans[i]
		}
		x := Finding{
			Code: SharedIP, Service: lane.Service.String(), Address: lane.Address,
			From: first.From, To: last.To, Ongoing: last.Open,
			Message: fmt.Sprintf("slices named %s for one address for %s", strings.Join(names, " and "), duration(last.To.Sub(first.From))),
			Moments: []Moment{{first.From, first.FromClock, "slices name both"}},
		}
		if !last.Open {
			x.Moments = append(x.Moments, Moment{last.To, last.ToClock, "slices name one or none"})
		}
		f.add(x)
	}
}

// targets returns the different targets of a span, sorted.
func targets(s *Span) []string {
	byUID := map[string]string{}
	for i := range s.Presences {
		if t := s.Presences[i].Target; t.UID != "" {
			byUID[t.UID] = fmt.Sprintf("%s %s/%s", t.Kind, t.Namespace, t.Name)
		}
	}
	if len(byUID) < 2 {
		return nil
	}
	var names []string
	for uid, name := range byUID {
		names = append(names, fmt.Sprintf("%s (%s)", name, uid))
	}
	slices.Sort(names)
	return names
}

// flapping finds addresses whose readiness changed too often in a window.
func (f *finder) flapping(lane *Lane) {
	var flips []Moment
	for i := 1; i < len(lane.Spans); i++ {
		before, now := &lane.Spans[i-1], &lane.Spans[i]
		// A terminating endpoint ends; that is no flap.
		if before.Ready() == now.Ready() || now.Speaker().Effective().Terminating {
			continue
		}
		what := "not ready"
		if now.Ready() {
			what = "ready"
		}
		flips = append(flips, Moment{now.From, now.FromClock, what})
	}
	for i := 0; i+f.options.Flaps <= len(flips); i++ {
		end := i + f.options.Flaps - 1
		if flips[end].At.Sub(flips[i].At) > f.options.FlapWindow {
			continue
		}
		for end+1 < len(flips) && flips[end+1].At.Sub(flips[end].At) <= f.options.FlapWindow {
			end++
		}
		n := end - i + 1
		f.add(Finding{
			Code: Flapping, Service: lane.Service.String(), Address: lane.Address,
			From: flips[i].At, To: flips[end].At,
			Message: fmt.Sprintf("readiness in the slices changed %d times in %s", n, duration(flips[end].At.Sub(flips[i].At))),
			Moments: slices.Clone(flips[i : end+1]),
		})
		i = end
	}
}
