package experiment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/slicewright/slicewright/lab/controlplane"
	"github.com/slicewright/slicewright/lab/probe"
)

// recoveryAct is the act of other failures: the consumer's start, its connection
// to the API server, its permissions, its load balancer. Slices change during
// each of them, so that a consumer that only keeps its old set is found.
type recoveryAct struct {
	*experiment
	generation int
}

// All addresses of the act listen all the time: those that are out as well.
const recoveryAddresses = "10.45.4.1-10.45.4.120"

func (e *experiment) playRecovery(ctx context.Context) error {
	a := &recoveryAct{experiment: e}
	e.title("What fails besides")
	close, err := e.listen(ctx, map[string]uint16{recoveryAddresses: 8080})
	defer close()
	if err != nil {
		return err
	}
	if err := e.apply(ctx, fmt.Sprintf(bareServiceYAML, "recovery")); err != nil {
		return err
	}
	if err := e.write(ctx, a.shapes()...); err != nil {
		return err
	}
	if err := e.openAct(ctx, Recovery, "recovery"); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{a.coldStart, a.deny, a.repeat, a.loseWatch} {
		if err := step(ctx); err != nil {
			return err
		}
		if err := e.consumer.alive(); err != nil {
			return err
		}
	}
	return nil
}

// window is the addresses of a generation, 20 of them: half of those of the one
// before it.
func (a *recoveryAct) window() string {
	first := 10*a.generation + 1
	return fmt.Sprintf("10.45.4.%d-10.45.4.%d", first, first+19)
}

func (a *recoveryAct) shapes() []shape {
	all := parse(a.window())
	return []shape{
		{name: "recovery-a", service: "recovery", port: 8080, addresses: all[:12]},
		{name: "recovery-b", service: "recovery", port: 8080, addresses: all[12:]},
	}
}

// change replaces half of the addresses and returns how it was before.
func (a *recoveryAct) change(ctx context.Context) (before string, err error) {
	before = a.window()
	a.generation++
	return before, a.write(ctx, a.shapes()...)
}

// coldStart starts the consumer from nothing, and again, killed, where the API
// server is out of reach.
func (a *recoveryAct) coldStart(ctx context.Context) error {
	if err := a.consumer.start(ctx); err != nil {
		return err
	}
	return a.check(ctx, "cold-start", func(ctx context.Context, ev *evidence) error {
		if err := a.follows(ctx, a.consumer, parse(a.window()), ev, "Started with a load balancer that has no server"); err != nil {
			return err
		}
		a.consumer.kill()
		a.consumer.way.cut()
		if err := a.consumer.startConsumer(); err != nil {
			return err
		}
		judged := a.undisturbed(ctx, a.window(), ev, "Killed with -9 and started while the API server was out of reach")
		if _, err := a.change(ctx); err != nil {
			return err
		}
		if err := a.consumer.way.mend(); err != nil {
			return err
		}
		if !a.consumer.process.Running() {
			// Many consumers give up, and their supervisors start them again.
			ev.saw("It ended by itself meanwhile (%v) and was started again.", a.consumer.process.Err())
			if err := a.consumer.startConsumer(); err != nil {
				return err
			}
		}
		if judged != nil {
			return judged
		}
		return a.follows(ctx, a.consumer, parse(a.window()), ev, "With the API server back, and half of the addresses replaced")
	})
}

// undisturbed sends requests for some seconds, of which none may fail or be
// answered by another than these: long enough for a consumer to notice what has
// happened to it, and to do the wrong thing.
func (a *recoveryAct) undisturbed(ctx context.Context, these string, ev *evidence, when string) error {
	steady := probe.Start(a.consumer.url, 20*time.Millisecond)
	select {
	case <-ctx.Done():
	case <-time.After(settle):
	}
	r := steady.Stop()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if wrong := difference(parse(these), r); wrong != "" {
		return short("%s: of %d requests in %s, %s", when, len(r.Answers), settle, wrong)
	}
	ev.saw("%s: of %d requests in %s none failed, and all were answered by those before (%s).", when, len(r.Answers), settle, these)
	return nil
}

