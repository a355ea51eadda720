package live

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/endpointset"
)

func outcome(t *testing.T, r *Report, want verify.Outcome) {
	t.Helper()
	if r.Outcome != want {
		t.Errorf("the outcome is %s, want %s: %q", r.Outcome, want, r.Reasons)
	}
}

func took(since time.Time) time.Duration { return time.Since(since).Round(100 * time.Millisecond) }

// What is equal is said soon: after two looks and a round of requests.
func TestEqualIsSaidSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		r := run(t, newWorld("10.0.0.1", "10.0.0.2"), Plan{}, nil)
		outcome(t, r, verify.Equal)
		if took(began) > 2*time.Second {
			t.Errorf("it took %s", took(began))
		}
		if p := r.Probes[0]; len(p.Answering) != 2 || p.Requests < 10 {
			t.Errorf("%d requests, %v", p.Requests, p.Answering)
		}
	})
}

// Without a consumer it is a round of requests that is waited for.
func TestProbesAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, newWorld("10.0.0.1", "10.0.0.2"), Plan{}, func(c *Config) { c.Consumers, c.Requests = nil, 20 })
		outcome(t, r, verify.Equal)
		if p := r.Probes[0]; p.Requests < 20 || p.Requests > 60 {
			t.Errorf("%d requests", p.Requests)
		}
	})
}

// What differs is waited for as long as a consumer may take, and no longer.
func TestDifferentIsSaidWhenItHasLasted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld("10.0.0.1")
		w.follow("10.0.0.1", "10.0.0.9")
		began := time.Now()
		r := run(t, w, Plan{}, nil)
		outcome(t, r, verify.Different)
		if at := took(began); at <= 5*time.Second || at > 7*time.Second {
			t.Errorf("it took %s", at)
		}
		if r.Consumers[0].Kinds[verify.Stale].Findings != 1 || len(r.Probes[0].Used) != 1 {
			t.Errorf("%+v", r.Consumers[0].Kinds)
		}
	})
}

// One that follows in time is waited for.
func TestALateConsumerIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld("10.0.0.1")
		w.follow()
		time.AfterFunc(3*time.Second, func() { w.follow("10.0.0.1") })
		r := run(t, w, Plan{}, func(c *Config) { c.Probes = nil })
		outcome(t, r, verify.Equal)
		if len(r.Consumers[0].Differences) != 1 {
			t.Errorf("%+v", r.Consumers[0].Differences)
		}
	})
}

func TestAConsumerThatDoesNotAnswerIsUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld("10.0.0.1")
		w.fail(errors.New("no such socket"))
		began := time.Now()
		r := run(t, w, Plan{}, nil)
		outcome(t, r, verify.Undetermined)
		if took(began) > 10*time.Second || !strings.Contains(strings.Join(r.Reasons, " "), "no such socket") {
			t.Errorf("after %s: %q", took(began), r.Reasons)
		}
	})
}

func TestProbesThatNeverGetAnAnswerAreUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld("10.0.0.1")
		w.failure = verify.Refused
		began := time.Now()
		outcome(t, run(t, w, Plan{}, nil), verify.Undetermined)
		if took(began) > 10*time.Second {
			t.Errorf("it took %s", took(began))
		}
	})
}

// A command is judged by what happens from its beginning until all has settled
// after it, also what begins only when it has returned.
func TestDuring(t *testing.T) {
	for _, c := range []struct {
		name  string
		after time.Duration // that the consumer follows
		want  verify.Outcome
	}{
		{"a consumer that follows", time.Second, verify.Equal},
		{"a consumer that follows too late", 9 * time.Second, verify.Different},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld("10.0.0.1")
				r := run(t, w, Plan{During: func(context.Context) verify.CommandReport {
					began := time.Now()
					time.AfterFunc(4*time.Second, func() {
						w.put("10.0.0.2", "-10.0.0.1")
						time.AfterFunc(c.after, func() { w.follow("10.0.0.2") })
					})
					time.Sleep(time.Second)
					return verify.CommandReport{Command: "rollout", Began: began, Ended: time.Now()}
				}}, nil)
				outcome(t, r, c.want)
				if r.Command == nil || r.Slices.Changes != 1 {
					t.Errorf("the command is %v, %d changes", r.Command, r.Slices.Changes)
				}
				// The consumer followed in the end, and how long it took is told.
				if got := r.Consumers[0].SlowestSeconds; got < c.after.Seconds() || got > c.after.Seconds()+1 {
					t.Errorf("it took the consumer %gs instead of %s", got, c.after)
				}
			})
		})
	}
}

