package registry

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// Build merges findings into a registry. The order of the findings does not
// matter for the result.
//
// A finding belongs to the entry of its workload; without one, to that of its
// ServiceAccount, if only one workload runs under it; without both, to the one
// entry that has its application's name. Leader locks, tools and the control
// plane are entries of their own, since something else must happen to them.
func Build(findings []evidence.Finding, coverage []evidence.Coverage) *Registry {
	j := newJoiner(findings)
	for _, f := range j.findings {
		j.place(f)
	}
	r := &Registry{APIVersion: APIVersion, Kind: Kind, Entries: []Entry{}, Coverage: coverage}
	if r.Coverage == nil {
		r.Coverage = []evidence.Coverage{}
	}
	for _, m := range j.members {
		r.Entries = append(r.Entries, m.entry())
	}
	r.sort()
	r.remarkSharedAccounts()
	r.Groups = groups(r.Entries)
	return r
}

// sort puts the most certain first: what an evening's work should begin with.
func (r *Registry) sort() {
	slices.SortFunc(r.Entries, func(a, b Entry) int {
		consumer := func(e Entry) int {
			switch e.Class {
			case evidence.Expected:
				return 2
			case evidence.Tooling:
				return 1
			}
			return 0
		}
		return cmp.Or(
			cmp.Compare(consumer(a), consumer(b)),
			cmp.Compare(Rank(a.Confidence), Rank(b.Confidence)),
			cmp.Compare(a.ServiceAccount, b.ServiceAccount),
			cmp.Compare(a.Application, b.Application),
			cmp.Compare(a.Key, b.Key),
		)
	})
}

// remarkSharedAccounts calls out that a grant for one program is one for all
// that run under its ServiceAccount.
func (r *Registry) remarkSharedAccounts() {
	names := make(map[string][]string)
	for i := range r.Entries {
		if e := &r.Entries[i]; e.ServiceAccount != "" && e.Workload.Name != "" {
			name := e.Workload.Kind + " " + e.Workload.Name
			if !slices.Contains(names[e.ServiceAccount], name) {
				names[e.ServiceAccount] = append(names[e.ServiceAccount], name)
			}
		}
	}
	for i := range r.Entries {
		e := &r.Entries[i]
		if all := names[e.ServiceAccount]; len(all) > 1 {
			e.Remarks = appendNew(e.Remarks, "Several workloads run under "+e.ServiceAccount+": "+strings.Join(all, ", ")+".")
		}
	}
}

// member collects the findings of one entry.
type member struct {
	lane     lane
	findings []evidence.Finding
	workload evidence.Workload
	account  string
	user     string
	names    map[string]bool // every name that the consumer goes by
	known    map[handle]bool // under which it is in the index
}

func (m *member) add(f evidence.Finding) {
	m.findings = append(m.findings, f)
	if m.workload.Name == "" {
		m.workload = f.Subject.Workload
	}
	m.account = cmp.Or(m.account, f.Subject.ServiceAccount)
	m.user = cmp.Or(m.user, f.Subject.User)
	for _, name := range namesOf(f.Subject) {
		m.names[name] = true
	}
}