// deny takes the consumer's permissions away, until the API server has refused
// it something, and gives them back.
func (a *recoveryAct) deny(ctx context.Context) error {
	return a.check(ctx, "access-denied", func(ctx context.Context, ev *evidence) error {
		if err := a.settled(ctx, ev); err != nil {
			return err
		}
		if err := a.unbind(ctx); err != nil {
			return err
		}
		// A watch that is open stays open: it has to be asked for again.
		a.consumer.way.cut()
		if err := a.consumer.way.mend(); err != nil {
			return err
		}
		before, err := a.change(ctx)
		if err != nil {
			return err
		}
		judged := a.refused(ctx, before, ev)
		if err := a.bind(ctx, "consumer", consumerUser); err != nil {
			return err
		}
		if judged != nil {
			return judged
		}
		return a.follows(ctx, a.consumer, parse(a.window()), ev, "With its permissions back")
	})
}

func (a *recoveryAct) refused(ctx context.Context, before string, ev *evidence) error {
	err := a.patiently(ctx, func() error {
		asked, err := a.audit.Of(consumerUser, "")
		if err == nil && asked.Refused == 0 {
			err = errors.New("the API server has refused the consumer nothing: it does not ask again")
		}
		return err
	})
	if err != nil {
		return short("%v", err)
	}
	// What was published before it was refused is what it still knows.
	return a.undisturbed(ctx, before, ev, "Refused by the API server, while half of the addresses were replaced")
}

// settled waits until the consumer has recovered from the check before.
func (a *recoveryAct) settled(ctx context.Context, ev *evidence) error {
	return a.follows(ctx, a.consumer, parse(a.window()), ev, "Before")
}

// repeat restarts the load balancer, which knows nothing then.
func (a *recoveryAct) repeat(ctx context.Context) error {
	const name = "publishing-repeated"
	if !a.consumer.restartable() {
		a.leaveOut([]string{name}, "Nothing says how to start its load balancer.")
		return nil
	}
	return a.check(ctx, name, func(ctx context.Context, ev *evidence) error {
		if err := a.settled(ctx, ev); err != nil {
			return err
		}
		if err := a.consumer.restartBalancer(ctx); err != nil {
			return err
		}
		if err := a.follows(ctx, a.consumer, parse(a.window()), ev, "After its load balancer had been restarted"); err != nil {
			return err
		}
		if _, err := a.change(ctx); err != nil {
			return err
		}
		return a.follows(ctx, a.consumer, parse(a.window()), ev, "And after half of the addresses had been replaced")
	})
}

// loseWatch cuts the watch, and kills and starts the API server before it can be
// taken up again: the new server's watch cache begins later than the consumer's
// last revision, so that the consumer has to list again.
func (a *recoveryAct) loseWatch(ctx context.Context) error {
	return a.check(ctx, "watch-lost", func(ctx context.Context, ev *evidence) error {
		if err := a.settled(ctx, ev); err != nil {
			return err
		}
		a.consumer.way.cut()
		before, err := a.change(ctx)
		if err != nil {
			return err
		}
		if err := a.Lab.Kill(ctx, controlplane.APIServer); err != nil {
			return err
		}
		judged := a.undisturbed(ctx, before, ev, "With its watch cut, half of the addresses replaced and the API server killed")
		// Controllers wait up to half a minute before they try again; new ones do not.
		for _, component := range []string{controlplane.APIServer, controlplane.ControllerManager, controlplane.Scheduler} {
			if err := a.Lab.Restart(ctx, component); err != nil {
				return err
			}
		}
		if err := a.consumer.way.mend(); err != nil {
			return err
		}
		if judged != nil {
			return judged
		}
		return a.follows(ctx, a.consumer, parse(a.window()), ev, "With the API server started again")
	})
}
