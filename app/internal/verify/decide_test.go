package verify

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A report with nothing in it says why only if the slices were never read, and
// only if no part says it.
func TestReasonsOfAReport(t *testing.T) {
	for _, c := range []struct {
		name      string
		consumers []string
		read      bool
		want      []string
	}{
		{"nothing was asked, nothing read", nil, false, []string{"the slices were not read"}},
		{"nothing was asked", nil, true, []string{}},
		{"a consumer that was not asked, nothing read", []string{"mine"}, false, []string{"mine: the slices were not read"}},
		{"a consumer that was not asked", []string{"mine"}, true, []string{"mine: it did not say what it has: no answer had come by the end"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := NewLog(Options{Consumers: c.consumers})
			if c.read {
				l.Slices(Slices{At: sec(1)})
			}
			r := l.Report(sec(2))
			if r.Outcome != Undetermined {
				t.Errorf("the outcome is %s", r.Outcome)
			}
			if diff := cmp.Diff(c.want, r.Reasons); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
