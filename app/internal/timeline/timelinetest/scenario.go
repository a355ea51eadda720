// Package timelinetest writes timelines as text, for tests.
//
// A line is one event. It begins with its moment, a duration after Start; "~" or
// "?" before it makes the clock the API's or carried over.
//
//	0s    service web [publishNotReady|gone]
//	0s    pod a 10.0.0.1 ready|unready [deleting GRACE] [since D] [stopped D] [phase P] [host]
//	5s    pod a gone|missing
//	0s    slice web-1 [of SERVICE] 10.0.0.1=a:T/T/F@node#zone 10.0.0.2:-/-/-
//	5s    slice web-1 gone|missing
//	9s    gap endpointslices 6s lost|kept the reason in words
//	5s    haproxy connects|requests|fails 10.0.0.1 [until D] [times N] [: detail]
//
// A pod's deletion is asked for at the moment of the line. A slice belongs to
// Service web unless it says otherwise; everything is in namespace t. A line
// that begins with "list" before its kind was found by a list.
package timelinetest

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/endpointset"
)

// Start is when every scenario begins.
var Start = time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)

// At is a moment of a scenario.
func At(text string) time.Time {
	d, err := time.ParseDuration(text)
	if err != nil {
		panic(err)
	}
	return Start.Add(d)
}

// Parse returns the events of a scenario.
func Parse(text string) ([]timeline.Event, error) {
	s := scenario{state: timeline.NewState()}
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line, _, _ := strings.Cut(lines.Text(), "//")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if err := s.line(line); err != nil {
			return nil, fmt.Errorf("line %d %q: %w", n, line, err)
		}
	}
	return s.events, nil
}

// MustParse is Parse for scenarios that are part of a program.
func MustParse(text string) []timeline.Event {
	events, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return events
}

type scenario struct {
	state  *timeline.State
	events []timeline.Event
}

func (s *scenario) line(line string) (err error) {
	defer func() { // a word that is missing
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	words := strings.Fields(line)
	ev := timeline.Event{Seq: int64(len(s.events) + 1)}
	switch words[0][0] {
	case '~':
		ev.Clock, words[0] = timeline.Told, words[0][1:]
	case '?':
		ev.Clock, words[0] = timeline.Carried, words[0][1:]
	}
	ev.At = At(words[0])
	found := words[1] == "list"
	if found {
		words = words[1:]
	}
	switch words[1] {
	case "service":
		s.service(&ev, words[2:])
	case "pod":
		s.pod(&ev, words[2:])
	case "slice":
		s.slice(&ev, words[2:])
	case "gap":
		ev.Gap = &timeline.Gap{
			Resource: words[2], From: At(words[3]), To: ev.At, Lost: words[4] == "lost", Reason: strings.Join(words[5:], " "),
		}
	default:
		ev.Observation = observation(ev.At, words[1:], line)
	}
	if found && !ev.Op.Gone() {
		ev.Op = timeline.Listed
	}
	s.events = append(s.events, ev)
	s.state.Apply(ev)
	return nil
}

func (s *scenario) service(ev *timeline.Event, words []string) {
	svc := timeline.Service{Key: endpointset.ServiceKey{Namespace: "t", Name: words[0]}, HasSelector: true}
	_, there := s.state.Services[svc.Key]
	ev.Service, ev.Op = &svc, addedOr(there)
	for _, w := range words[1:] {
		switch w {
		case "gone":
			ev.Op = timeline.Deleted
		case "publishNotReady":
			svc.PublishNotReady = true
		default:
			panic("unknown word " + w)
		}
	}
}

func (s *scenario) pod(ev *timeline.Event, words []string) {
	uid := "uid-" + words[0]
	pod, there := s.state.Pods[uid]
	if !there {
		pod = timeline.Pod{Namespace: "t", Name: words[0], UID: uid, Phase: string(corev1.PodRunning), Grace: 30 * time.Second, Node: "n1"}
	}
	ev.Pod, ev.Op = &pod, addedOr(there)
	for i := 1; i < len(words); i++ {
		switch words[i] {
		case "gone":
			ev.Op = timeline.Deleted
		case "missing":
			ev.Op = timeline.Missing
		case "ready", "unready":
			if next := map[string]timeline.Condition{"ready": timeline.True, "unready": timeline.False}[words[i]]; next != pod.Ready {
				pod.Ready, pod.ReadySince = next, ev.At.Truncate(time.Second)
			}
		case "deleting":
			i++
			pod.Grace = At(words[i]).Sub(Start)
			pod.GraceEnds = ev.At.Truncate(time.Second).Add(pod.Grace)
		case "since":
			i++
			pod.ReadySince = At(words[i])
		case "stopped":
			i++
			pod.Stopped = At(words[i])
		case "phase":
			i++
			pod.Phase = words[i]
		case "host":
			pod.HostNetwork = true
		default:
			pod.IPs = words[i]
		}
	}
}

func (s *scenario) slice(ev *timeline.Event, words []string) {
	key := endpointset.SliceKey{Namespace: "t", Name: words[0]}
	_, there := s.state.Slices[key]
	ev.Op = addedOr(there)
	port, name := int32(8080), "http"
	obj := &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "t", Name: words[0], ResourceVersion: strconv.Itoa(len(s.events) + 1),
			Labels: map[string]string{discoveryv1.LabelServiceName: "web"},
		},
		AddressType: discoveryv1.AddressTypeIPv4,
		Ports:       []discoveryv1.EndpointPort{{Name: &name, Port: &port}},
	}
	for i := 1; i < len(words); i++ {
		switch words[i] {
		case "gone":
			ev.Op = timeline.Deleted
		case "missing":
			ev.Op = timeline.Missing
		case "of":
			i++
			obj.Labels[discoveryv1.LabelServiceName] = words[i]
		default:
			obj.Endpoints = append(obj.Endpoints, endpoint(words[i]))
		}
	}
	ev.Slice = s.state.SliceChange(obj)
	if ev.Op.Gone() {
		ev.Slice = s.state.SliceEnd(key)
	}
}

