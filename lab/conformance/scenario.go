package conformance

import (
	"context"
	"time"
)

// Scenario is a story that is told to every consumer at once: what is written
// to the API server, and after each step which addresses have to get new
// connections.
type Scenario struct {
	// Name is short, as in a file name.
	Name  string
	Title string
	// Services are the Services that it is about, "web" alone if empty. They have
	// no selector unless Pods is set.
	Services []string
	// DualStack gives the Services a ClusterIP of each family.
	DualStack bool
	// Pods has the Services select the Pods of a Deployment of the Service's name:
	// Kubernetes' own controllers write slices and Endpoints.
	Pods bool
	// Alone marks one that restarts consumers or components, which others would
	// notice.
	Alone bool
	Steps []Step
}

// Step is a change and what has to come of it. The parts are done in the order
// of the fields.
type Step struct {
	// Say is the change in words.
	Say string
	// Lab does to the control plane what has to be done.
	Lab func(context.Context, *stage) error
	// Apply writes slices, each a request of its own, in this order.
	Apply []Slice
	// Delete deletes slices.
	Delete []string
	// Scale changes the number of the Deployments' Pods, and what they do.
	Scale *Deployment
	// Restart ends the consumers as kill -9 does and starts them again.
	Restart bool
	// Want is judged for each Service; a step without it is followed by the next
	// at once.
	Want []Want
	// Most is how long consumers may take at most, where that is more than theirs:
	// clients that lost the API server wait before they try again.
	Most time.Duration
}

// Want are the addresses of a Service that have to get new connections, for each
// policy that a consumer can promise. An address is written as its last part,
// with "6:" before it for IPv6 and "@PORT" behind it for a port other than 8080:
// "1-100,6:7,8@9090"; "none" is an empty set.
type Want struct {
	// Service is "web" if empty.
	Service string
	// Ready is by PolicyReady, and also what KubeProxy and Published are if
	// they are empty.
	Ready     string
	KubeProxy string
	Published string
	// Endpoints is what the Endpoints object has. Nobody makes one of slices that
	// were written by hand: none if empty.
	Endpoints string
	// Rule is the rule that says so, and the others those for their policy if it is
	// another.
	Rule          string
	KubeProxyRule string
	PublishedRule string
}

// Set returns what a policy wants, and by which rule.
func (w Want) Set(p Policy) (set, rule string) {
	switch p {
	case PolicyKubeProxy:
		return or(w.KubeProxy, w.Ready), or(w.KubeProxyRule, w.Rule)
	case PolicyPublished:
		return or(w.Published, w.Ready), or(w.PublishedRule, or(map[bool]string{true: "S9"}[w.Published != ""], w.Rule))
	case PolicyEndpoints:
		return or(w.Endpoints, none), ruleEndpoints
	default:
		return w.Ready, w.Rule
	}
}

// ruleEndpoints is the rule of a consumer that is held to the Endpoints API.
const ruleEndpoints = "Endpoints"

// ServiceName is Service with its default.
func (w Want) ServiceName() string { return or(w.Service, defaultService) }

const (
	defaultService = "web"
	defaultPort    = 8080
	portName       = "http"
	none           = "none"
)

func (s *Scenario) services() []string {
	if len(s.Services) == 0 {
		return []string{defaultService}
	}
	return s.Services
}

// Deployment says how many Pods there are and how they behave.
type Deployment struct {
	Replicas int
	// Pool are the addresses of the Pods, written as in Want.
	Pool string
	// Annotations are those of docs/lab.md, without their prefix.
	Annotations map[string]string
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
