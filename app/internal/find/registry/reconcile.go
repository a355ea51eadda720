package registry

import (
	"fmt"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// Reconcile carries over into r what people wrote into an earlier registry: owner,
// publishesTo, status, notes, and comments. Found facts stay as they are in r. An
// entry that was not found again is kept only if people wrote into it.
func Reconcile(r, earlier *Registry) {
	r.Comments = earlier.Comments
	var gone []Entry
	for i, at := range newMatcher(r.Entries).assign(earlier.Entries) {
		old := &earlier.Entries[i]
		if at >= 0 {
			r.Entries[at].carry(old)
		} else if old.written() || earlier.Comments.on(old.Key) {
			e := *old
			e.Missing = true
			e.Evidence = []evidence.Evidence{}
			gone = append(gone, e)
		}
	}
	r.Entries = append(r.Entries, gone...)
	r.sort()
	r.Groups = groups(r.Entries)
}

// written says whether a person wrote into the entry.
func (e *Entry) written() bool {
	return e.PublishesTo != "" || e.ConfigHash != "" || e.Notes != "" || e.Owner != e.FoundOwner || e.Status != e.FoundStatus
}

// carry takes over people's words from an earlier form of the entry.
func (e *Entry) carry(old *Entry) {
	e.Key = old.Key
	e.PublishesTo, e.ConfigHash, e.Notes = old.PublishesTo, old.ConfigHash, old.Notes
	if old.Owner != old.FoundOwner {
		e.Owner = old.Owner
	}
	if old.Status != old.FoundStatus {
		e.Status = old.Status
	}
	if e.contradicted() {
		e.Remarks = appendNew(e.Remarks, fmt.Sprintf("It is marked %s, and it still used Endpoints%s.", e.Status, e.lastSeen()))
	}
}

// contradicted says that a status calls the entry done while it was seen at it.
func (e *Entry) contradicted() bool {
	return (e.Status == evidence.Migrated || e.Status == evidence.Verified) && e.Confidence == evidence.Proven && !e.Missing
}

func (e *Entry) lastSeen() string {
	last := ""
	for _, ev := range e.Evidence {
		if ev.LastSeen != nil {
			last = max(last, ev.LastSeen.UTC().Format("2006-01-02T15:04:05Z"))
		}
	}
	if last == "" {
		return ""
	}
	return " (last seen " + last + ")"
}

// Verdict says what a registry means for the exit code of a search.
type Verdict struct {
	// Failing are the entries at or above the level that are not in the
	// baseline, acknowledged or done.
	Failing []string
	// Unknown is set if nothing was found, and not enough was seen to say that
	// there is nothing.
	Unknown bool
	// Why says what was not seen, for Unknown.
	Why []string
}

// Judge returns the verdict. failOn "" asks for none; baseline may be nil.
func Judge(r *Registry, failOn evidence.Confidence, baseline *Registry) Verdict {
	var v Verdict
	found := 0
	var known *matcher
	if baseline != nil {
		known = newMatcher(baseline.Entries)
	}
	for i := range r.Entries {
		e := &r.Entries[i]
		if !e.Consumer() || e.Missing {
			continue
		}
		if Rank(e.Confidence) < Rank(evidence.Broad) {
			found++
		}
		if failOn == "" || Rank(e.Confidence) > Rank(failOn) || e.done() || known.has(e) {
			continue
		}
		v.Failing = append(v.Failing, e.Key)
	}
	if found == 0 && len(v.Failing) == 0 {
		v.Why = r.unseen()
		v.Unknown = len(v.Why) > 0
	}
	return v
}

func (e *Entry) done() bool {
	switch e.Status {
	case evidence.Acknowledged:
		return true
	case evidence.Migrated, evidence.Verified:
		return !e.contradicted()
	}
	return false
}

// has says whether a baseline has the entry with at least its confidence. A nil
// matcher has nothing.
func (m *matcher) has(e *Entry) bool {
	if m == nil {
		return false
	}
	at := m.find(e)
	return at >= 0 && Rank(m.entries[at].Confidence) <= Rank(e.Confidence)
}

// unseen lists why a result without findings is none.
func (r *Registry) unseen() []string {
	var out []string
	read := 0
	for _, c := range r.Coverage {
		read += c.Read
		for i, p := range c.Problems {
			if i == 5 {
				out = append(out, fmt.Sprintf("%s: %d more problems", c.Source, len(c.Problems)-i))
				break
			}
			out = append(out, fmt.Sprintf("%s: %s: %s", c.Source, p.Locator, p.Message))
		}
	}
	if read == 0 {
		out = append(out, "nothing was read")
	}
	return out
}

// ParseLevel reads the level of --fail-on.
func ParseLevel(s string) (evidence.Confidence, error) {
	c := evidence.Confidence(s)
	if s != "" && Rank(c) > Rank(evidence.Broad) {
		return "", fmt.Errorf("unknown level %q: use proven, strong, likely, possible or broad", s)
	}
	return c, nil
}
