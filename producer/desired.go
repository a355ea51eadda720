package producer

import (
	"cmp"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/slicewright/slicewright/endpointset"
)

// Limits of the API, and the default that its own controllers use.
const (
	// DefaultMaxEndpoints is how many endpoints a slice gets when nobody says
	// otherwise: a change of one endpoint then sends at most 100 to every watcher.
	DefaultMaxEndpoints = 100
	// MaxEndpoints is what a slice may hold at most.
	MaxEndpoints = 1000
	// MaxPorts is what discovery/v1 documents as the most ports of a slice. The
	// server's own check is laxer; consumers may rely on the documented number.
	MaxPorts = 100
)

// Desired is what the slices of one Service should say. Subsets may be empty:
// then the Service should have no backends, and its slices with this
// ManagedBy are deleted. A program that failed to read its source must not
// plan at all (S15).
type Desired struct {
	// Service is whose backends these are. It need not exist yet.
	Service endpointset.ServiceKey
	// ManagedBy is the producer's own value of the label
	// endpointslice.kubernetes.io/managed-by. It decides which slices are its
	// own, so no two producers of one Service may share it.
	ManagedBy string
	// MaxEndpoints bounds what is put into one slice, 0 for
	// DefaultMaxEndpoints. A slice that holds more already is left as it is:
	// spreading it out would move endpoints for nothing.
	MaxEndpoints int
	// Labels and Annotations are put on every slice, beside those that the API
	// gives a meaning. Others that are found on a slice stay there.
	//
	// A headless Service needs the label service.kubernetes.io/headless with an
	// empty value, else kube-proxy takes its slices in as well.
	Labels, Annotations map[string]string
	// Owner, when given, is the only owner of every slice. The Service as owner
	// has the slices deleted with it.
	Owner *metav1.OwnerReference
	// TrafficDistribution is that of the Service: "" for none, or a value such
	// as PreferSameZone. The hints are those that the endpointslice controller
	// would give.
	TrafficDistribution string
	// Subsets are endpoints by their ports. Two subsets with equal ports are one.
	Subsets []Subset
}

// Subset is endpoints that all have the same ports (S2).
type Subset struct {
	// Ports may be empty: such endpoints have addresses, which a headless
	// Service's DNS answers with, and no backends.
	Ports     []endpointset.Port
	Endpoints []Endpoint
}

// Endpoint is one address. The zero value of everything but Addr is a ready
// endpoint of which nothing more is known.
type Endpoint struct {
	Addr  netip.Addr
	State State
	// Hostname makes a DNS name in a headless Service. It is a DNS label.
	Hostname string
	// Zone and Node say where the endpoint is.
	Zone, Node string
	// Target is the object behind the address, nil for none.
	Target *corev1.ObjectReference
}

// State is the life of an endpoint, as the three conditions tell it.
type State uint8

// The states.
const (
	// Ready gets connections: ready, serving, not terminating.
	Ready State = iota
	// NotReady gets none: neither ready nor serving.
	NotReady
	// Draining still answers and must get no new connections: serving and
	// terminating, not ready.
	Draining
	// Stopping is terminating and does not answer any more.
	Stopping
)

// String returns "ready", "not-ready", "draining" or "stopping".
func (s State) String() string {
	switch s {
	case Ready:
		return "ready"
	case NotReady:
		return "not-ready"
	case Draining:
		return "draining"
	case Stopping:
		return "stopping"
	}
	return "unknown"
}

func (s State) conditions() endpointset.Conditions {
	return endpointset.Conditions{
		Ready:       s == Ready,
		Serving:     s == Ready || s == Draining,
		Terminating: s == Draining || s == Stopping,
	}
}

// recordKey is what makes an endpoint of a subset itself: two records with one
// address can be two hosts' names or two Pods. Everything else, the target's
// UID among it, changes in place.
type recordKey struct {
	addr                      netip.Addr
	hostname                  string
	kind, namespace, nameOfIt string
}

func (e Endpoint) key() recordKey {
	key := recordKey{addr: e.Addr.Unmap(), hostname: e.Hostname}
	if t := e.Target; t != nil {
		key.kind, key.namespace, key.nameOfIt = t.Kind, t.Namespace, t.Name
	}
	return key
}

func (k recordKey) compare(o recordKey) int {
	return cmp.Or(
		k.addr.Compare(o.addr),
		cmp.Compare(k.hostname, o.hostname),
		cmp.Compare(k.kind, o.kind),
		cmp.Compare(k.namespace, o.namespace),
		cmp.Compare(k.nameOfIt, o.nameOfIt),
	)
}

func (d Desired) maxEndpoints() int {
	if d.MaxEndpoints == 0 {
		return DefaultMaxEndpoints
	}
	return d.MaxEndpoints
}
