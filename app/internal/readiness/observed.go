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

// timelineClean: a recording in which nobody watched consumers says nothing of
// them.
func timelineClean(a *answer, c *Criterion, f *Facts, _ time.Time) {
	const record = "Record consumers and slices: slicewright record and slicewright verify, then --timeline FILE.db."
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
	if len(r.Uses) == 0 {
		a.unsure(record, "No consumer was observed in the recording.")
		return
	}
	consumers := map[string]bool{}
	for _, u := range r.Uses {
		consumers[u.Consumer] = true
	}
	a.seen("%s observed at %d addresses from %s to %s.", plural(len(consumers), "consumer"), len(r.Uses), stamp(r.From), stamp(r.Until))
}

// experimentChecks: each must have passed, somewhere, with something to show, and
// failed nowhere.
func experimentChecks(a *answer, c *Criterion, f *Facts, now time.Time) {
	const run = "Do the experiment: slicewright-lab, or slicewright experiment plan for a cluster of your own; then --experiment FILE."
	if len(f.Experiments) == 0 {
		a.unsure(run, "There is no report of an experiment.")
		return
	}
	for _, name := range c.Checks {
		passed := false
		for i := range f.Experiments {
			e := &f.Experiments[i]
			for _, check := range e.Checks {
				switch {
				case check.Name != name:
				case check.Result == Failed:
					a.against("See the report of "+e.Name+".", "%s failed in %s: %s", name, e.Name, strings.Join(check.Evidence, " "))
				case check.Result == Passed && len(check.Evidence) > 0:
					if !passed { // once is enough to be read
						a.seen("%s passed in %s with %s on %s: %s", name, e.Name, e.Consumer.Name, e.Kubernetes, strings.Join(check.Evidence, " "))
						tooOld(a, c, "That", e.Finished, now, run)
					}
					passed = true
				}
			}
		}
		if !passed {
			a.unsure(run, "%s passed nowhere.", name)
		}
	}
}