// A rollout is not begun where what it is judged by is broken already.
func TestTheCommandIsNotRunWhereThingsDifferBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld("10.0.0.1")
		w.follow("10.0.0.9")
		r := run(t, w, Plan{During: func(context.Context) verify.CommandReport {
			t.Error("it was run")
			return verify.CommandReport{}
		}}, nil)
		outcome(t, r, verify.Different)
		if r.Command != nil || !strings.Contains(strings.Join(r.Reasons, " "), "was not run") {
			t.Errorf("%q", r.Reasons)
		}
	})
}

// For a time: what happens in it counts, though all is well at its end.
func TestFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld("10.0.0.1")
		time.AfterFunc(5*time.Second, func() { w.follow("10.0.0.1", "10.0.0.9") })
		time.AfterFunc(15*time.Second, func() { w.follow("10.0.0.1") })
		began := time.Now()
		r := run(t, w, Plan{For: 30 * time.Second}, nil)
		outcome(t, r, verify.Different)
		if at := took(began); at < 30*time.Second || at > 33*time.Second {
			t.Errorf("it took %s", at)
		}
	})
}

func TestInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld("10.0.0.1")
		r, err := New(Config{Service: web, Slices: w, Consumers: []verify.Observer{worldConsumer{w}}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(3*time.Second, cancel)
		report, err := r.Run(ctx, Plan{For: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		outcome(t, report, verify.Undetermined)
		// The look that was cut off does not count as failed.
		if c := report.Consumers[0]; !report.Interrupted || c.Views < 3 || c.Failed > 0 {
			t.Errorf("interrupted %t after %d views, %d failed", report.Interrupted, c.Views, c.Failed)
		}
	})
}

func TestWhatIsObserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld("10.0.0.1")
		var all []timeline.Observation
		run(t, w, Plan{For: 3 * time.Second}, func(c *Config) {
			c.Observed = func(o timeline.Observation) { all = append(all, o) }
		})
		for _, who := range []string{"consumer", "probe"} {
			if !slices.ContainsFunc(all, func(o timeline.Observation) bool {
				return o.Consumer == who && o.Kind == timeline.Connection && o.Address == "10.0.0.1" && o.Port == 80 && o.Service == "web" && !o.First.IsZero()
			}) {
				t.Errorf("nothing of %s among %d observations", who, len(all))
			}
		}
	})
}

// An answer that does not say whose it is says nothing of a backend.
func TestWhatIsNotObserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld("10.0.0.1")
		w.failure = verify.Unidentified
		run(t, w, Plan{}, func(c *Config) {
			c.Consumers = nil
			c.Observed = func(o timeline.Observation) { t.Errorf("%+v", o) }
		})
	})
}

func TestThePortMustBeOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			query endpointset.Query
			want  error
		}{
			{endpointset.Query{}, nil},
			{endpointset.Query{Port: endpointset.PortNamed("http"), Protocol: "TCP"}, nil},
			{endpointset.Query{Port: endpointset.PortNamed("https"), Protocol: "TCP"}, ErrPort},
			{endpointset.Query{Port: endpointset.PortNamed("http"), Protocol: "UDP"}, ErrPort},
		} {
			w := newWorld("10.0.0.1")
			r, err := New(Config{Service: web, Query: c.query, Slices: w, Consumers: []verify.Observer{worldConsumer{w}}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.Run(t.Context(), Plan{}); !errors.Is(err, c.want) {
				t.Errorf("%+v: %v, want %v", c.query, err, c.want)
			}
		}
	})
}

func TestWrongConfigurations(t *testing.T) {
	w := newWorld()
	consumers := []verify.Observer{worldConsumer{w}}
	for _, c := range []struct {
		config Config
		want   string
	}{
		{Config{}, "nothing to verify"},
		{Config{Consumers: consumers, Settle: time.Second, Interval: time.Second}, "half"},
		{Config{Consumers: consumers, Requests: 1000}, "too many"},
		{Config{Consumers: consumers, Settle: -time.Second}, "positive"},
	} {
		if _, err := New(c.config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// A short time to settle shortens the interval, if nobody says another.
func TestTheIntervalFollowsTheSettleTime(t *testing.T) {
	r, err := New(Config{Consumers: []verify.Observer{worldConsumer{newWorld()}}, Settle: 400 * time.Millisecond})
	if err != nil || r.config.Interval != 200*time.Millisecond {
		t.Errorf("%v", err)
	}
}
