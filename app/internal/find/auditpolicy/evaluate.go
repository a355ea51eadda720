package auditpolicy

import (
	"slices"
	"strings"
)

// Request is what a rule is matched against.
type Request struct {
	User      string
	Groups    []string
	Verb      string
	Group     string // API group; "" is the core group
	Resource  string
	Namespace string // "" is a request for all namespaces
	Name      string
}

// Decision is what a policy does with a request.
type Decision struct {
	// Level of the audit event; None where the request is hidden.
	Level string
	// Rule is the index of the rule that decided, -1 if no rule matched: then
	// nothing is logged.
	Rule       int
	OmitStages []string
}

// Evaluate returns what the policy does with the request: the first rule that
// matches decides, and without one nothing is logged.
func (p *Policy) Evaluate(r Request) Decision {
	for i, rule := range p.Rules {
		if rule.matches(r) {
			return Decision{rule.Level, i, slices.Concat(p.OmitStages, rule.OmitStages)}
		}
	}
	return Decision{Level: "None", Rule: -1, OmitStages: p.OmitStages}
}

func (r *Rule) matches(q Request) bool {
	switch {
	case len(r.Users) > 0 && !slices.Contains(r.Users, q.User):
		return false
	case len(r.UserGroups) > 0 && !slices.ContainsFunc(r.UserGroups, func(g string) bool { return slices.Contains(q.Groups, g) }):
		return false
	case len(r.Verbs) > 0 && !slices.Contains(r.Verbs, q.Verb):
		return false
	case len(r.Namespaces) > 0 && !slices.Contains(r.Namespaces, q.Namespace):
		return false
	case len(r.Resources) > 0:
		return slices.ContainsFunc(r.Resources, func(g GroupResources) bool { return g.match(q) })
	case len(r.Namespaces) > 0:
		return true
	}
	// A rule for URLs alone is not about resources.
	return len(r.NonResourceURLs) == 0
}

// match follows the API's words: no resources are all of the group, "*" is every
// resource and subresource, and names limit what the resources match.
func (g GroupResources) match(q Request) bool {
	if g.Group != q.Group {
		return false
	}
	if len(g.Resources) == 0 {
		return true
	}
	if len(g.ResourceNames) > 0 && !slices.Contains(g.ResourceNames, q.Name) {
		return false
	}
	return slices.Contains(g.Resources, q.Resource) || slices.Contains(g.Resources, "*")
}

// The resources and verbs that find needs to see.
var resources = []struct{ group, name string }{{"", "endpoints"}, {"discovery.k8s.io", "endpointslices"}}

var verbs = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}

// subject is one user of each kind that a policy can tell from the others.
type subject struct {
	label  string
	user   string
	groups []string
	// own says that it is the control plane: hiding it hides no consumer.
	own bool
}

// elsewhere is a namespace, a user and a group that no policy names.
const elsewhere = "slicewright-any-other"

// subjects derives from the rules whom they can tell apart: everybody named, a
// member of each group named, and an ordinary ServiceAccount and person.
func (p *Policy) subjects() []subject {
	account := func(ns, name string) subject {
		return subject{
			"ServiceAccount " + ns + "/" + name, "system:serviceaccount:" + ns + ":" + name,
			[]string{"system:serviceaccounts", "system:serviceaccounts:" + ns, "system:authenticated"},
			false,
		}
	}
	out := []subject{account(elsewhere, elsewhere), {"a person", elsewhere, []string{"system:authenticated"}, false}}
	out[0].label = "any other ServiceAccount"
	seen := map[string]bool{out[0].user: true, out[1].user: true}
	add := func(s subject) {
		if !seen[s.user] {
			seen[s.user] = true
			out = append(out, s)
		}
	}
	for _, rule := range p.Rules {
		for _, user := range rule.Users {
			if ns, name, ok := strings.Cut(strings.TrimPrefix(user, "system:serviceaccount:"), ":"); ok && strings.HasPrefix(user, "system:serviceaccount:") {
				add(account(ns, name))
				continue
			}
			own := user == "system:apiserver" || user == "system:kube-controller-manager" || user == "system:kube-scheduler"
			add(subject{"user " + user, user, []string{"system:authenticated"}, own})
		}
		for _, group := range rule.UserGroups {
			switch ns, ok := strings.CutPrefix(group, "system:serviceaccounts:"); {
			case ok:
				s := account(ns, elsewhere)
				s.label = "any ServiceAccount of " + ns
				add(s)
			case group == "system:serviceaccounts", group == "system:authenticated":
			default:
				add(subject{"a member of " + group, elsewhere + "@" + group, []string{group, "system:authenticated"}, false})
			}
		}
	}
	return out
}

// namespaces derives which namespaces the rules can tell apart.
func (p *Policy) namespaces() []string {
	out := []string{elsewhere, ""}
	for _, rule := range p.Rules {
		for _, ns := range rule.Namespaces {
			if !slices.Contains(out, ns) {
				out = append(out, ns)
			}
		}
	}
	return out
}

// names derives which objects the rules can tell apart.
func (p *Policy) names() []string {
	out := []string{elsewhere}
	for _, rule := range p.Rules {
		for _, g := range rule.Resources {
			for _, name := range g.ResourceNames {
				if !slices.Contains(out, name) {
					out = append(out, name)
				}
			}
		}
	}
	return out
}
