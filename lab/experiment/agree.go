package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"

	"github.com/slicewright/slicewright/lab/address"
	"github.com/slicewright/slicewright/lab/fleet"
)

// agree: before anything is stopped, both APIs and both sides say the same.
func (a *stopAct) agree(ctx context.Context) error {
	return a.check(ctx, "sources-agreed", func(ctx context.Context, ev *evidence) error {
		return a.allAgree(ctx, ev)
	})
}

// allAgree waits until Endpoints, slices, the consumer and the reader agree.
func (a *stopAct) allAgree(ctx context.Context, ev *evidence) error {
	var v fleet.View
	err := a.patiently(ctx, func() (err error) {
		if v, err = a.fleet.Look(ctx); err != nil {
			return err
		}
		return address.Compare(v.Joined, v.Endpoints)
	})
	if err != nil {
		return short("Endpoints and EndpointSlices differ: %v", err)
	}
	ev.saw("Endpoints and %d EndpointSlices hold the same %d addresses.", len(v.Slices), len(v.Joined))
	if err := a.patiently(ctx, func() error { return a.shadow(ctx) }); err != nil {
		return short("%v", err)
	}
	ev.saw("slicewright shadow judged them equal.")
	for _, s := range []*side{a.consumer, a.reader} {
		if err := a.follows(ctx, s, a.ready(), ev, "With both APIs written"); err != nil {
			return err
		}
	}
	return nil
}

// patiently waits for what takes a consumer's time.
func (e *experiment) patiently(ctx context.Context, check func() error) error {
	ctx, cancel := context.WithTimeout(ctx, e.Patience)
	defer cancel()
	return fleet.Eventually(ctx, check)
}

// shadow has slicewright compare both APIs.
func (a *stopAct) shadow(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, a.Slicewright, "shadow", a.Namespace+"/"+a.fleet.Service, "--settle", "1s", "-o", "json", "--kubeconfig", a.Admin)
	out, err := cmd.Output()
	var report struct {
		Services []struct {
			Outcome string `json:"outcome"`
		} `json:"services"`
	}
	if unread := json.Unmarshal(out, &report); unread != nil || len(report.Services) != 1 {
		return fmt.Errorf("slicewright shadow: %w: %.300q", errors.Join(err, unread), out)
	}
	if outcome := report.Services[0].Outcome; outcome != "equal" {
		return fmt.Errorf("slicewright shadow judged Endpoints and EndpointSlices %.20q", outcome)
	}
	return nil
}