// namesOf lists what a subject could be called in its own source: its
// application, its workload, its image, the product of its user agent.
func namesOf(s evidence.Subject) []string {
	var out []string
	add := func(name string) {
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	add(s.Application)
	add(s.Workload.Name)
	for _, i := range s.Images {
		add(i.Name())
	}
	for _, agent := range strings.Fields(s.UserAgent) {
		name, _, _ := strings.Cut(agent, "/")
		add(name)
	}
	return out
}

// entry folds the findings.
func (m *member) entry() Entry {
	slices.SortStableFunc(m.findings, func(a, b evidence.Finding) int {
		return cmp.Or(cmp.Compare(sourceRank(sourceOf(a)), sourceRank(sourceOf(b))), compareEvidence(first(a), first(b)))
	})
	e := Entry{
		Workload: m.workload, ServiceAccount: m.account, User: m.user,
		Class: m.findings[0].Class, Confidence: evidence.Broad,
		Images: []evidence.Image{}, UserAgents: []string{}, Namespaces: []string{}, Access: []string{},
		Verbs: map[string]int{}, Evidence: []evidence.Evidence{},
	}
	if e.User == "" && e.ServiceAccount != "" {
		ns, name, _ := strings.Cut(e.ServiceAccount, "/")
		e.User = "system:serviceaccount:" + ns + ":" + name
	}
	status := evidence.Status("")
	verbsFrom, namespacesFrom := 99, 99
	for _, f := range m.findings {
		s := f.Subject
		e.Application = cmp.Or(e.Application, s.Application)
		e.Owner = cmp.Or(e.Owner, s.Owner)
		e.Refused += f.Refused
		e.Advice = cmp.Or(e.Advice, f.Advice)
		if Rank(f.Confidence) < Rank(e.Confidence) {
			e.Confidence = f.Confidence
		}
		// What somebody may do says nothing about what it does: a grant decides the
		// class only where nothing else is known.
		if classRank(f.Class) < classRank(e.Class) && (!isGrant(f) || isGrant(m.findings[0])) {
			e.Class, e.Advice = f.Class, cmp.Or(f.Advice, e.Advice)
		}
		status = worse(status, f.Status)
		for _, i := range s.Images {
			if !slices.Contains(e.Images, i) {
				e.Images = append(e.Images, i)
			}
		}
		for _, agent := range strings.Fields(s.UserAgent) {
			e.UserAgents = appendNew(e.UserAgents, agent)
		}
		if s.Pod != "" {
			e.Pods = appendNew(e.Pods, s.Pod)
		}
		for _, a := range f.Access {
			e.Access = appendNew(e.Access, a)
		}
		for _, n := range f.Notes {
			e.Remarks = appendNew(e.Remarks, n)
		}
		// Requests, places in code and rules of a Role are three different
		// counts: the one nearest to what happened is kept, not their sum.
		rank := sourceRank(sourceOf(f))
		if len(f.Verbs) > 0 && rank <= verbsFrom {
			verbsFrom = rank
			for verb, n := range f.Verbs {
				e.Verbs[verb] += n
			}
		}
		if len(f.Namespaces) > 0 && rank <= namespacesFrom {
			namespacesFrom = rank
			for _, ns := range f.Namespaces {
				e.Namespaces = appendNew(e.Namespaces, ns)
			}
		}
		e.Evidence = append(e.Evidence, f.Evidence...)
	}
	m.finish(&e, status)
	return e
}

func (m *member) finish(e *Entry, status evidence.Status) {
	if e.Application == "" {
		_, account, _ := strings.Cut(e.ServiceAccount, "/")
		e.Application = cmp.Or(e.Workload.Name, account, e.User)
	}
	if m.strong() && Rank(e.Confidence) > Rank(evidence.Strong) {
		e.Confidence = evidence.Strong
	}
	e.Status = cmp.Or(status, evidence.Unmigrated)
	e.FoundStatus, e.FoundOwner = e.Status, e.Owner
	e.Key = m.key(e)
	slices.Sort(e.Namespaces)
	slices.Sort(e.Access)
	slices.Sort(e.UserAgents)
	slices.SortFunc(e.Evidence, compareEvidence)
	e.Evidence = slices.CompactFunc(e.Evidence, func(a, b evidence.Evidence) bool {
		return compareEvidence(a, b) == 0 && a.Excerpt == b.Excerpt
	})
}

// strong: typed source, an image, and a ServiceAccount that may.
func (m *member) strong() bool {
	source, granted, image := false, false, false
	for _, f := range m.findings {
		switch sourceOf(f) {
		case evidence.SourceGo:
			source = source || Rank(f.Confidence) <= Rank(evidence.Likely)
		case evidence.SourceRBAC:
			granted = true
		}
		image = image || len(f.Subject.Images) > 0
	}
	return source && granted && image
}

// key names the entry by the most lasting thing that is known of it.
func (m *member) key(e *Entry) string {
	var k string
	switch {
	case e.Workload.Name != "":
		k = path.Join("workload", e.Workload.Kind, e.Workload.Namespace, e.Workload.Name)
	case e.ServiceAccount != "":
		k = "serviceaccount/" + e.ServiceAccount
	case e.User != "":
		k = "user/" + e.User + "/" + e.Application
	default:
		k = "application/" + e.Application
	}
	if m.lane != laneConsumer {
		k += "#" + m.lane.String()
	}
	// A ServiceAccount can be behind several programs that no workload names.
	if e.Workload.Name == "" && e.ServiceAccount != "" && m.lane == laneExpected {
		k = "serviceaccount/" + e.ServiceAccount + "#expected"
	}
	return k
}

// worse is the status that has more left to do; "" is an unmigrated finding.
func worse(a, b evidence.Status) evidence.Status {
	rank := func(s evidence.Status) int {
		switch s {
		case evidence.Verified:
			return 4
		case evidence.Migrated:
			return 3
		case evidence.Acknowledged:
			return 2
		case evidence.Dual:
			return 1
		}
		return 0
	}
	if a == "" {
		return cmp.Or(b, evidence.Unmigrated)
	}
	// An acknowledged place beside an unmigrated one leaves the entry unmigrated,
	// but what the log shows to use both is dual whatever a grant says.
	if a == evidence.Dual || b == evidence.Dual {
		return evidence.Dual
	}
	if rank(cmp.Or(b, evidence.Unmigrated)) < rank(a) {
		return cmp.Or(b, evidence.Unmigrated)
	}
	return a
}

func sourceOf(f evidence.Finding) evidence.Source { return first(f).Source }

func first(f evidence.Finding) evidence.Evidence {
	if len(f.Evidence) == 0 {
		return evidence.Evidence{}
	}
	return f.Evidence[0]
}

// sourceRank orders sources by how near they are to what really happens.
func sourceRank(s evidence.Source) int {
	switch s {
	case evidence.SourceAudit:
		return 1
	case evidence.SourceObject:
		return 2
	case evidence.SourceGo:
		return 3
	case evidence.SourceText:
		return 4
	case evidence.SourceRBAC:
		return 5
	case evidence.SourceMetrics:
		return 6
	}
	return 7
}

func compareEvidence(a, b evidence.Evidence) int {
	return cmp.Or(
		cmp.Compare(sourceRank(a.Source), sourceRank(b.Source)), cmp.Compare(a.Detector, b.Detector),
		compareLocators(a.Locator, b.Locator), cmp.Compare(a.Verb, b.Verb), cmp.Compare(a.Scope, b.Scope),
	)
}

// compareLocators sorts "a.go:9:1" before "a.go:10:1".
func compareLocators(a, b string) int {
	for a != "" && b != "" {
		x, restA, _ := strings.Cut(a, ":")
		y, restB, _ := strings.Cut(b, ":")
		if d := cmp.Or(compareNumbers(x, y), cmp.Compare(x, y)); d != 0 {
			return d
		}
		a, b = restA, restB
	}
	return cmp.Compare(a, b)
}

func compareNumbers(x, y string) int {
	digits := func(s string) bool {
		return s != "" && len(s) < 10 && strings.Trim(s, "0123456789") == ""
	}
	if !digits(x) || !digits(y) {
		return 0
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y))
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
