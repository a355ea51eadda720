package producer

import (
	"fmt"
	"strings"

	discovery "k8s.io/api/discovery/v1"
	"k8s.io/utils/ptr"

	"github.com/slicewright/slicewright/endpointset"
)

// Verb is what a write does to a slice.
type Verb string

// The verbs, in the order in which a plan has them.
const (
	Create Verb = "create"
	Update Verb = "update"
	Delete Verb = "delete"
)

// Write is one request to the API server.
type Write struct {
	Verb Verb
	// Slice is what is sent. For a Delete it is the slice as it was read.
	Slice *discovery.EndpointSlice
	// Old is the slice as it was read, nil for a Create.
	Old *discovery.EndpointSlice
}

// Plan is the writes that bring the own slices of a Service to what is desired,
// in the order in which they have to be made. Stopping after any of them leaves
// the Service with everything that was there and must stay. The zero value
// writes nothing.
type Plan struct {
	Writes []Write
}

// Empty reports that nothing has to be written.
func (p Plan) Empty() bool { return len(p.Writes) == 0 }

// Len counts the requests.
func (p Plan) Len() int { return len(p.Writes) }

// String is the plan for people and for golden files: a line a write, then a
// line for each endpoint that is removed (-) or added (+); an endpoint that
// changes has both lines. Equal plans give equal text. Untrusted text is quoted
// when it needs it.
func (p Plan) String() string {
	var b strings.Builder
	for _, w := range p.Writes {
		w.print(&b)
	}
	return b.String()
}

func (w Write) print(b *strings.Builder) {
	name := w.Slice.Name
	if w.Verb == Create && name == "" {
		name = w.Slice.GenerateName + "*"
	}
	fmt.Fprintf(b, "%s %s/%s %s", w.Verb, plain(w.Slice.Namespace), plain(name), plain(string(w.Slice.AddressType)))
	if w.Verb != Delete {
		b.WriteString(" " + portsText(portsOf(w.Slice)))
	}
	if w.Verb == Update && keyOfPorts(portsOf(w.Old)) != keyOfPorts(portsOf(w.Slice)) {
		b.WriteString(" was " + portsText(portsOf(w.Old)))
	}
	b.WriteString("\n")

	before, after := w.lines()
	only(before, after, func(line string) { fmt.Fprintf(b, "  - %s\n", line) })
	only(after, before, func(line string) { fmt.Fprintf(b, "  + %s\n", line) })
}

// only calls f for the lines that others lacks. They are counted, since a slice
// may hold one address twice.
func only(lines, others []string, f func(string)) {
	count := map[string]int{}
	for _, line := range others {
		count[line]++
	}
	for _, line := range lines {
		if count[line]--; count[line] < 0 {
			f(line)
		}
	}
}

// lines describes the endpoints before and after the write.
func (w Write) lines() (before, after []string) {
	if w.Old != nil {
		for i := range w.Old.Endpoints {
			before = append(before, endpointText(&w.Old.Endpoints[i]))
		}
	}
	if w.Verb != Delete {
		for i := range w.Slice.Endpoints {
			after = append(after, endpointText(&w.Slice.Endpoints[i]))
		}
	}
	return before, after
}

func portsText(ports []endpointset.Port) string {
	if len(ports) == 0 {
		return "no-ports"
	}
	var texts []string
	for _, p := range sortedPorts(ports) {
		texts = append(texts, plain(portText(p)))
	}
	return strings.Join(texts, ",")
}

func endpointText(e *discovery.Endpoint) string {
	words := make([]string, 0, len(e.Addresses)+4)
	for _, a := range e.Addresses {
		words = append(words, plain(a))
	}
	c := endpointset.ConditionsOf(e.Conditions)
	words = append(words, stateText(c))
	for _, attribute := range []struct{ name, value string }{
		{"hostname", ptr.Deref(e.Hostname, "")},
		{"zone", ptr.Deref(e.Zone, "")},
		{"node", ptr.Deref(e.NodeName, "")},
	} {
		if attribute.value != "" {
			words = append(words, attribute.name+"="+plain(attribute.value))
		}
	}
	if t := e.TargetRef; t != nil {
		words = append(words, plain(strings.Join([]string{t.Kind, t.Namespace, t.Name, string(t.UID)}, "/")))
	}
	return strings.Join(words, " ")
}

func stateText(c endpointset.Conditions) string {
	for _, s := range []State{Ready, NotReady, Draining, Stopping} {
		if s.conditions() == c {
			return s.String()
		}
	}
	return fmt.Sprintf("ready=%t,serving=%t,terminating=%t", c.Ready, c.Serving, c.Terminating)
}

// plain returns text as it is when it is ordinary, and quoted otherwise: text
// in a slice is untrusted.
func plain(text string) string {
	for _, r := range text {
		if r <= ' ' || r > '~' {
			return fmt.Sprintf("%q", text)
		}
	}
	return text
}
