package timeline_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/app/internal/timeline/timelinetest"
)

// moments are those of the only finding of a script, in seconds. A condition
// since 0s has no time.
func moments(t *testing.T, script string) []string {
	t.Helper()
	events := timelinetest.MustParse(script)
	for _, ev := range events {
		if ev.Pod != nil && ev.Pod.ReadySince.Equal(timelinetest.Start) {
			ev.Pod.ReadySince = time.Time{}
		}
	}
	found := timeline.Findings(history(events), timeline.Options{})
	if len(found) != 1 {
		t.Fatalf("%d findings: %+v", len(found), found)
	}
	var all []string
	for _, m := range found[0].Moments {
		all = append(all, fmt.Sprintf("%.1f %s", m.At.Sub(events[0].At).Seconds(), m.What))
	}
	return all
}

// A finding about readiness names the moments that it is made of. What a Pod's
// condition says of the change to not ready is one only if the Pod was ready
// before.
func TestMomentsOfReadiness(t *testing.T) {
	for _, c := range []struct {
		name, script string
		want         []string
	}{
		{
			"a Pod that was never ready", `
			0s   service web
			0s   pod a 10.0.0.1 unready since 0.5s
			1s   slice web-1 10.0.0.1=a:T/T/F
			4s   pod a ready since 4s`,
			[]string{"0.0 Pod is not ready", "1.0 slices say ready", "4.0 Pod is ready"},
		},
		{
			"a Pod that was ready and is again", `
			0s   service web
			0s   pod a 10.0.0.1 ready
			0s   slice web-1 10.0.0.1=a:T/T/F
			5s   pod a unready since 5s
			9s   pod a ready since 9s`,
			[]string{"0.0 slices say ready", "5.0 Pod is not ready", "5.0 Pod's Ready condition changed to not ready", "9.0 Pod is ready"},
		},
		{
			"a Pod whose condition has no time", `
			0s   service web
			0s   pod a 10.0.0.1 ready
			0s   slice web-1 10.0.0.1=a:T/T/F 10.0.0.2:T/T/F
			5s   pod a unready since 0s
			7s   slice web-1 10.0.0.1=a:F/F/F 10.0.0.2:T/T/F`,
			[]string{"0.0 slices say ready", "5.0 Pod is not ready", "7.0 slices no longer say ready"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, moments(t, c.script)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
