package registry

import (
	"cmp"
	"slices"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// lane separates what must not be merged although it is one program's.
type lane uint8

const (
	laneConsumer lane = iota
	laneLock
	laneTooling
	laneExpected
)

func (l lane) String() string {
	return [...]string{"consumer", "lock", "tooling", "expected"}[l]
}

func laneOf(c evidence.Class) lane {
	switch c {
	case evidence.Lock:
		return laneLock
	case evidence.Tooling:
		return laneTooling
	case evidence.Expected:
		return laneExpected
	}
	return laneConsumer
}

// joiner places findings, those first that say most about who they are.
type joiner struct {
	findings []evidence.Finding
	members  []*member
	// workloads by ServiceAccount, over all findings
	workloads map[string][]evidence.Workload
	// by what a member can be found by; a log can have as many identities as a
	// cluster has users
	index map[handle][]*member
}

// handle is one thing that names a member.
type handle struct{ kind, name string }

func workloadHandle(w evidence.Workload) handle {
	return handle{"workload", w.Kind + "/" + w.Namespace + "/" + w.Name}
}

func newJoiner(findings []evidence.Finding) *joiner {
	j := &joiner{findings: slices.Clone(findings), workloads: make(map[string][]evidence.Workload), index: make(map[handle][]*member)}
	for _, f := range findings {
		s := f.Subject
		if s.ServiceAccount != "" && s.Workload.Name != "" && !slices.Contains(j.workloads[s.ServiceAccount], s.Workload) {
			j.workloads[s.ServiceAccount] = append(j.workloads[s.ServiceAccount], s.Workload)
		}
	}
	slices.SortStableFunc(j.findings, func(a, b evidence.Finding) int {
		return cmp.Or(
			cmp.Compare(specific(a), specific(b)),
			cmp.Compare(sourceRank(sourceOf(a)), sourceRank(sourceOf(b))),
			compareEvidence(first(a), first(b)),
			cmp.Compare(a.Subject.ServiceAccount, b.Subject.ServiceAccount),
			cmp.Compare(a.Subject.User, b.Subject.User),
			cmp.Compare(a.Subject.Application, b.Subject.Application),
			cmp.Compare(laneOf(a.Class), laneOf(b.Class)),
			cmp.Compare(a.Class, b.Class),
		)
	})
	return j
}

// specific orders findings for placing. Grants come behind everything that names
// what a program does: they join what is there.
func specific(f evidence.Finding) int {
	grant := 0
	if isGrant(f) {
		grant = 10
	}
	switch {
	case f.Subject.Workload.Name != "":
		return 0 + grant
	case f.Subject.ServiceAccount != "":
		return 1 + grant
	case f.Subject.User != "":
		return 2 + grant
	}
	return 20
}

func isGrant(f evidence.Finding) bool { return sourceOf(f) == evidence.SourceRBAC }

func (j *joiner) place(f evidence.Finding) {
	m := j.find(f)
	if m == nil {
		m = &member{lane: laneOf(f.Class), names: make(map[string]bool), known: make(map[handle]bool)}
		if s := f.Subject; s.Workload.Name == "" && s.ServiceAccount != "" {
			m.workload = j.only(s)
		}
		j.members = append(j.members, m)
	}
	m.add(f)
	j.register(m)
}

// register enters a member under everything that names it by now.
func (j *joiner) register(m *member) {
	handles := make([]handle, 0, 4)
	if m.workload.Name != "" {
		handles = append(handles, workloadHandle(m.workload))
	}
	if m.account != "" {
		handles = append(handles, handle{"account", m.account})
	}
	if m.user != "" {
		handles = append(handles, handle{"user", m.user})
	}
	for name := range m.names {
		handles = append(handles, handle{"name", name})
	}
	if len(m.names) == 0 {
		handles = append(handles, handle{"name", ""})
	}
	for _, h := range handles {
		if !m.known[h] {
			m.known[h] = true
			j.index[h] = append(j.index[h], m)
		}
	}
}

// only returns the workload that runs under the subject's ServiceAccount, if it
// is clear which.
func (j *joiner) only(s evidence.Subject) evidence.Workload {
	all := j.workloads[s.ServiceAccount]
	if len(all) == 1 {
		return all[0]
	}
	var match []evidence.Workload
	_, pod, _ := strings.Cut(s.Pod, "/")
	for _, w := range all {
		if (pod != "" && strings.HasPrefix(pod, w.Name+"-")) || slices.Contains(namesOf(s), w.Name) {
			match = append(match, w)
		}
	}
	if len(match) == 1 {
		return match[0]
	}
	return evidence.Workload{}
}

// find returns the member that a finding belongs to, nil for a new one.
func (j *joiner) find(f evidence.Finding) *member {
	s, want := f.Subject, laneOf(f.Class)
	workload := s.Workload
	if workload.Name == "" && s.ServiceAccount != "" {
		workload = j.only(s)
	}
	switch {
	case workload.Name != "":
		return j.pick(f, want, workloadHandle(workload), func(m *member) bool { return m.workload == workload })
	case s.ServiceAccount != "":
		return j.pick(f, want, handle{"account", s.ServiceAccount}, func(m *member) bool { return m.account == s.ServiceAccount && m.workload.Name == "" })
	case s.User != "":
		return j.pick(f, want, handle{"user", s.User}, func(m *member) bool {
			return m.user == s.User && m.account == "" && (isGrant(f) || m.names[s.Application])
		})
	}
	return j.byName(f, want)
}

// pick returns the member in the wanted lane, or for a grant the one in any
// lane: who holds a lock or is the control plane needs no second entry for the
// Role that lets it.
func (j *joiner) pick(f evidence.Finding, want lane, by handle, same func(*member) bool) *member {
	var other []*member
	for _, m := range j.index[by] {
		if !same(m) {
			continue
		}
		if m.lane == want {
			return m
		}
		other = append(other, m)
	}
	if isGrant(f) && len(other) > 0 {
		return slices.MinFunc(other, func(a, b *member) int { return cmp.Compare(a.lane, b.lane) })
	}
	return nil
}

// byName finds the entry of a piece of source. Names of different consumers may
// be equal: then the source stays on its own.
func (j *joiner) byName(f evidence.Finding, want lane) *member {
	var named, own *member
	count := 0
	for _, m := range j.index[handle{"name", f.Subject.Application}] {
		if m.lane != want {
			continue
		}
		anonymous := m.account == "" && m.workload.Name == "" && m.user == ""
		switch {
		case anonymous && m.names[f.Subject.Application]:
			own = m
		case !anonymous && f.Subject.Application != "" && m.names[f.Subject.Application]:
			named = m
			count++
		case anonymous && f.Subject.Application == "" && len(m.names) == 0:
			own = m
		}
	}
	if count == 1 {
		return named
	}
	return own
}
