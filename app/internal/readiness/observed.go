package readiness

import (
	"slices"
	"strings"
	"time"

	"github.com/slicewright/slicewright/app/internal/shadow"
)

// sourcesAgree: of a Service that was not judged nothing is known, and a
// comparison of files is one of a moment.
func sourcesAgree(a *answer, c *Criterion, f *Facts, now time.Time) {
	const compare = "Compare for longer, in all namespaces: slicewright shadow -A --for 10m -o json, then --shadow FILE."
	r := f.Shadow
	if r == nil {
		a.unsure(compare, "There is no comparison.")
		return
	}
	var different, unknown []string
	for i := range r.Services {
		switch s := &r.Services[i]; s.Outcome {
		case shadow.Different:
			different = append(different, s.Service+" ("+s.Summary()+")")
		case shadow.Equal:
			if s.Judgements == 0 {
				unknown = append(unknown, s.Service)
			}
		default:
			unknown = append(unknown, s.Service)
		}
	}
	if len(different) > 0 {
		a.against("Look at each class in docs/shadow.md: what to do is there.", "Differ: %s.", some(different))
	}
	if len(unknown) > 0 {
		a.unsure(compare, "Not judged: %s.", some(unknown))
	}
	if len(r.Services) == 0 {
		a.unsure(compare, "No Service was compared.")
	}
	for _, u := range r.Unread {
		if u.Needed {
			a.unsure("Permit it, and compare again.", "Not read: %s, %s.", u.Resource, u.Problem)
		}
	}
	watched := r.Until.Sub(r.From)
	if r.SettleSeconds <= 0 {
		a.unsure(compare, "Objects from files were compared, which says nothing of how they change.")
	} else if watched < c.AtLeast.Duration {
		a.unsure(compare, "They were compared for %s, less than %s.", watched.Round(time.Second), c.AtLeast.Duration)
	}
	tooOld(a, c, "The comparison", r.Until, now, compare)
	a.seen("%s compared from %s to %s.", plural(len(r.Services), "Service"), stamp(r.From), stamp(r.Until))
}

// timelineClean is about the consumers that the registry says have moved: a
// recording of others, or of a time in which nothing changed, shows nothing of
// them.
func timelineClean(a *answer, c *Criterion, f *Facts, _ time.Time) {
	const record = "Record consumers and slices through a rollout: slicewright record and slicewright verify, then --timeline FILE.db."
	r := f.Timeline
	if r == nil {
		a.unsure(record, "There is no recording.")
		return
	}
	var found, doubtful []string
	for _, x := range r.Findings {
		if !slices.Contains(c.Codes, string(x.Code)) {
			continue
		}
		text := string(x.Code) + " at " + stamp(x.From) + ": " + x.Message
		if x.Uncertain {
			doubtful = append(doubtful, text)
		} else {
			found = append(found, text)
		}
	}
	if len(found) > 0 {
		a.against("Look at each with slicewright timeline FILE.db.", "%s: %s.", plural(len(found), "finding"), strings.TrimSuffix(some(found), "."))
	}
	if len(doubtful) > 0 {
		a.unsure(record, "%s while a watch had lost changes: %s.", plural(len(doubtful), "finding"), strings.TrimSuffix(some(doubtful), "."))
	}
	for _, g := range r.Gaps {
		if g.Lost {
			a.unsure(record, "From %s to %s changes of %s were lost.", stamp(g.From), stamp(g.To), g.Resource)
		}
	}
	if length := r.Until.Sub(r.From); length < c.AtLeast.Duration {
		a.unsure(record, "The recording covers %s, less than %s.", length.Round(time.Second), c.AtLeast.Duration)
	}
	observedConsumers(a, f, record)
}

// observedConsumers asks of each reader that has moved whether the recording
// has it, and whether a Service that it used changed meanwhile. A recording calls
// a consumer by the spec that slicewright verify was given; the registry says
// which reader that is in publishesTo.
func observedConsumers(a *answer, f *Facts, record string) {
	if !searched(a, f) {
		return
	}
	r := f.Timeline
	changed := map[string]bool{}
	for _, s := range r.Services {
		changed[s.Service] = len(s.Counts) > 1
	}
	type use struct {
		addresses map[string]bool
		changed   bool
	}
	uses := map[string]*use{}
	for _, u := range r.Uses {
		if uses[u.Consumer] == nil {
			uses[u.Consumer] = &use{addresses: map[string]bool{}}
		}
		uses[u.Consumer].addresses[u.Address] = true
		uses[u.Consumer].changed = uses[u.Consumer].changed || changed[u.Service]
	}
	if len(uses) == 0 {
		a.unsure(record, "No consumer was observed in the recording.")
		return
	}
	all := readers(&Criterion{}, f.Registry)
	if len(all) == 0 {
		a.unsure("Write the consumers that were recorded into the registry.", "The registry has no reader, so that no recording can be about one.")
	}
	counted := map[string]bool{}
	for _, e := range all {
		if !moved(e) {
			continue // consumers-moved says so
		}
		name := e.PublishesTo
		u := uses[name]
		switch {
		case name == "":
			a.unsure("Write into the entry's publishesTo how slicewright verify calls its load balancer.", "%s: the registry does not say which observed consumer it is.", e.Key)
		case u == nil:
			a.unsure(record, "%s was not observed: the recording has no %s.", e.Key, name)
		case !u.changed:
			a.unsure(record, "%s was observed while no Service that it uses changed.", e.Key)
		default:
			counted[name] = true
			a.seen("%s was observed at %s through changes, from %s to %s.", e.Key, plurals(len(u.addresses), "address", "addresses"), stamp(r.From), stamp(r.Until))
			a.rests(e, f.Names.Timeline, r.Until)
		}
	}
	var others []string
	for name := range uses {
		if !counted[name] {
			others = append(others, name)
		}
	}
	if len(others) > 0 {
		a.seen("Observed too, and counted for nothing, since no reader that has moved publishes there: %s.", some(sortedOnce(others)))
	}
}
