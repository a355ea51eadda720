package rbac

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/objects"
	"github.com/slicewright/slicewright/app/internal/find/workloads"
)

// Analysis is what follows from the RBAC objects of a snapshot.
type Analysis struct {
	// Findings has one for every workload under a ServiceAccount that may touch
	// Endpoints, one for such an account under which nothing runs, and one for
	// every user and group. What says most comes first.
	Findings []evidence.Finding
	// Patches are by role, sorted.
	Patches  []Patch
	Coverage evidence.Coverage
	// Workloads are those of the snapshot: by them, what an audit log says of a
	// Pod or a ServiceAccount is joined to what runs.
	Workloads *workloads.Index

	writers map[workloads.Account][]*grant
}

// Analyze evaluates a snapshot.
func Analyze(s *objects.Snapshot) *Analysis {
	index := workloads.New(s)
	a := &analyzer{
		index: index, grants: collectGrants(s),
		locks: make(map[string]bool), patches: make(patches),
		out: &Analysis{Workloads: index, writers: make(map[workloads.Account][]*grant)},
	}
	for _, e := range s.Endpoints {
		if e.Leader != "" {
			a.locks[e.Namespace+"/"+e.Name] = true
		}
	}
	a.accounts()
	a.usersAndGroups()
	slices.SortStableFunc(a.out.Findings, compareFindings)
	a.out.Patches = a.patches.sorted()
	a.out.Coverage = a.coverage(s)
	return a.out
}

// MayWrite says whether the account may create, change or delete the Endpoints
// object of that name.
func (a *Analysis) MayWrite(account workloads.Account, namespace, name string) bool {
	for _, g := range a.writers[account] {
		if g.scope != everywhere && g.scope != namespace {
			continue
		}
		if names := g.rule.endpoints.names; names == nil || slices.Contains(names, name) {
			return true
		}
	}
	return false
}

// analyzer holds what one analysis gathers.
type analyzer struct {
	index   *workloads.Index
	grants  grants
	locks   map[string]bool // Endpoints that are leader locks, namespace/name
	patches patches
	reached map[string]bool // groups of which a member was reported
	out     *Analysis
}

// accounts reports the ServiceAccounts: those that bindings name, and those that
// are in a group that one names, if something runs as them. An account that
// nothing runs as is in some group in every cluster and means nothing.
func (a *analyzer) accounts() {
	a.reached = make(map[string]bool)
	direct := make(map[workloads.Account]bool)
	for id := range a.grants.endpoints {
		if id.account != (workloads.Account{}) {
			direct[id.account] = true
		}
	}
	all := maps.Clone(direct)
	for _, account := range a.index.Accounts() {
		all[account] = true
	}
	for _, account := range slices.SortedFunc(maps.Keys(all), compareAccounts) {
		a.account(account, direct[account])
	}
}

func (a *analyzer) account(account workloads.Account, direct bool) {
	onEndpoints := a.of(account, a.grants.endpoints)
	running := a.index.Of(account)
	if len(onEndpoints) == 0 || !direct && len(running) == 0 {
		return
	}
	for _, g := range onEndpoints {
		if g.to.group != "" && len(running) > 0 {
			a.reached[g.to.group] = true
		}
		if slices.ContainsFunc(g.rule.endpoints.verbs, isWrite) {
			a.out.writers[account] = append(a.out.writers[account], g)
		}
	}
	f := a.finding(identity{account: account}, onEndpoints, a.of(account, a.grants.slices), running)
	f.Subject.ServiceAccount = account.String()
	f.Subject.User = account.Username()
	f.Subject.Application = account.Name
	if len(running) == 0 {
		if f.Class != evidence.Expected {
			f.Notes = append(f.Notes, a.nobody(account))
		}
		a.out.Findings = append(a.out.Findings, f)
		return
	}
	for _, w := range running {
		a.out.Findings = append(a.out.Findings, withWorkload(f, w, running))
	}
}

// of are the grants to an account: by its name, then by its groups, sorted.
func (a *analyzer) of(account workloads.Account, by map[identity][]*grant) []*grant {
	out := slices.Clone(by[identity{account: account}])
	for _, group := range groupsOf(account) {
		out = append(out, by[identity{group: group}]...)
	}
	slices.SortStableFunc(out, compareGrants)
	return out
}

func (a *analyzer) nobody(account workloads.Account) string {
	if !a.index.Exists(account) {
		return fmt.Sprintf("ServiceAccount %s was not read, nor anything that runs as it.", account)
	}
	return fmt.Sprintf("Nothing that was read runs as ServiceAccount %s; a person or a program elsewhere may hold its token.", account)
}

// usersAndGroups reports those identities that are no ServiceAccount. A group of
// ServiceAccounts is reported by its members where there are any.
func (a *analyzer) usersAndGroups() {
	ids := slices.SortedFunc(maps.Keys(a.grants.endpoints), func(x, y identity) int { return cmp.Compare(x.String(), y.String()) })
	for _, id := range ids {
		if id.account != (workloads.Account{}) || a.reached[id.group] {
			continue
		}
		f := a.finding(id, a.grants.endpoints[id], a.grants.slices[id], nil)
		f.Subject.User = id.user
		f.Subject.Application = id.user
		if id.group != "" {
			f.Subject.Application = id.String()
			if hasAccounts(id.group) {
				f.Notes = append(f.Notes, "Nothing that was read runs in this group; what is started there may use the grant.")
			}
		}
		a.out.Findings = append(a.out.Findings, f)
	}
}

func (a *analyzer) coverage(s *objects.Snapshot) evidence.Coverage {
	c := evidence.Coverage{Source: evidence.SourceRBAC, Read: len(s.Roles) + len(s.Bindings), Problems: a.grants.problems}
	c.Skipped = a.grants.unknown
	c.Notes = append(c.Notes, fmt.Sprintf(
		"%d roles and %d bindings were evaluated as RBAC does; what another authorizer allows (webhook, node, ABAC) cannot be seen from objects.",
		len(s.Roles), len(s.Bindings)))
	if a.grants.void > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("%d bindings name a role that does not exist, and allow nothing until somebody makes it.", a.grants.void))
	}
	if static := a.index.Static(); len(static) > 0 {
		names := make([]string, len(static))
		for i, w := range static {
			names[i] = w.Namespace + "/" + w.Name
		}
		c.Notes = append(c.Notes, fmt.Sprintf(
			"%d static Pods have no ServiceAccount; with which credentials they act is in files on their node: %s.", len(static), someOf(names, 8)))
	}
	return c
}

func isWrite(verb string) bool { return !isRead(verb) }

func compareAccounts(a, b workloads.Account) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// compareFindings: what is possible before what is broad, what is expected last.
func compareFindings(a, b evidence.Finding) int {
	rank := func(f evidence.Finding) int {
		switch {
		case f.Class == evidence.Expected:
			return 2
		case f.Confidence == evidence.Broad:
			return 1
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(rank(a), rank(b)),
		cmp.Compare(a.Subject.ServiceAccount, b.Subject.ServiceAccount),
		cmp.Compare(a.Subject.Workload.Kind, b.Subject.Workload.Kind),
		cmp.Compare(a.Subject.Workload.Name, b.Subject.Workload.Name),
		cmp.Compare(a.Subject.Application, b.Subject.Application),
	)
}
