package live

import (
	"context"
	"fmt"
	"time"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/internal/pause"
)

// DefaultTimeout bounds how long things may take to settle.
const DefaultTimeout = 10 * time.Minute

// Plan says for how long to look. The zero value looks until all has settled.
type Plan struct {
	// For is how long to look at least. What is not decided then is looked at
	// until it is.
	For time.Duration
	// During is what to look at: it is called once all agree, and looked at until
	// it returns and all has settled after it.
	During func(ctx context.Context) verify.CommandReport
	// Timeout bounds each wait for things to settle; 0 is DefaultTimeout.
	Timeout time.Duration
}

// patience is for how many times Settle after a change a consumer that was found
// to be late is given to follow all the same, so that the report can say how late.
const patience = 4

// Run verifies by a plan. The end of ctx ends it with what was seen. An error is
// of what was to be verified, such as a port that is not there; there is no report
// then.
func (r *Runner) Run(ctx context.Context, plan Plan) (*Report, error) {
	if plan.Timeout == 0 {
		plan.Timeout = DefaultTimeout
	}
	stop := r.followSlices(ctx)
	// Nothing can be judged before the slices are known.
	unsettled, err := r.firstRead(ctx)
	report := &Report{}
	var command *verify.CommandReport
	if unsettled == "" && err == nil {
		end := r.lookAndProbe(ctx)
		unsettled, command, report.Held = r.follow(ctx, plan)
		// Answers are judged by what the slices said until the last of them came.
		end()
		if report.Published, err = r.published(ctx); err != nil {
			unsettled, err = "who is published could not be measured: "+err.Error(), nil
		}
	}
	if failed := stop(); err == nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	report.Report = r.report(time.Now())
	report.Command = command
	if h := report.Held; h != nil {
		report.Add("held connections", h.Outcome, h.Reason)
	}
	if report.Published != nil {
		report.Add("who is published", verify.Equal, "") // it is shown, and judges nothing
	}
	if unsettled != "" {
		report.Interrupt(unsettled)
	}
	return report, nil
}

// follow goes through a plan. It returns why it ended before it was through, and
// what became of a command and of the connections that were held meanwhile.
func (r *Runner) follow(ctx context.Context, plan Plan) (unsettled string, command *verify.CommandReport, held *Held) {
	began := time.Now()
	if plan.For > 0 {
		done := r.hold(ctx)
		defer func() { held = done() }()
		r.config.Say("looking for " + plan.For.String())
		if pause.For(ctx, plan.For) != nil {
			return interrupted, nil, nil
		}
	}
	r.config.Say("waiting until all has settled")
	if unsettled := r.settle(ctx, wait{since: began, timeout: plan.Timeout}); unsettled != "" || plan.During == nil {
		return unsettled, nil, nil
	}
	if parts := r.report(time.Now()); parts.Outcome == verify.Different || parts.Outcome != verify.Equal && len(parts.Reasons) > 0 {
		return "the command was not run: what it was to change was not equal before", nil, nil
	}
	done := r.hold(ctx)
	defer func() { held = done() }()
	ran, unsettled := r.during(ctx, plan)
	return unsettled, &ran, nil
}

const interrupted = "it was interrupted"

// firstRead waits until the slices are known.
func (r *Runner) firstRead(ctx context.Context) (string, error) {
	r.config.Say("reading the slices")
	for end := time.Now().Add(firstRead); ; {
		r.mu.Lock()
		known, problem := r.known, r.problem
		r.mu.Unlock()
		switch {
		case problem != nil:
			return "", problem
		case known:
			return "", nil
		case time.Now().After(end):
			return fmt.Sprintf("the slices could not be read within %s", firstRead), nil
		case pause.For(ctx, 10*time.Millisecond) != nil:
			return interrupted, nil
		}
	}
}

// during runs the command and waits until all has settled after it.
func (r *Runner) during(ctx context.Context, plan Plan) (verify.CommandReport, string) {
	r.config.Say("running the command")
	ran := plan.During(ctx)
	if ctx.Err() != nil {
		return ran, interrupted
	}
	r.config.Say("waiting until all has settled after the command")
	// A command may return before what it asked for begins: only when nothing has
	// changed for the settle time it is over.
	return ran, r.settle(ctx, wait{since: ran.Ended, quiet: r.config.Settle, patience: patience * r.config.Settle, timeout: plan.Timeout})
}

// wait says what to wait for.
type wait struct {
	since time.Time
	// quiet is how long nothing must have changed.
	quiet time.Duration
	// patience is how long one that differs is waited for, from the last change.
	patience time.Duration
	timeout  time.Duration
}

// settle waits until every part agrees or will not. It returns why it did not.
func (r *Runner) settle(ctx context.Context, w wait) string {
	for end := time.Now().Add(w.timeout); ; {
		now := time.Now()
		if r.settled(w, now) {
			return ""
		}
		if now.After(end) {
			return fmt.Sprintf("it did not settle within %s", w.timeout)
		}
		if pause.For(ctx, r.config.Interval) != nil {
			return interrupted
		}
	}
}

func (r *Runner) settled(w wait, now time.Time) bool {
	report := r.report(now)
	if !report.Slices.Known {
		gaps := report.Slices.Gaps // the last one goes on
		return len(gaps) > 0 && now.Sub(gaps[len(gaps)-1].From) > r.config.Settle
	}
	changed := w.since
	if at := report.Changed(); at.After(changed) {
		changed = at
	}
	if now.Sub(changed) < w.quiet {
		return false
	}
	given := now.Sub(changed) > w.patience
	for i := range report.Consumers {
		if c := &report.Consumers[i]; !c.Agrees(changed, 2) && !(given && c.Decided(now, w.since, r.config.Settle)) {
			return false
		}
	}
	for i := range report.Probes {
		if p := &report.Probes[i]; !p.Agrees(changed, r.config.Requests) && !(given && p.Decided(now, w.since, r.config.Settle)) {
			return false
		}
	}
	return true
}
