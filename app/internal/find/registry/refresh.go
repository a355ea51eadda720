package registry

import (
	"slices"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// Refresh puts what one source says now into a registry that others filled too:
// that source's evidence is replaced, and what the others found stays. r is
// the earlier registry; now holds only the source's findings.
//
// It is for a process that sees one source all the time, beside searches that
// see all of them from time to time.
func Refresh(r, now *Registry, source evidence.Source) {
	var fresh []Entry
	for i, at := range newMatcher(r.Entries).assign(now.Entries) {
		e := &now.Entries[i]
		if at >= 0 {
			r.Entries[at].refresh(e, source)
		} else {
			fresh = append(fresh, *e)
		}
	}
	r.Entries = append(r.Entries, fresh...)
	r.Coverage = slices.DeleteFunc(r.Coverage, func(c evidence.Coverage) bool { return c.Source == source })
	r.Coverage = append(r.Coverage, now.Coverage...)
	r.sort()
	r.Groups = groups(r.Entries)
}

func (e *Entry) refresh(now *Entry, source evidence.Source) {
	e.Evidence = slices.DeleteFunc(e.Evidence, func(ev evidence.Evidence) bool { return ev.Source == source })
	e.Evidence = append(e.Evidence, now.Evidence...)
	slices.SortFunc(e.Evidence, compareEvidence)
	e.Verbs, e.Refused, e.Namespaces, e.Missing = now.Verbs, now.Refused, now.Namespaces, false
	if Rank(now.Confidence) < Rank(e.Confidence) {
		e.Confidence = now.Confidence
	}
	if classRank(now.Class) < classRank(e.Class) {
		e.Class = now.Class
	}
	for _, agent := range now.UserAgents {
		e.UserAgents = appendNew(e.UserAgents, agent)
	}
	for _, a := range now.Access {
		e.Access = appendNew(e.Access, a)
	}
	for _, remark := range now.Remarks {
		e.Remarks = appendNew(e.Remarks, remark)
	}
	if e.Status == e.FoundStatus {
		e.Status = worse(e.FoundStatus, now.FoundStatus)
	}
	e.FoundStatus = worse(e.FoundStatus, now.FoundStatus)
}
