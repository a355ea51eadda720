package experiment

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/slicewright/slicewright/app/experiment/report"
)

func TestACheckPassesOnlyWithSomethingSeen(t *testing.T) {
	r := &recorder{out: io.Discard, skip: []string{"left-out"}}
	broken := errors.New("no API server")
	for _, c := range []struct {
		name   string
		do     func(*evidence) error
		result report.Result // "" is no result, and an error
		says   string
	}{
		{"seen", func(e *evidence) error { e.saw("All %d answered.", 3); return nil }, report.Passed, "All 3 answered."},
		{"nothing-seen", func(*evidence) error { return nil }, "", "without having seen anything"},
		{"short", func(e *evidence) error { e.saw("All answered."); return short("then %d failed\nat once", 2) }, report.Failed, "then 2 failed."},
		{"wrapped", func(*evidence) error { return errors.Join(short("one failed")) }, report.Failed, "one failed."},
		{"broken", func(e *evidence) error { e.saw("All answered."); return broken }, "", "no API server"},
		{"left-out", func(e *evidence) error { t.Error("done all the same"); return nil }, report.NotRun, "to be skipped"},
	} {
		before := len(r.checks)
		err := r.check(context.Background(), c.name, func(_ context.Context, e *evidence) error { return c.do(e) })
		if (err == nil) != (c.result != "") {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.result == "" {
			if err == nil || !strings.Contains(err.Error(), c.says) || len(r.checks) != before {
				t.Errorf("%s: %v, %v", c.name, err, r.checks[before:])
			}
			continue
		}
		got := r.checks[len(r.checks)-1]
		if got.Name != c.name || got.Result != c.result || !strings.Contains(strings.Join(got.Evidence, " "), c.says) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	r.leaveOut([]string{"seen", "broken"}, "it ended")
	if last := r.checks[len(r.checks)-1]; last.Name != "broken" || last.Result != report.NotRun || last.Evidence[0] != "it ended." {
		t.Errorf("left out: %+v", last)
	}
	if n := len(r.checks); n != 5 {
		t.Errorf("%d checks: one that has a result was left out, too", n)
	}
}

func TestWhatCannotBeDoneIsRefusedBeforeAnythingStarts(t *testing.T) {
	good := func() Config {
		return Config{Namespace: "experiment", Consumer: Consumer{Name: "router", Command: []string{"router"}}, Acts: Acts(), Out: io.Discard}
	}
	for _, c := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.Acts = []string{"stop", "encore"} }, `no act "encore"`},
		{func(c *Config) { c.Skip = []string{"everything"} }, `no check "everything"`},
		{func(c *Config) { c.Consumer.Command = nil }, "how to start"},
		{func(c *Config) { c.Consumer.Name = "" }, "no name"},
		{func(c *Config) { c.Consumer.Balancer = []string{"true"} }, "no URL"},
		{func(c *Config) { c.Namespace = "a}\nkind: ClusterRole" }, "namespace"},
		{func(c *Config) { c.Controllers = "*,;" }, "no controller"},
	} {
		config := good()
		c.change(&config)
		if _, err := Run(t.Context(), config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// Names that criteria ask for, in docs/gate.md and in readiness/criteria.yaml.
func TestTheChecksOfTheGateAreDone(t *testing.T) {
	for _, name := range strings.Fields(`
		several-slices duplicates different-ports families conditions last-slice-removed label-moved
		cold-start watch-lost access-denied publishing-repeated
		controller-stopped consumer-followed endpoints-reader-did-not last-backend-removed consumer-restarted connection-cut way-back`) {
		found := 0
		for _, a := range acts {
			for _, has := range a.checks {
				if has == name {
					found++
				}
			}
		}
		if found != 1 {
			t.Errorf("%s is in %d acts", name, found)
		}
	}
}
