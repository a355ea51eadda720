package verify

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name, story string
		outcome     Outcome
		want        []string
	}{
		{
			"from who is active",
			`0 slices a=active b=active
			 1 answer a
			 2 answer @b`, Equal,
			[]string{},
		},
		{
			"from an address that left, at once and too late",
			`0 slices a=active b=active
			 1 slices a=active
			 2 answer b
			 7 answer b`, Different,
			[]string{"used-after-left 10.0.0.2:80 2 times, 6 late finding"},
		},
		{
			"within the time that a consumer may take",
			`0 slices a=active b=active
			 1 slices a=active
			 2 answer b
			 6 answer b`, Equal,
			[]string{"used-after-left 10.0.0.2:80 2 times, 5 late"},
		},
		{
			"late is counted from when it stopped being active, not from when it left",
			`0 slices a=active b=active
			 1 slices a=active b=terminating
			 5 slices a=active
			 8 answer b`, Different,
			[]string{"used-after-left 10.0.0.2:80 1 times, 7 late finding"},
		},
		{
			"from who terminates",
			`0 slices a=active b=active
			 1 slices a=active b=terminating
			 9 answer b`, Different,
			[]string{"used-while-terminating 10.0.0.2:80 1 times, 8 late finding"},
		},
		{
			"from who is not ready",
			`0 slices a=active b=excluded
			 9 answer b`, Different,
			[]string{"used-while-excluded 10.0.0.2:80 1 times, 9 late finding"},
		},
		{
			"from somebody that no slice ever had",
			`0 slices a=active
			 9 answer c`, Different,
			[]string{"used-unlisted 10.0.0.3:80 1 times, 9 late finding"},
		},
		{
			"from somebody of whom the consumer knew first",
			`0 slices a=active
			 9 answer b
			 10 slices a=active b=active`, Equal,
			[]string{},
		},
		{
			"a lost request",
			`0 slices a=active
			 1 answer a
			 9 failed reset`, Different,
			[]string{},
		},
		{
			"a request that fails while there is nobody to answer, and soon after",
			`0 slices a=active
			 1 answer a
			 2 slices
			 9 failed status
			 10 slices b=active
			 11 failed status
			 20 answer b`, Equal,
			[]string{},
		},
		{
			"a request that fails long after there is somebody",
			`0 slices a=active
			 1 answer a
			 2 slices
			 10 slices b=active
			 16 failed status
			 20 answer b`, Different,
			[]string{},
		},
		{
			"nobody ever answers: the address may be wrong",
			`0 slices a=active
			 1 failed refused
			 9 failed refused`, Undetermined,
			[]string{},
		},
		{
			"nobody answers, and nobody should",
			`0 slices
			 1 failed status
			 9 failed status`, Equal,
			[]string{},
		},
		{
			"an answer that does not say whose it is",
			`0 slices a=active
			 1 answer a
			 9 unidentified`, Undetermined,
			[]string{},
		},
		{
			"an answer while the slices could not be read",
			`0 slices a=active
			 1 answer a
			 2 lost
			 3 answer b
			 4 back`, Undetermined,
			[]string{},
		},
		{
			"a backend that answers with an error was connected to all the same",
			`0 slices a=active b=active
			 1 slices a=active
			 2 answer a
			 9 failed status b`, Different,
			[]string{"used-after-left 10.0.0.2:80 1 times, 8 late finding"},
		},
		{
			"no request at all",
			`0 slices a=active`, Undetermined,
			[]string{},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := story(t, c.story).Report(sec(30))
			if p := r.Probes[0]; p.Outcome != c.outcome {
				t.Errorf("the outcome is %s (%s), want %s", p.Outcome, p.Reason, c.outcome)
			}
			if diff := cmp.Diff(c.want, told(r)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatIsSaidOfLostRequests(t *testing.T) {
	p := story(t, `
		0 slices a=active
		1 answer a
		2 failed reset
		3 failed reset
		4 slices
		9 failed reset
		9 failed status`).Report(sec(30)).Probes[0]
	want := []LostReport{
		{Failure: Reset, Count: 2, Expected: 1, First: sec(2), Last: sec(3), Detail: "said so"},
		{Failure: Status, Expected: 1, First: sec(9), Last: sec(9), Detail: "said so"},
	}
	if diff := cmp.Diff(want, p.Lost); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if p.LostRequests != 2 || p.ExpectedFailures != 2 || p.Reason != "2 requests lost (reset 2)" {
		t.Errorf("%d lost, %d expected, %q", p.LostRequests, p.ExpectedFailures, p.Reason)
	}
}

func TestWhoNeverAnswered(t *testing.T) {
	p := story(t, `
		0 slices a=active b=active c=terminating
		1 answer @a`).Report(sec(30)).Probes[0]
	if diff := cmp.Diff([]string{"10.0.0.2:80"}, p.Unreached); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestConvergence(t *testing.T) {
	r := story(t, `
		0 slices a=active
		0 view a=new
		1 view a=new
		2 slices b=active
		3 view a=new
		4 view b=new
		5 view b=new
		6 slices b=active c=terminating
		7 slices b=active c=active
		7.5 slices b=active c=active d=active
		8 view b=new c=new
		9 view b=new c=new d=new
		10 view b=new c=new
		11 view b=new c=new d=new
		12 slices a=active`).Report(sec(12.5))
	c := r.Consumers[0]
	want := []ConvergenceReport{
		{Changes: 1, First: sec(12), Last: sec(12)},
		{Changes: 2, First: sec(7), Last: sec(7.5), Equal: sec(11), Seconds: 3.5},
		{Changes: 1, First: sec(2), Last: sec(2), Equal: sec(4), Seconds: 2},
	}
	if diff := cmp.Diff(want, c.Convergences); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// What agreed and then did not, without a change, has not followed.
	c2 := story(t, `
		0 slices a=active
		0 view a=new
		1 slices b=active
		2 view b=new
		3 view a=new`).Report(sec(4)).Consumers[0]
	if diff := cmp.Diff([]ConvergenceReport{{Changes: 1, First: sec(1), Last: sec(1)}}, c2.Convergences); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if c.SlowestSeconds != 3.5 || r.Slices.Changes != 4 {
		t.Errorf("slowest %g, %d changes", c.SlowestSeconds, r.Slices.Changes)
	}
}

// A count that a consumer began again is not a negative number of
// connections. An address that is new to a view is not known to have got
// connections.
func TestCounter(t *testing.T) {
	var c Counter
	add := func(at float64, totals ...int64) []Opened {
		v := View{At: sec(at)}
		for i, total := range totals {
			v.Members = append(v.Members, Member{Address: letter(t, string(rune('a'+i))), Use: New, Total: total})
		}
		return c.Add(v)
	}
	for _, step := range []struct {
		at     float64
		totals []int64
		want   []Opened
	}{
		{0, []int64{7}, nil},
		{1, []int64{9, 4}, []Opened{{letter(t, "a"), sec(0), sec(1), 2}}},
		{2, []int64{9, 5}, []Opened{{letter(t, "b"), sec(1), sec(2), 1}}},
		{3, []int64{2, 5}, []Opened{{letter(t, "a"), sec(2), sec(3), 2}}},
		{4, []int64{Unknown, 5}, nil},
		{5, []int64{8, 5}, nil},
	} {
		got := add(step.at, step.totals...)
		if diff := cmp.Diff(step.want, got, cmp.Comparer(func(a, b Opened) bool { return a == b }), cmp.Comparer(time.Time.Equal)); diff != "" {
			t.Errorf("at %g (-want +got):\n%s", step.at, diff)
		}
	}
}
