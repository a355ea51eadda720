package readiness

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A log in which nothing was read, and a log whose events have no time, are as
// good as no log.
func TestALogWithoutEventsIsNoLog(t *testing.T) {
	without := complete()
	without.Audit = nil
	want := statuses(Evaluate(DefaultCriteria(), without, now))
	for name, spoil := range map[string]func(*Facts){
		"nothing read": func(f *Facts) { f.Audit.Coverage.Read = 0 },
		"no time":      func(f *Facts) { f.Audit.Totals.First = time.Time{} },
	} {
		f := complete()
		spoil(f)
		if diff := cmp.Diff(want, statuses(Evaluate(DefaultCriteria(), f, now))); diff != "" || len(want) == 0 {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
