package rbac

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/workloads"
)

// maxPaths bounds the paths that one finding shows. A hundred bindings to one
// account prove no more than the first.
const maxPaths = 10

// finding is the part that all workloads of an identity share.
func (a *analyzer) finding(id identity, onEndpoints, onSlices []*grant, running []*workloads.Workload) evidence.Finding {
	f := evidence.Finding{
		Class: evidence.Reader, Confidence: evidence.Broad,
		Verbs: make(map[string]int), Namespaces: scopes(onEndpoints),
	}
	if onEndpoints[0].kind() == explicit {
		f.Confidence = evidence.Possible
	}
	counted := make(map[[2]string]bool) // role and rule: two bindings to it count once
	for i, g := range onEndpoints {
		rule := [2]string{g.rule.role.String(), g.rule.endpoints.describe(endpoints)}
		if !counted[rule] {
			counted[rule] = true
			for _, verb := range g.rule.endpoints.verbs {
				f.Verbs[verb]++
			}
		}
		if i < maxPaths {
			f.Evidence = append(f.Evidence, g.evidence()...)
		}
	}
	if more := len(onEndpoints) - maxPaths; more > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("%d more paths allow the same.", more))
	}
	f.Class = a.class(id, onEndpoints, running)
	f.Notes = append(f.Notes, pathNotes(id, f.Class, onEndpoints)...)
	if f.Class == evidence.Expected {
		return f // Kubernetes' own roles are Kubernetes' own affair
	}
	gap := gapOf(onEndpoints, onSlices)
	a.patches.add(gap, id.String())
	f.Advice = advice(f.Class, gap)
	for _, r := range gap.refused {
		f.Notes = append(f.Notes, fmt.Sprintf("%s: %s.", r.role, r.rule))
	}
	return f
}

// evidence of a grant is the rule, with the whole path as excerpt, and the
// binding.
func (g *grant) evidence() []evidence.Evidence {
	return []evidence.Evidence{
		{
			Source: evidence.SourceRBAC, Detector: detectors[g.kind()], Locator: g.rule.locator,
			Count: 1, Verb: strings.Join(g.rule.endpoints.verbs, ","), Excerpt: g.path(),
		},
		{
			Source: evidence.SourceRBAC, Detector: "rbac/binding", Locator: g.binding.Locators.Of(g.binding.Ref),
			Count: 1, Excerpt: fmt.Sprintf("%s binds %s to %s", g.binding.Ref, g.to, g.bound),
		},
	}
}

// scopes are the namespaces that grants hold in, or "*" alone.
func scopes(list []*grant) []string {
	set := make(map[string]bool)
	for _, g := range list {
		set[g.scope] = true
	}
	if set[everywhere] {
		return []string{everywhere}
	}
	return sortedKeys(set)
}

// class says what the identity looks like from its grants alone.
func (a *analyzer) class(id identity, list []*grant, running []*workloads.Workload) evidence.Class {
	if isExpected(id, list, running) {
		return evidence.Expected
	}
	writes, locks := 0, 0
	for _, g := range list {
		if g.kind() != explicit || !slices.ContainsFunc(g.rule.endpoints.verbs, isWrite) {
			continue
		}
		writes++
		if a.onlyLocks(g) {
			locks++
		}
	}
	switch {
	case writes == 0:
		return evidence.Reader
	case writes == locks:
		return evidence.Lock
	}
	return evidence.Producer
}

// onlyLocks: the grant is limited to objects that are leader locks.
func (a *analyzer) onlyLocks(g *grant) bool {
	if g.rule.endpoints.names == nil || g.scope == everywhere {
		return false
	}
	for _, name := range g.rule.endpoints.names {
		if !a.locks[g.scope+"/"+name] {
			return false
		}
	}
	return true
}

// isExpected: the control plane, by a grant that Kubernetes itself makes. An
// account of it that a workload runs as is no longer its own; kube-proxy is the
// exception, which kubeadm binds by itself.
func isExpected(id identity, list []*grant, running []*workloads.Workload) bool {
	bootstrap := func(g *grant) bool { return g.binding.Bootstrap }
	switch {
	case id.user != "":
		return strings.HasPrefix(id.user, "system:") && slices.ContainsFunc(list, bootstrap)
	case id.group != "":
		return strings.HasPrefix(id.group, "system:") && !hasAccounts(id.group) && slices.ContainsFunc(list, bootstrap)
	case id.account == workloads.Account{Namespace: "kube-system", Name: "kube-proxy"}:
		return !slices.ContainsFunc(list, func(g *grant) bool { return g.bound.Name != "system:node-proxier" })
	}
	return id.account.Namespace == "kube-system" && len(running) == 0 && slices.ContainsFunc(list, bootstrap)
}

