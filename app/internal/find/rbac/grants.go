package rbac

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/objects"
)

// grant is one path on which an identity is allowed something: a binding, the
// role that it names, and a rule of that or of an aggregated role.
type grant struct {
	to      identity
	binding *objects.Binding
	bound   objects.Ref // the role that the binding names
	rule    rule
	// scope is the namespace in which it holds, everywhere for all.
	scope string
}

// everywhere is the scope of a ClusterRoleBinding.
const everywhere = "*"

// grantKind orders grants: the first kind says most about its subject.
type grantKind int

const (
	explicit    grantKind = iota // a role names endpoints for somebody
	toEveryone                   // a role names endpoints for all
	generalRole                  // view, edit, admin, cluster-admin
	wildcard                     // a rule for everything
)

var detectors = [...]string{
	explicit: "rbac/explicit-grant", toEveryone: "rbac/everyone-grant",
	generalRole: "rbac/general-role-grant", wildcard: "rbac/wildcard-grant",
}

func (g *grant) kind() grantKind {
	switch {
	case !g.rule.endpoints.named:
		return wildcard
	case isGeneral(g.bound):
		return generalRole
	case isEveryone(g.to.group):
		return toEveryone
	}
	return explicit
}

// path writes the grant as a chain from the identity to what it may.
func (g *grant) path() string {
	chain := fmt.Sprintf("%s <- %s <- %s", g.to, g.binding.Ref, g.bound)
	if g.rule.role != g.bound {
		chain += " <- " + g.rule.role.String()
	}
	return chain + ": " + g.rule.endpoints.describe(endpoints)
}

// grants are all paths, by identity: to Endpoints, and to slices to compare.
type grants struct {
	endpoints, slices map[identity][]*grant
	problems          []evidence.Problem
	// unknown counts bindings whose role was not read, void those whose role does
	// not exist.
	unknown, void int
}

func collectGrants(s *objects.Snapshot) grants {
	roles := newRoles(s)
	out := grants{endpoints: make(map[identity][]*grant), slices: make(map[identity][]*grant)}
	for i := range s.Bindings {
		out.add(&s.Bindings[i], roles)
	}
	out.problems = append(out.problems, roles.problems...)
	for _, byIdentity := range []map[identity][]*grant{out.endpoints, out.slices} {
		for _, list := range byIdentity {
			slices.SortStableFunc(list, compareGrants)
		}
	}
	return out
}

func (gs *grants) add(b *objects.Binding, roles *roles) {
	scope := b.Namespace
	if b.Kind == "ClusterRoleBinding" {
		scope = everywhere
		if b.Role.Kind == "Role" {
			return // the authorizer has no namespace to look in: it allows nothing
		}
	}
	rules, found := roles.of(b.Role, b.Namespace)
	if !found {
		switch {
		case len(b.Subjects) == 0 || grantsNothing(b.Role):
		case roles.complete[b.Role.Kind]:
			gs.void++
		default:
			gs.unknown++
			gs.problems = append(gs.problems, evidence.Problem{
				Locator: b.Locators.Of(b.Ref),
				Message: fmt.Sprintf("%s binds to %s %s, which was not read: what it allows is not known", b.Ref, b.Role.Kind, b.Role.Name),
			})
		}
		return
	}
	bound := objects.Ref{Kind: b.Role.Kind, Name: b.Role.Name}
	if bound.Kind == "Role" {
		bound.Namespace = b.Namespace
	}
	seen := make(map[identity]bool)
	for _, subject := range b.Subjects {
		id, ok := identityOf(subject, b.Namespace)
		if !ok || seen[id] {
			continue
		}
		seen[id] = true
		for _, r := range rules {
			g := &grant{to: id, binding: b, bound: bound, rule: r, scope: scope}
			if r.endpoints != nil {
				gs.endpoints[id] = append(gs.endpoints[id], g)
			}
			if r.slices != nil {
				gs.slices[id] = append(gs.slices[id], g)
			}
		}
	}
}

// compareGrants orders paths so that what says most comes first. Rules of one
// role keep their order: a locator must not decide, since a dump has others than
// the cluster.
func compareGrants(a, b *grant) int {
	kindOf := func(g *grant) grantKind {
		if g.rule.endpoints == nil {
			return explicit
		}
		return g.kind()
	}
	return cmp.Or(
		cmp.Compare(kindOf(a), kindOf(b)),
		cmp.Compare(a.scope, b.scope),
		cmp.Compare(a.binding.Ref.String(), b.binding.Ref.String()),
		cmp.Compare(a.rule.role.String(), b.rule.role.String()),
	)
}