// endpoint reads IP[=POD]:R/S/T[@NODE][#ZONE].
func endpoint(word string) discoveryv1.Endpoint {
	var e discoveryv1.Endpoint
	word, zone, hasZone := strings.Cut(word, "#")
	if hasZone {
		e.Zone = &zone
	}
	word, node, hasNode := strings.Cut(word, "@")
	if hasNode {
		e.NodeName = &node
	}
	where, conditions, _ := strings.Cut(word, ":")
	ip, pod, hasPod := strings.Cut(where, "=")
	e.Addresses = []string{ip}
	if hasPod {
		e.TargetRef = &corev1.ObjectReference{Kind: "Pod", Namespace: "t", Name: pod, UID: types.UID("uid-" + pod)}
	}
	parts := strings.Split(conditions, "/")
	e.Conditions.Ready, e.Conditions.Serving, e.Conditions.Terminating = condition(parts[0]), condition(parts[1]), condition(parts[2])
	return e
}

func condition(letter string) *bool {
	b := letter == "T"
	if letter == "-" {
		return nil
	}
	return &b
}

func observation(at time.Time, words []string, line string) *timeline.Observation {
	o := &timeline.Observation{
		Consumer: words[0], Namespace: "t", Service: "web", Address: words[2], Port: 8080, First: at, Last: at, Count: 1,
		Kind: map[string]timeline.ObservationKind{
			"connects": timeline.Connection, "requests": timeline.Request, "fails": timeline.Failure,
		}[words[1]],
	}
	if o.Kind == 0 {
		panic("unknown word " + words[1])
	}
	for i := 3; i < len(words) && words[i] != ":"; i++ {
		switch words[i] {
		case "until":
			i++
			o.Last = At(words[i])
		case "times":
			i++
			n, err := strconv.ParseInt(words[i], 10, 64)
			if err != nil {
				panic(err)
			}
			o.Count = n
		default:
			panic("unknown word " + words[i])
		}
	}
	if _, detail, ok := strings.Cut(line, " : "); ok {
		o.Detail = detail
	}
	return o
}

func addedOr(there bool) timeline.Op {
	if there {
		return timeline.Modified
	}
	return timeline.Added
}
