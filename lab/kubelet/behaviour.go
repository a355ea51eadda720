package kubelet

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/slicewright/slicewright/lab/address"
)

// The annotations of a Pod that say how it behaves. All may be left out; those
// marked * are looked at again whenever they change.
const (
	annotationPrefix = "lab.slicewright.dev/"

	// AnnotationIP: the Pod's address, or one of each family with a comma.
	AnnotationIP = annotationPrefix + "ip"
	// AnnotationPool: where to take the address from, for the Pods of a
	// Deployment: "10.42.0.1-10.42.0.240", a prefix, or one of each family with
	// a comma.
	AnnotationPool = annotationPrefix + "pool"
	// AnnotationReadyAfter: how long after its start the Pod is ready. "0s".
	AnnotationReadyAfter = annotationPrefix + "ready-after"
	// AnnotationReady*: "false" fails readiness.
	AnnotationReady = annotationPrefix + "ready"
	// AnnotationReadyWhileTerminating*: "false" fails readiness once the Pod is
	// being deleted, so that its endpoint is not serving.
	AnnotationReadyWhileTerminating = annotationPrefix + "ready-while-terminating"
	// AnnotationServeAfterDeletion: how long it goes on accepting connections
	// once it is being deleted, as a preStop sleep does; at most the Pod's
	// grace. "2s".
	AnnotationServeAfterDeletion = annotationPrefix + "serve-after-deletion"
	// AnnotationOnStop: what becomes of open requests when it stops accepting:
	// "finish" lets them end within the grace, "cut" resets them.
	AnnotationOnStop = annotationPrefix + "on-stop"
	// AnnotationAnswerAfter*: how long every answer takes. "0s".
	AnnotationAnswerAfter = annotationPrefix + "answer-after"
)

// defaultServeAfterDeletion mirrors the usual advice: a short preStop sleep,
// so that load balancers hear of the deletion before the listener closes.
const defaultServeAfterDeletion = 2 * time.Second

// maxDelay bounds every delay that an annotation or a request can ask for.
const maxDelay = 10 * time.Minute

// Behaviour is how one Pod acts, read from its annotations.
type Behaviour struct {
	Wanted                []address.Range // of addresses, at most one a family; none = the node's pool
	ReadyAfter            time.Duration
	Ready                 bool
	ReadyWhileTerminating bool
	ServeAfterDeletion    time.Duration
	CutOnStop             bool
	AnswerAfter           time.Duration
}

// ParseBehaviour reads a Pod's annotations. A value that cannot be read is an
// error that names the annotation; the result then has that one's default.
func ParseBehaviour(annotations map[string]string) (Behaviour, error) {
	p := parser{annotations: annotations}
	b := Behaviour{
		Wanted:                p.ranges(AnnotationIP, AnnotationPool),
		ReadyAfter:            p.duration(AnnotationReadyAfter, 0),
		Ready:                 p.bool(AnnotationReady, true),
		ReadyWhileTerminating: p.bool(AnnotationReadyWhileTerminating, true),
		ServeAfterDeletion:    p.duration(AnnotationServeAfterDeletion, defaultServeAfterDeletion),
		CutOnStop:             p.choice(AnnotationOnStop, "finish", "cut") == "cut",
		AnswerAfter:           p.duration(AnnotationAnswerAfter, 0),
	}
	return b, p.err
}

// parser keeps the first error, so that reading is straight lines.
type parser struct {
	annotations map[string]string
	err         error
}

func (p *parser) fail(name string, err error) {
	if p.err == nil {
		p.err = fmt.Errorf("annotation %s: %w", name, err)
	}
}

func (p *parser) bool(name string, otherwise bool) bool {
	text, ok := p.annotations[name]
	if !ok {
		return otherwise
	}
	value, err := strconv.ParseBool(text)
	if err != nil {
		p.fail(name, fmt.Errorf("%q is neither true nor false", text))
		return otherwise
	}
	return value
}

func (p *parser) duration(name string, otherwise time.Duration) time.Duration {
	text, ok := p.annotations[name]
	if !ok {
		return otherwise
	}
	value, err := ParseDelay(text)
	if err != nil {
		p.fail(name, err)
		return otherwise
	}
	return value
}

func (p *parser) choice(name string, choices ...string) string {
	text, ok := p.annotations[name]
	if !ok {
		return choices[0]
	}
	for _, choice := range choices {
		if text == choice {
			return choice
		}
	}
	p.fail(name, fmt.Errorf("%q is not one of %s", text, strings.Join(choices, ", ")))
	return choices[0]
}

// ranges reads the first of names that is set.
func (p *parser) ranges(names ...string) []address.Range {
	for _, name := range names {
		text, ok := p.annotations[name]
		if !ok {
			continue
		}
		ranges, err := address.ParseRanges(text)
		if err != nil {
			p.fail(name, err)
			return nil
		}
		return ranges
	}
	return nil
}

// ParseDelay reads a duration that somebody is made to wait.
func ParseDelay(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%q is no duration such as 500ms", text)
	}
	if d < 0 || d > maxDelay {
		return 0, fmt.Errorf("%s is not between 0 and %s", d, maxDelay)
	}
	return d, nil
}

// ParsePort reads a TCP port, 1 to 65535.
func ParsePort(text string) (uint16, error) {
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		return 0, fmt.Errorf("%q is no port", text)
	}
	return uint16(port), nil
}
