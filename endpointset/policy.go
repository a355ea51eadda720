package endpointset

import (
	"fmt"
	"strings"
)

// Policy says which backends get new connections (S9).
type Policy string

// The policies.
const (
	// Ready is the default: ready and not terminating.
	Ready Policy = "ready"
	// KubeProxy is what kube-proxy does for the Cluster scope: ready, and if
	// none is, those that serve while they terminate.
	KubeProxy Policy = "kube-proxy"
	// ReadyOrTerminating is Ready, and if none is, those that serve while they
	// terminate.
	ReadyOrTerminating Policy = "ready-or-terminating"
	// Serving is serving and not terminating, whatever ready says: health for
	// Services that publish not-ready addresses.
	Serving Policy = "serving"
	// NotTerminating is everything that is not terminating, for those that
	// must configure a backend before it can become ready.
	NotTerminating Policy = "not-terminating"
	// Published is every address, for the discovery of peers.
	Published Policy = "published"
)

// Policies returns all policies, the default first.
func Policies() []Policy {
	return []Policy{Ready, KubeProxy, ReadyOrTerminating, Serving, NotTerminating, Published}
}

// ParsePolicy returns the policy called name; "" is the default.
func ParsePolicy(name string) (Policy, error) {
	if name == "" {
		return Ready, nil
	}
	names := make([]string, 0, len(Policies()))
	for _, p := range Policies() {
		if name == string(p) {
			return p, nil
		}
		names = append(names, string(p))
	}
	return "", fmt.Errorf("unknown policy %q: use one of %s", name, strings.Join(names, ", "))
}

// admits reports whether the policy gives new connections to a backend, before
// topology and without fallback.
func (p Policy) admits(f flags) bool {
	switch p {
	case KubeProxy:
		return f.has(flagReady)
	case Serving:
		return f.has(flagServing) && !f.has(flagTerminating)
	case NotTerminating:
		return !f.has(flagTerminating)
	case Published:
		return true
	default: // Ready, ReadyOrTerminating
		return f.has(flagReady) && !f.has(flagTerminating)
	}
}

// fallsBack reports whether, for want of anything else, the policy turns to
// what serves while it terminates (S10).
func (p Policy) fallsBack() bool { return p == KubeProxy || p == ReadyOrTerminating }

// missing is the condition that a backend lacks which is neither admitted nor
// terminating.
func (p Policy) missing() Reason {
	if p == Serving {
		return NotServing
	}
	return NotReady
}
