package readiness

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A check decides criteria of one kind.
type check struct {
	run func(*answer, *Criterion, *Facts, time.Time)
	// fields are those of a criterion that it takes; needs those of them without
	// which it would hold of anything.
	fields, needs []string
}

// checks are all that there are, by the names that criteria use. docs/gate.md
// describes them.
var checks map[string]check

// Filled in here, since ParseCriteria, which a check's file could use, looks
// into it.
func init() {
	checks = map[string]check{
		"search-complete":        {run: searchComplete, fields: []string{"sources"}, needs: []string{"sources"}},
		"consumers-owned":        {run: consumersOwned, fields: []string{"confidence"}},
		"consumers-moved":        {run: consumersMoved, fields: []string{"confidence"}},
		"running-versions":       {run: runningVersions, fields: []string{"confidence"}},
		"producers-moved":        {run: producersMoved, fields: []string{"confidence"}},
		"audit-window":           {run: auditWindow, fields: []string{"atLeast", "maxAge"}},
		"window-start-up":        {run: windowStartUp, fields: []string{"confidence"}},
		"window-leader-change":   {run: windowLeaderChange},
		"window-cronjobs":        {run: windowCronJobs},
		"no-unexpected-identity": {run: noUnexpectedIdentity, fields: []string{"expected"}},
		"sources-agree":          {run: sourcesAgree, fields: []string{"atLeast", "maxAge"}},
		"timeline-clean":         {run: timelineClean, fields: []string{"codes", "atLeast"}, needs: []string{"codes"}},
		"no-obstacles":           {run: noObstacles},
		"experiment-checks":      {run: experimentChecks, fields: []string{"checks", "maxAge", "confidence"}, needs: []string{"checks"}},
	}
}

func checkNames() string { return strings.Join(slices.Sorted(maps.Keys(checks)), ", ") }

// some lists a few of many: evidence is read by people.
func some(names []string) string {
	const few = 10
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}

// plural counts: "1 consumer", "2 consumers".
func plural(n int, of string) string {
	return plurals(n, of, of+"s")
}

// plurals is plural for a word with a plural of its own: "2 addresses".
func plurals(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// tooOld notes evidence that is older than the criterion takes, or of the future,
// which no clock can have seen.
func tooOld(a *answer, c *Criterion, what string, at, now time.Time, settle string) {
	age := now.Sub(at)
	switch {
	case age < -time.Hour:
		a.unsure(settle, "%s is of %s, which is in the future.", what, stamp(at))
	case c.MaxAge.Duration > 0 && age > c.MaxAge.Duration:
		a.unsure(settle, "%s is of %s, older than %s.", what, stamp(at), c.MaxAge.Duration)
	}
}
