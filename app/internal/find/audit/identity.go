package audit

import (
	"strings"
	"time"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// identity is everything that one user did with one product.
type identity struct {
	Key           identityKey
	Masters       bool
	Stats         map[statKey]*stat
	Namespaces    map[string]struct{}
	ManyNames     bool // more namespaces than are kept
	Agents        values
	Pods          values
	SourceIPs     values
	Impersonated  values
	Reasons       map[string]*stat
	OwnDiscovery  int // requests for default/kubernetes alone
	EndpointsSeen int // requests for Endpoints of any outcome
	WatchesEnded  int // of Endpoints
	// The two moments of a silent fallback.
	SlicesRefused    moment // the first refusal on EndpointSlices
	EndpointsAllowed moment // the last success on Endpoints
}

type statKey struct {
	Resource Resource
	Verb     string
	Outcome  Outcome
	Shape    Shape
}

type stat struct {
	Count       int
	First, Last time.Time
	ID          string // the first request's
	Code        int    // the last request's
}

func (s *stat) add(e *Event) {
	at := e.received()
	if s.Count == 0 || at.Before(s.First) {
		s.First, s.ID = at, e.ID
	}
	if at.After(s.Last) {
		s.Last = at
	}
	s.Count += e.times()
	s.Code = e.Code
}

type moment struct {
	At time.Time
	ID string
}

// values is a small set of strings and the number of those that it left out.
type values struct {
	Set  map[string]struct{}
	More bool
}

func (v *values) add(s string) {
	if s == "" {
		return
	}
	if _, known := v.Set[s]; known {
		return
	}
	if len(v.Set) >= maxValues {
		v.More = true
		return
	}
	if v.Set == nil {
		v.Set = make(map[string]struct{})
	}
	v.Set[s] = struct{}{}
}

func newIdentity(key identityKey) *identity {
	return &identity{
		Key:        key,
		Stats:      make(map[statKey]*stat),
		Namespaces: make(map[string]struct{}),
		Reasons:    make(map[string]*stat),
	}
}

func (id *identity) add(e *Event) {
	outcome := e.Outcome()
	key := statKey{e.Resource, e.Verb, outcome, e.Shape}
	s := id.Stats[key]
	if s == nil {
		if len(id.Stats) >= maxStats {
			key.Shape = 0
		}
		if s = id.Stats[key]; s == nil {
			s = new(stat)
			id.Stats[key] = s
		}
	}
	s.add(e)
	id.Masters = id.Masters || e.Masters
	name, version := product(e.UserAgent)
	if version != "" {
		name += "/" + version
	}
	id.Agents.add(name)
	id.Pods.add(e.Pod)
	id.SourceIPs.add(e.SourceIP)
	id.Impersonated.add(e.As)
	at := e.received()
	if e.Resource == EndpointSlices {
		if outcome == Refused && (id.SlicesRefused.ID == "" || at.Before(id.SlicesRefused.At)) {
			id.SlicesRefused = moment{at, e.ID}
		}
		return
	}
	id.EndpointsSeen += e.times()
	if e.Namespace == "default" && e.Name == "kubernetes" {
		id.OwnDiscovery += e.times()
	}
	id.addNamespace(e.Namespace)
	if outcome == Allowed && !at.Before(id.EndpointsAllowed.At) {
		id.EndpointsAllowed = moment{at, e.ID}
	}
	if outcome == Allowed && e.Reason != "" {
		id.addReason(e)
	}
}

func (id *identity) addNamespace(ns string) {
	if ns == "" {
		ns = "*"
	}
	if _, known := id.Namespaces[ns]; !known && len(id.Namespaces) >= maxNamespaces {
		id.ManyNames = true
		return
	}
	id.Namespaces[ns] = struct{}{}
}

func (id *identity) addReason(e *Event) {
	r := id.Reasons[e.Reason]
	if r == nil {
		if len(id.Reasons) >= maxValues {
			return
		}
		r = new(stat)
		id.Reasons[e.Reason] = r
	}
	r.add(e)
}

// ended notes the end of a watch that had been counted at its beginning.
func (id *identity) ended(e *Event) {
	if e.Resource == Endpoints {
		id.WatchesEnded++
	}
	for key, s := range id.Stats {
		if key.Resource == e.Resource && key.Verb == "watch" && key.Shape == e.Shape && e.At.After(s.Last) {
			s.Last = e.At
		}
	}
}

// product takes the first part of a user agent apart: "app/v1.2 (linux)" is the
// program app at v1.2.
func product(userAgent string) (name, version string) {
	first, _, _ := strings.Cut(userAgent, " ")
	name, version, _ = strings.Cut(first, "/")
	return name, version
}

// leaderElection recognises the suffix with which client-go's callers mark the
// client of a leader lock.
func leaderElection(userAgent string) bool {
	return strings.HasSuffix(userAgent, "/leader-election")
}

const serviceAccountPrefix = "system:serviceaccount:"

// serviceAccount returns "namespace/name" for a ServiceAccount's user name.
func serviceAccount(user string) string {
	rest, ok := strings.CutPrefix(user, serviceAccountPrefix)
	if !ok {
		return ""
	}
	ns, name, ok := strings.Cut(rest, ":")
	if !ok || ns == "" || name == "" {
		return ""
	}
	return ns + "/" + name
}

// controlPlaneUsers are the API server itself and the component that runs the
// controllers.
var controlPlaneUsers = map[string]bool{
	"system:apiserver":               true,
	"system:kube-controller-manager": true,
}

// controllers are the ServiceAccounts in kube-system of those controllers that
// touch Endpoints or EndpointSlices as part of their work.
var controllers = map[string]bool{
	"kube-system/endpoint-controller":               true,
	"kube-system/endpointslice-controller":          true,
	"kube-system/endpointslicemirroring-controller": true,
	"kube-system/generic-garbage-collector":         true,
	"kube-system/namespace-controller":              true,
	"kube-system/resourcequota-controller":          true,
}

// controlPlane says whether this is the control plane at work. The user must
// say so. The user agent says it too for the controllers, whose tokens others
// can hold, and it alone decides only for an administrator's credentials: some
// clusters run their kube-controller-manager with those.
func (id *identity) controlPlane() bool {
	if controlPlaneUsers[id.Key.User] {
		return true
	}
	manager := id.Key.Product == "kube-controller-manager" || id.Key.Product == "cloud-controller-manager"
	return manager && (controllers[serviceAccount(id.Key.User)] || id.byAgentAlone())
}

func (id *identity) byAgentAlone() bool {
	return id.Masters && id.Key.Product == "kube-controller-manager" && !controlPlaneUsers[id.Key.User]
}

// tools are programs that a person runs. Under a ServiceAccount they are part of
// a script, and that script is a consumer like any other.
var tools = map[string]bool{
	"kubectl": true, "oc": true, "k9s": true, "helm": true, "stern": true,
	"Lens": true, "freelens-app": true, "headlamp": true, "octant": true, "popeye": true,
}

// walkers read every kind that there is.
var walkers = map[string]bool{
	"velero": true, "velero-server": true, "argocd-application-controller": true,
}

// libraries name a client library or a tool and not the program that uses it.
var libraries = map[string]bool{
	"": true, "curl": true, "Wget": true, "Go-http-client": true, "OpenAPI-Generator": true, "kubectl": true,
	"python-requests": true, "python-urllib3": true, "Java": true, "Kubernetes": true, "okhttp": true,
	"fabric8-kubernetes-client": true, "node-fetch": true, "axios": true, "kube-rs": true, "Swagger-Codegen": true,
	"kubernetes-client": true, "Mozilla": true, "(many)": true,
}

func (id *identity) class() evidence.Class {
	switch {
	case id.controlPlane():
		return evidence.Expected
	case id.Key.Lock:
		return evidence.Lock
	case tools[id.Key.Product] && serviceAccount(id.Key.User) == "":
		return evidence.Tooling
	case walkers[id.Key.Product]:
		return evidence.Walker
	case id.writes():
		return evidence.Producer
	case id.OwnDiscovery == id.EndpointsSeen:
		return evidence.APIServerDiscovery
	}
	return evidence.Reader
}

func (id *identity) writes() bool {
	for key := range id.Stats {
		if key.Resource != Endpoints {
			continue
		}
		switch key.Verb {
		case "create", "update", "patch", "delete", "deletecollection":
			return true
		}
	}
	return false
}

// application is the program's name as far as the log tells.
func (id *identity) application() string {
	if !libraries[id.Key.Product] {
		return id.Key.Product
	}
	if sa := serviceAccount(id.Key.User); sa != "" {
		_, name, _ := strings.Cut(sa, "/")
		return name
	}
	if id.Key.Product != "" {
		return id.Key.Product
	}
	return id.Key.User
}
