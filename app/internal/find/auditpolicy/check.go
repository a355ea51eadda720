package auditpolicy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/slicewright/slicewright/app/internal/api"
)

// Blind is something that the policy hides from an inventory.
type Blind struct {
	Resource string `json:"resource"`
	// Rule is the number of the rule from 1, as people count; 0 where no rule
	// matches. Line is its line in the file.
	Rule int    `json:"rule"`
	Line int    `json:"line,omitempty"`
	Why  string `json:"why"`
	// Verbs, Users and Namespaces are those for which something is hidden.
	Verbs      []string `json:"verbs"`
	Users      []string `json:"users"`
	Namespaces []string `json:"namespaces"`
	// ControlPlane is set where only the control plane is hidden, which hides no
	// consumer.
	ControlPlane bool `json:"controlPlane,omitempty"`
}

// Report is what a policy lets one see.
type Report struct {
	APIVersion string  `json:"apiVersion"`
	Kind       string  `json:"kind"`
	Rules      int     `json:"rules"`
	Blind      []Blind `json:"blind"`
	// Sees is set if no consumer is hidden.
	Sees bool `json:"sees"`
}

// maxRequests bounds how many combinations are tried: a policy of a thousand
// users and a thousand namespaces is tried in part, and the report says so.
const maxRequests = 1 << 18

// Check tries the policy with every kind of user, verb, namespace and object
// that its rules can tell apart, for endpoints and endpointslices.
func (p *Policy) Check() Report {
	out := Report{APIVersion: api.Version, Kind: "AuditPolicyReport", Rules: len(p.Rules), Blind: []Blind{}}
	found := make(map[blindKey]*Blind)
	subjects, namespaces, names := p.subjects(), p.namespaces(), p.names()
	tried := 0
	for _, res := range resources {
		for _, who := range subjects {
			for _, verb := range verbs {
				for _, ns := range namespaces {
					for _, name := range namesFor(verb, names) {
						if tried++; tried > maxRequests {
							out.Blind = append(out.Blind, Blind{Resource: "*", Why: fmt.Sprintf("the policy tells more than %d kinds of requests apart; not all were tried", maxRequests)})
							return out.finish(found)
						}
						q := Request{who.user, who.groups, verb, res.group, res.name, ns, name}
						for _, why := range hidden(p.Evaluate(q), verb) {
							p.note(found, q, who, why)
						}
					}
				}
			}
		}
	}
	return out.finish(found)
}

// namesFor: lists, watches and deletions of many name no object.
func namesFor(verb string, names []string) []string {
	switch verb {
	case "list", "watch", "deletecollection", "create":
		return []string{""}
	}
	return names
}

type reason struct {
	rule int
	why  string
}

// hidden says what is not seen of a request.
func hidden(d Decision, verb string) []reason {
	omits := func(stage string) bool { return slices.Contains(d.OmitStages, stage) }
	switch {
	case d.Rule < 0:
		return []reason{{-1, "no rule matches, and what no rule matches is not logged"}}
	case d.Level == "None":
		return []reason{{d.Rule, "level None hides it"}}
	case verb == "watch" && omits("ResponseStarted") && omits("ResponseComplete"),
		verb != "watch" && omits("ResponseComplete"):
		return []reason{{d.Rule, "the stage that says what came of the request is omitted"}}
	case verb == "watch" && omits("ResponseStarted"):
		return []reason{{d.Rule, "ResponseStarted is omitted: a watch shows only when it ends"}}
	}
	return nil
}

type blindKey struct {
	resource string
	reason   reason
	own      bool
}

func (p *Policy) note(found map[blindKey]*Blind, q Request, who subject, why reason) {
	key := blindKey{q.Resource, why, who.own}
	b := found[key]
	if b == nil {
		b = &Blind{Resource: q.Resource, Rule: why.rule + 1, Why: why.why, ControlPlane: who.own}
		if why.rule >= 0 {
			b.Line = p.Rules[why.rule].Line
		}
		found[key] = b
	}
	add := func(list *[]string, s string) {
		if !slices.Contains(*list, s) {
			*list = append(*list, s)
		}
	}
	add(&b.Verbs, q.Verb)
	add(&b.Users, who.label)
	switch q.Namespace {
	case elsewhere:
		add(&b.Namespaces, "any other")
	case "":
		add(&b.Namespaces, "all at once")
	default:
		add(&b.Namespaces, q.Namespace)
	}
}

func (r Report) finish(found map[blindKey]*Blind) Report {
	r.Sees = len(r.Blind) == 0
	for _, b := range found {
		r.Blind = append(r.Blind, *b)
		r.Sees = r.Sees && b.ControlPlane
	}
	slices.SortFunc(r.Blind, func(a, b Blind) int {
		return cmp.Or(cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Why, b.Why), strings.Compare(fmt.Sprint(a.Users), fmt.Sprint(b.Users)))
	})
	return r
}
