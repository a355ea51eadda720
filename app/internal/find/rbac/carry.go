package rbac

import (
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
)

// Carry returns the rules that a role with these rules needs besides, so that
// its subjects may do with EndpointSlices what they may do with Endpoints; nil if
// nothing is missing.
//
// Verbs are carried over as they are, with two exceptions. A get brings list with
// it: an Endpoints object is got by the name of its Service, while the slices of
// a Service have generated names and are found by label only. And a rule that
// covers Endpoints only by "*" carries reads alone: it does not show that
// anybody writes, and who may write slices can send a Service's traffic anywhere
// (CVE-2021-25740).
//
// A rule that is limited by resourceNames cannot be carried over. The error is
// then a [*NamedError], and the rules returned are for all others.
func Carry(rules []rbacv1.PolicyRule) ([]rbacv1.PolicyRule, error) {
	var from, have []access
	for i := range rules {
		if a, ok := accessTo(&rules[i], endpoints); ok {
			from = append(from, a)
		}
		if a, ok := accessTo(&rules[i], endpointSlices); ok {
			have = append(have, a)
		}
	}
	want, there := wanted(from), unlimited(have)
	var err error
	if named := stranded(from, func(verb string) bool { return want[verb] || there[verb] }); len(named) > 0 {
		err = &NamedError{Rules: named}
	}
	var missing []string
	for _, verb := range allVerbs {
		if want[verb] && !there[verb] {
			missing = append(missing, verb)
		}
	}
	if len(missing) == 0 {
		return nil, err
	}
	return []rbacv1.PolicyRule{slicesRule(missing)}, err
}

// NamedError says which rules on Endpoints cannot be carried over.
type NamedError struct {
	Rules []NamedRule
}

// NamedRule is a rule on Endpoints that is limited to objects by name.
type NamedRule struct {
	Verbs, Names []string
}

func (e *NamedError) Error() string {
	parts := make([]string, len(e.Rules))
	for i, r := range e.Rules {
		parts[i] = r.String()
	}
	return strings.Join(parts, "; ")
}

// String gives the reason and what to do.
func (r NamedRule) String() string {
	return fmt.Sprintf("%s on endpoints named %s cannot be carried over: the names of EndpointSlices are generated, and RBAC does not select by label. "+
		"Decide whether it may have these verbs on all endpointslices of the namespace; a leader lock moves to a Lease of the same name instead",
		strings.Join(r.Verbs, ","), someOf(r.Names, 3))
}

func slicesRule(verbs []string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{endpointSlices.group}, Resources: []string{endpointSlices.name}, Verbs: verbs}
}

// wanted are the verbs on slices that these accesses to Endpoints call for.
func wanted(from []access) map[string]bool {
	want := make(map[string]bool)
	for _, a := range from {
		if a.names == nil {
			for _, verb := range a.carried() {
				want[verb] = true
			}
		}
	}
	return want
}

// carried are the verbs on slices that correspond to what a allows on Endpoints.
func (a access) carried() []string {
	var out []string
	for _, verb := range a.verbs {
		if isRead(verb) || a.named {
			out = append(out, verb)
		}
	}
	if slices.Contains(out, "get") && !slices.Contains(out, "list") {
		out = append(out, "list")
	}
	return out
}

// unlimited are the verbs allowed on objects of any name.
func unlimited(list []access) map[string]bool {
	out := make(map[string]bool)
	for _, a := range list {
		if a.names == nil {
			for _, verb := range a.verbs {
				out[verb] = true
			}
		}
	}
	return out
}

// stranded are the accesses by name of which covered does not have every verb
// that they call for.
func stranded(from []access, covered func(verb string) bool) []NamedRule {
	var out []NamedRule
	for _, a := range from {
		if a.names == nil {
			continue
		}
		for _, verb := range a.carried() {
			if !covered(verb) {
				out = append(out, NamedRule{Verbs: a.verbs, Names: a.names})
				break
			}
		}
	}
	return out
}

// someOf lists at most n names and says how many more there are.
func someOf(names []string, n int) string {
	if len(names) <= n {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:n], ", "), len(names)-n)
}
