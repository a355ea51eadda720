package endpointset

import (
	"fmt"
	"strings"
)

// Policy says which backends get new connections (S9).
type Policy string

// The policies.
const (
	// PolicyReady is the default: ready and not terminating.
	PolicyReady Policy = "ready"
	// PolicyKubeProxy is what kube-proxy does for the Cluster scope: ready, and if
	// none is, those that serve while they terminate.
	PolicyKubeProxy Policy = "kube-proxy"
	// PolicyReadyOrTerminating is PolicyReady, and if none is, those that serve while they
	// terminate.
	PolicyReadyOrTerminating Policy = "ready-or-terminating"
	// PolicyServing is serving and not terminating, whatever ready says: health for
	// Services that publish not-ready addresses.
	PolicyServing Policy = "serving"
	// PolicyNotTerminating is everything that is not terminating, for those that
	// must configure a backend before it can become ready.
	PolicyNotTerminating Policy = "not-terminating"
	// PolicyPublished is every address, for the discovery of peers.
	PolicyPublished Policy = "published"
)

// Policies returns all policies, the default first.
func Policies() []Policy {
	return []Policy{PolicyReady, PolicyKubeProxy, PolicyReadyOrTerminating, PolicyServing, PolicyNotTerminating, PolicyPublished}
}

// ParsePolicy returns the policy called name; "" is the default.
func ParsePolicy(name string) (Policy, error) {
	if name == "" {
		return PolicyReady, nil
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
	case PolicyKubeProxy:
		return f.has(flagReady)
	case PolicyServing:
		return f.has(flagServing) && !f.has(flagTerminating)
	case PolicyNotTerminating:
		return !f.has(flagTerminating)
	case PolicyPublished:
		return true
	default: // Ready, ReadyOrTerminating
		return f.has(flagReady) && !f.has(flagTerminating)
	}
}

// fallsBack reports whether, for want of anything else, the policy turns to
// what serves while it terminates (S10).
func (p Policy) fallsBack() bool { return p == PolicyKubeProxy || p == PolicyReadyOrTerminating }

// missing is the condition that a backend lacks which is neither admitted nor
// terminating.
func (p Policy) missing() Reason {
	if p == PolicyServing {
		return ReasonNotServing
	}
	return ReasonNotReady
}
