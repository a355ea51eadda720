package publishtest_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/slicewright/slicewright/publish"
	"github.com/slicewright/slicewright/publish/publishtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// target has the suite look at a Balancer.
type target struct{ *publishtest.Balancer }

func (b target) Driver(testing.TB) publish.Driver    { return b.Balancer.Driver() }
func (b target) Active(testing.TB) []string          { return b.Balancer.Active() }
func (b target) Restart(testing.TB)                  { b.Balancer.Restart() }
func (b target) Slow(_ testing.TB, by time.Duration) { b.Delay(by) }
func (b target) Refuse(_ testing.TB, on bool) {
	b.Balancer.Refuse(map[bool]error{true: errors.New("read only")}[on])
}

func (b target) Cut(t testing.TB, desired publish.Desired, n int) bool {
	d := b.Balancer.Driver()
	seen, err := d.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.CutAfter(n)
	defer b.CutAfter(-1)
	_, err = d.Apply(t.Context(), d.Plan(desired, seen))
	return err == nil
}

func TestTheBalancerPassesTheSuite(t *testing.T) {
	publishtest.Run(t, func(testing.TB) publishtest.Target { return target{publishtest.NewBalancer("web")} })
}

// The Balancer refuses what a load balancer refuses, and a driver gets the reason.
func TestTheBalancerValidates(t *testing.T) {
	b := publishtest.NewBalancer("web")
	b.AddForeign("static")
	run := func(commands ...string) string {
		t.Helper()
		for _, c := range commands {
			if err := b.Exec(t.Context(), c); err != nil {
				return err.Error()
			}
		}
		return ""
	}
	for _, tc := range []struct {
		commands []string
		says     string
	}{
		{[]string{"ready 10.0.0.1:80"}, "no such server"},
		{[]string{"drain 10.0.0.1:80"}, "no such server"},
		{[]string{"delete 10.0.0.1:80"}, ""},
		{[]string{"add 10.0.0.1:80", "add 10.0.0.1:80", "ready 10.0.0.1:80"}, ""},
		{[]string{"delete 10.0.0.1:80"}, "only a drained server can be deleted"},
		{[]string{"drain 10.0.0.1:80", "delete 10.0.0.1:80"}, ""},
		{[]string{"add 10.0.0.1:0"}, "is not the address of a server"},
		{[]string{"add [::ffff:10.0.0.1]:80"}, "is not the address of a server"},
		{[]string{"add [fe80::1%eth0]:80"}, "is not the address of a server"},
		{[]string{"add 10.0.0.1:80 weight 3"}, "is not the address of a server"},
		{[]string{"weight 10.0.0.1:80"}, `no command "weight"`},
	} {
		if got := run(tc.commands...); tc.says == "" && got != "" || !strings.Contains(got, tc.says) {
			t.Errorf("%q: %q, want %q", tc.commands, got, tc.says)
		}
	}

	run("add 10.0.0.2:80", "ready 10.0.0.2:80", "drain 10.0.0.2:80")
	if err := b.Connect("10.0.0.2:80", 3); err != nil {
		t.Fatal(err)
	}
	if got := run("delete 10.0.0.2:80"); !strings.Contains(got, "has 3 connections") {
		t.Errorf("a server with connections is deleted: %q", got)
	}
	d := b.Driver()
	seen, err := d.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	plan := d.Plan(publish.Desired{}, seen)
	what, _ := plan.Waiting()
	if !plan.Empty() || !cmp.Equal(what, []string{"10.0.0.2:80 has 3 connections"}) || !cmp.Equal(seen.Foreign(), []string{"static"}) {
		t.Errorf("the plan is empty: %v, waits for %q, and foreign are %q", plan.Empty(), what, seen.Foreign())
	}
	if err := b.Connect("10.0.0.9:80", 1); err == nil {
		t.Error("a server that is not there has connections")
	}
	if diff := cmp.Diff([]string{"10.0.0.2:80"}, b.Draining()); diff != "" {
		t.Errorf("draining (-want +got):\n%s", diff)
	}
}