// pathNotes say what a reader of the finding should know about its grants.
func pathNotes(id identity, class evidence.Class, list []*grant) []string {
	var notes []string
	groups := make(map[string]bool)
	var writes []string
	for _, g := range list {
		if g.to.group != id.group && g.kind() != wildcard && g.kind() != generalRole && hasAccounts(g.to.group) {
			groups[g.to.group] = true
		}
		if g.kind() == explicit {
			writes = append(writes, g.rule.endpoints.verbs...)
		}
	}
	for _, group := range sortedKeys(groups) {
		notes = append(notes, fmt.Sprintf("Allowed through the group %s, to which other ServiceAccounts belong.", group))
	}
	switch class {
	case evidence.Producer:
		verbs := slices.DeleteFunc(inOrder(writes), isRead)
		notes = append(notes, fmt.Sprintf("May write Endpoints (%s): a producer or a leader lock, if it does.", strings.Join(verbs, ",")))
	case evidence.Lock:
		notes = append(notes, "May write only Endpoints that are leader locks.")
	}
	return notes
}

// advice says in a sentence what to do about the grant.
func advice(class evidence.Class, gp gap) string {
	switch {
	case class == evidence.Lock:
		return "Move the leader election to a Lease (coordination.k8s.io); an EndpointSlice is no lock."
	case len(gp.missing) > 0:
		parts := make([]string, len(gp.missing))
		for i, m := range gp.missing {
			rule, where := slicesRule(m.verbs), m.role.String()
			if isKubernetesOwn(m.role) {
				where = "a role of its own (not to " + where + ", which is Kubernetes')"
			}
			parts[i] = fmt.Sprintf("to %s the rule {apiGroups: %s, resources: %s, verbs: %s}",
				where, flow(rule.APIGroups), flow(rule.Resources), flow(rule.Verbs))
		}
		return "Before it moves to EndpointSlices, add " + strings.Join(parts, ", and ") + "."
	case len(gp.refused) > 0:
		return "Its rule is limited to names and cannot be carried over to EndpointSlices: decide what it may read."
	}
	return "It may already do the same with EndpointSlices."
}

// withWorkload is the finding f about one workload of the account.
func withWorkload(f evidence.Finding, w *workloads.Workload, all []*workloads.Workload) evidence.Finding {
	f.Subject.Application = w.Application
	f.Subject.Owner = w.Owner
	f.Subject.Workload = w.Workload
	f.Subject.Images = w.Images
	if len(w.Pods) == 1 && w.Kind == "Pod" {
		f.Subject.Pod = w.Namespace + "/" + w.Pods[0]
	}
	f.Verbs = maps.Clone(f.Verbs)
	f.Evidence = append(slices.Clone(f.Evidence), evidence.Evidence{
		Source: evidence.SourceRBAC, Detector: "rbac/workload", Locator: w.Locator, Count: max(w.PodCount, 1),
		Excerpt: fmt.Sprintf("%s %s/%s runs as ServiceAccount %s, %s", w.Kind, w.Namespace, w.Name, w.Account, pods(w)),
	})
	f.Notes = append(slices.Clone(f.Notes), workloadNotes(w, all)...)
	return f
}

func pods(w *workloads.Workload) string {
	switch {
	case w.PodCount == 1:
		return "1 Pod"
	case w.PodCount == 0 && w.Idle == "":
		return "no Pod of it was read"
	case w.PodCount == 0 && w.Idle != "":
		return w.Idle
	}
	return fmt.Sprintf("%d Pods", w.PodCount)
}

func workloadNotes(w *workloads.Workload, all []*workloads.Workload) []string {
	var notes []string
	add := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if len(all) > 1 {
		add("ServiceAccount %s is shared with %s: the name of the account alone does not tell them apart.", w.Account, otherThan(w, all))
	}
	if w.Idle != "" {
		add("It is %s now; it may read again when that ends.", w.Idle)
	}
	if !w.Token {
		add("No token of its ServiceAccount is mounted (automountServiceAccountToken: false): it can use the grant only with one from elsewhere.")
	}
	if w.MadeBy != "" {
		add("It is made by %s: what has to change changes there.", w.MadeBy)
	}
	if w.Guessed {
		add("The owner of its Pods was not read; its name follows from theirs.")
	}
	digests := make(map[string]int)
	for _, image := range w.Images {
		digests[image.Image]++
	}
	for _, image := range sortedKeys(digests) {
		if digests[image] > 1 {
			add("%d digests of %s run at once: a rollout, or a tag that moved.", digests[image], image)
		}
	}
	return notes
}

// otherThan names the first few of the others. There may be thousands under the
// default account of a namespace, and each of them has this note.
func otherThan(w *workloads.Workload, all []*workloads.Workload) string {
	const most = 3
	var names []string
	for _, other := range all {
		if other != w && len(names) < most {
			names = append(names, other.Kind+" "+other.Namespace+"/"+other.Name)
		}
	}
	out := strings.Join(names, ", ")
	if more := len(all) - 1 - len(names); more > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}
	return out
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
