package rbac

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/slicewright/slicewright/app/internal/find/objects"
)

// Patch is what a role lacks, so that its subjects, who read or write Endpoints through
// it may do the same with EndpointSlices in the same namespaces.
type Patch struct {
	Role objects.Ref
	// Locator is where the rule on Endpoints is written.
	Locator string
	// Add is empty where only Refused says something.
	Add []rbacv1.PolicyRule
	// Refused are rules that cannot be carried over.
	Refused []NamedRule
	// For names the subjects that need it, sorted.
	For []string
}

// YAML writes the rules to add as a manifest has them, with comments that
// say where they belong and what was not carried over.
func (p Patch) YAML() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", p.Role)
	if isKubernetesOwn(p.Role) {
		b.WriteString("# This role is Kubernetes' own: put the rules into one of yours, bound to the same subjects.\n")
	}
	for _, r := range p.Refused {
		fmt.Fprintf(&b, "# %s.\n", r)
	}
	if len(p.Add) == 0 {
		return b.String()
	}
	b.WriteString("rules: # add\n")
	for _, rule := range p.Add {
		fmt.Fprintf(&b, "- apiGroups: %s\n  resources: %s\n  verbs: %s\n", flow(rule.APIGroups), flow(rule.Resources), flow(rule.Verbs))
	}
	return b.String()
}

// JSONPatch is the patch as `kubectl patch --type=json` takes it; nil where
// there is nothing to add.
func (p Patch) JSONPatch() ([]byte, error) {
	if len(p.Add) == 0 {
		return nil, nil
	}
	type operation struct {
		Op    string            `json:"op"`
		Path  string            `json:"path"`
		Value rbacv1.PolicyRule `json:"value"`
	}
	operations := make([]operation, len(p.Add))
	for i, rule := range p.Add {
		operations[i] = operation{"add", "/rules/-", rule}
	}
	out, err := json.Marshal(operations)
	if err != nil {
		return nil, fmt.Errorf("write the patch of %s: %w", p.Role, err)
	}
	return out, nil
}

// flow writes a list of strings as YAML and JSON both read it.
func flow(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = fmt.Sprintf("%q", s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// gap is what one identity lacks.
type gap struct {
	missing []roleGap
	refused []roleRefusal
}

// roleGap: these verbs on slices, best added where the role allows Endpoints.
type roleGap struct {
	role    objects.Ref
	locator string
	scopes  []string
	verbs   []string
}

type roleRefusal struct {
	role    objects.Ref
	locator string
	scope   string
	rule    NamedRule
}

// gapOf compares what an identity may do with Endpoints with what it may do with
// slices, scope by scope. What holds everywhere holds in each namespace.
func gapOf(onEndpoints, onSlices []*grant) gap {
	have := make(map[string]map[string]bool) // scope -> verb
	for scope, accesses := range byScope(onSlices, func(g *grant) *access { return g.rule.slices }) {
		have[scope] = unlimited(accesses)
	}
	from := byScope(onEndpoints, func(g *grant) *access { return g.rule.endpoints })
	wantEverywhere := wanted(from[everywhere])

	var out gap
	for _, scope := range sortedKeys(from) {
		// What everyone with a wider grant is about to get counts as had.
		covered := func(verb string) bool {
			return have[scope][verb] || have[everywhere][verb] || scope != everywhere && wantEverywhere[verb]
		}
		want := wanted(from[scope])
		for _, g := range onEndpoints {
			if g.scope != scope || g.rule.endpoints.names != nil {
				continue
			}
			var verbs []string
			for _, verb := range g.rule.endpoints.carried() {
				if want[verb] && !covered(verb) {
					verbs = append(verbs, verb)
					want[verb] = false // the first path that calls for it gets it
				}
			}
			out.add(g, scope, verbs)
		}
		wantHere := wanted(from[scope])
		for _, g := range onEndpoints {
			if g.scope != scope {
				continue
			}
			for _, r := range stranded([]access{*g.rule.endpoints}, func(verb string) bool { return covered(verb) || wantHere[verb] }) {
				out.refused = append(out.refused, roleRefusal{g.rule.role, g.rule.locator, scope, r})
			}
		}
	}
	return out
}

func (gp *gap) add(g *grant, scope string, verbs []string) {
	if len(verbs) == 0 {
		return
	}
	for i := range gp.missing {
		if gp.missing[i].role == g.rule.role {
			m := &gp.missing[i]
			m.verbs = inOrder(append(m.verbs, verbs...))
			if !slices.Contains(m.scopes, scope) {
				m.scopes = append(m.scopes, scope)
			}
			return
		}
	}
	gp.missing = append(gp.missing, roleGap{g.rule.role, g.rule.locator, []string{scope}, inOrder(verbs)})
}

// inOrder sorts verbs as allVerbs does, each once.
func inOrder(verbs []string) []string {
	out := make([]string, 0, len(verbs))
	for _, verb := range allVerbs {
		if slices.Contains(verbs, verb) {
			out = append(out, verb)
		}
	}
	return out
}

func byScope(list []*grant, of func(*grant) *access) map[string][]access {
	out := make(map[string][]access)
	for _, g := range list {
		out[g.scope] = append(out[g.scope], *of(g))
	}
	return out
}

// patches gathers gaps by role.
type patches map[objects.Ref]*Patch

func (ps patches) at(role objects.Ref, locator string) *Patch {
	if ps[role] == nil {
		ps[role] = &Patch{Role: role, Locator: locator}
	}
	return ps[role]
}

func (ps patches) add(gp gap, who string) {
	for _, m := range gp.missing {
		p := ps.at(m.role, m.locator)
		verbs := m.verbs
		for _, rule := range p.Add {
			verbs = append(slices.Clone(verbs), rule.Verbs...)
		}
		p.Add = []rbacv1.PolicyRule{slicesRule(inOrder(verbs))}
		p.addFor(who)
	}
	for _, r := range gp.refused {
		p := ps.at(r.role, r.locator)
		if !slices.ContainsFunc(p.Refused, func(have NamedRule) bool { return have.String() == r.rule.String() }) {
			p.Refused = append(p.Refused, r.rule)
		}
		p.addFor(who)
	}
}

func (p *Patch) addFor(who string) {
	if i, found := slices.BinarySearch(p.For, who); !found {
		p.For = slices.Insert(p.For, i, who)
	}
}

func (ps patches) sorted() []Patch {
	var out []Patch
	for _, p := range ps {
		out = append(out, *p)
	}
	slices.SortFunc(out, func(a, b Patch) int { return cmp.Compare(a.Role.String(), b.Role.String()) })
	return out
}
