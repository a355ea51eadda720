package rbac

import (
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/objects"
)

// rule is one rule that matters here, and where it is written: for an aggregated
// role that is another role.
type rule struct {
	role    objects.Ref
	locator string
	// What it allows; nil for nothing.
	endpoints, slices *access
}

// roles resolves a binding's roleRef to the rules that matter here.
type roles struct {
	byRef        map[objects.Ref][]*objects.Role
	clusterRoles []*objects.Role // those that can be aggregated
	selected     map[*objects.Role][]*objects.Role
	resolved     map[*objects.Role][]rule
	problems     []evidence.Problem
	// complete: the snapshot has every role of that kind. It is so where it has
	// one that the API server makes by itself, and then what is missing does not
	// exist; manifests bind to roles that they do not bring.
	complete map[string]bool
}

func newRoles(s *objects.Snapshot) *roles {
	r := &roles{
		byRef:    make(map[objects.Ref][]*objects.Role),
		selected: make(map[*objects.Role][]*objects.Role),
		resolved: make(map[*objects.Role][]rule),
		complete: make(map[string]bool),
	}
	for i := range s.Roles {
		r.add(&s.Roles[i])
		if s.Roles[i].Bootstrap() {
			r.complete[s.Roles[i].Kind] = true
		}
	}
	if !r.complete["ClusterRole"] {
		for _, role := range builtin() {
			if len(r.byRef[role.Ref]) == 0 {
				r.add(role)
			}
		}
	}
	return r
}

func (r *roles) add(role *objects.Role) {
	r.byRef[role.Ref] = append(r.byRef[role.Ref], role)
	if role.Kind == "ClusterRole" {
		r.clusterRoles = append(r.clusterRoles, role)
	}
}

// of returns the rules that a roleRef means in a namespace, "" for a
// ClusterRoleBinding; found is false where no such role is known. A role defined
// twice gives the rules of both: which of them is applied cannot be told from
// here.
func (r *roles) of(ref rbacv1.RoleRef, namespace string) (rules []rule, found bool) {
	key := objects.Ref{Kind: ref.Kind, Name: ref.Name}
	switch ref.Kind {
	case "Role":
		key.Namespace = namespace
	case "ClusterRole":
	default:
		return nil, false
	}
	for _, role := range r.byRef[key] {
		found = true
		rules = append(rules, r.rules(role)...)
	}
	return rules, found
}

// rules are those of the role and of every ClusterRole that it aggregates,
// directly or through another. A cluster writes aggregated rules into the role
// and manifests do not; both give the same here, since a rule that stands in the
// role and in a source is taken from the source, where a person can change it.
func (r *roles) rules(role *objects.Role) []rule {
	if rules, done := r.resolved[role]; done {
		return rules
	}
	reached := []*objects.Role{role}
	visited := map[*objects.Role]bool{role: true}
	for i := 0; i < len(reached); i++ { // grows as it goes; roles may form a ring
		for _, source := range r.sources(reached[i]) {
			if !visited[source] {
				visited[source] = true
				reached = append(reached, source)
			}
		}
	}
	var out []rule
	seen := make(map[string]bool)
	// Who writes rules by hand speaks before who aggregates them, and of those
	// the farthest first: it is the nearest to the origin.
	for _, source := range reached {
		if source.Aggregation == nil {
			out = appendRules(out, source, seen)
		}
	}
	for _, source := range slices.Backward(reached) {
		if source.Aggregation != nil {
			out = appendRules(out, source, seen)
		}
	}
	r.resolved[role] = out
	return out
}

// appendRules appends the rules of role that matter and that no role before it
// has had.
func appendRules(out []rule, role *objects.Role, seen map[string]bool) []rule {
	own := make(map[string]bool)
	for i := range role.Rules {
		key := ruleKey(&role.Rules[i])
		if seen[key] {
			continue
		}
		own[key] = true
		entry := rule{role: role.Ref, locator: role.Locators.OfRule(role.Ref, i)}
		if a, ok := accessTo(&role.Rules[i], endpoints); ok {
			entry.endpoints = &a
		}
		if a, ok := accessTo(&role.Rules[i], endpointSlices); ok {
			entry.slices = &a
		}
		if entry.endpoints != nil || entry.slices != nil {
			out = append(out, entry)
		}
	}
	for key := range own {
		seen[key] = true
	}
	return out
}

func ruleKey(r *rbacv1.PolicyRule) string {
	lists := [][]string{r.Verbs, r.APIGroups, r.Resources, r.ResourceNames, r.NonResourceURLs}
	parts := make([]string, len(lists))
	for i, list := range lists {
		parts[i] = strings.Join(list, "\x00")
	}
	return strings.Join(parts, "\x01")
}

// sources are the ClusterRoles that role selects, which may include itself.
func (r *roles) sources(role *objects.Role) []*objects.Role {
	if role.Kind != "ClusterRole" || len(role.Aggregation) == 0 {
		return nil
	}
	if out, done := r.selected[role]; done {
		return out
	}
	out := r.selectSources(role)
	r.selected[role] = out
	return out
}

func (r *roles) selectSources(role *objects.Role) []*objects.Role {
	selectors := make([]labels.Selector, 0, len(role.Aggregation))
	for i := range role.Aggregation {
		selector, err := metav1.LabelSelectorAsSelector(&role.Aggregation[i])
		if err != nil {
			// The aggregation controller gives such a role up as a whole.
			r.problems = append(r.problems, evidence.Problem{
				Locator: role.Locators.Of(role.Ref),
				Message: fmt.Sprintf("%s has an aggregationRule that is invalid: it aggregates nothing", role.Ref),
			})
			return nil
		}
		selectors = append(selectors, selector)
	}
	var out []*objects.Role
	for _, source := range r.clusterRoles {
		for _, selector := range selectors {
			if selector.Matches(labels.Set(source.Labels)) {
				out = append(out, source)
				break
			}
		}
	}
	return out
}
