package experiment

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/slicewright/slicewright/app/experiment/controllers"
	"github.com/slicewright/slicewright/lab/address"
	"github.com/slicewright/slicewright/lab/controlplane"
	"github.com/slicewright/slicewright/lab/fleet"
	"github.com/slicewright/slicewright/lab/probe"
)

const (
	backends = 240
	movable  = 24
	kept     = "10.42.0.1-10.42.0.216"
)

// rangesOfMoving are where the Pods that move are, one after another.
var rangesOfMoving = []string{
	"10.42.0.217-10.42.0.240", "10.43.0.1-10.43.0.24", "10.43.1.1-10.43.1.24", "10.43.2.1-10.43.2.24", "10.43.3.1-10.43.3.24", "10.43.4.1-10.43.4.24",
}

// settle is how long something is watched that must not happen. It would
// happen within milliseconds, because the controllers have just worked.
const settle = 3 * time.Second

// stopAct is the act in which the Endpoints controller is stopped.
type stopAct struct {
	*experiment
	fleet *fleet.Fleet
	moved int // how often
	off   bool
}

func (e *experiment) playStop(ctx context.Context) (err error) {
	a := &stopAct{experiment: e, fleet: &fleet.Fleet{Client: e.client, Objects: e.objects, Namespace: e.Namespace, Service: "reports", Kept: kept}}
	defer func() {
		if a.off {
			err = errors.Join(err, e.Lab.Restart(context.WithoutCancel(ctx), controlplane.ControllerManager))
		}
	}()
	e.title("The Endpoints controller is stopped under a Service of %d Pods", backends)
	if err := a.begin(ctx); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{
		a.crossVersions, a.agree, a.stop, a.removeLast, a.restart, a.cut, a.stopMirroring, a.wayBack, a.askTheAPI,
	} {
		if err := step(ctx); err != nil {
			return err
		}
		if err := e.consumer.alive(); err != nil {
			return err
		}
	}
	return nil
}

// begin brings up the Service and both sides.
func (a *stopAct) begin(ctx context.Context) error {
	if err := a.fleet.Scale(ctx, backends-movable, movable, a.moving()); err != nil {
		return err
	}
	if err := a.fleet.AwaitPods(ctx, backends); err != nil {
		return err
	}
	if err := a.fleet.CreateService(ctx); err != nil {
		return err
	}
	if err := a.fleet.AwaitReady(ctx, kept, a.moving()); err != nil {
		return err
	}
	if err := a.openAct(ctx, Stop, a.fleet.Service); err != nil {
		return err
	}
	if err := a.consumer.start(ctx); err != nil {
		return err
	}
	return a.reader.start(ctx)
}

func (a *stopAct) moving() string { return rangesOfMoving[a.moved] }

// ready are the addresses that the Service has now.
func (a *stopAct) ready() []netip.Addr { return parse(kept, a.moving()) }

// move gives some Pods new addresses, in a rolling update, and returns when the
// slices have them and the old Pods are gone.
func (a *stopAct) move(ctx context.Context) error {
	a.moved++
	if err := a.fleet.Scale(ctx, backends-movable, movable, a.moving()); err != nil {
		return err
	}
	if err := a.fleet.AwaitReady(ctx, kept, a.moving()); err != nil {
		return err
	}
	return a.fleet.AwaitPods(ctx, backends)
}

// stop switches the controller off and moves Pods, and looks at all sides.
func (a *stopAct) stop(ctx context.Context) error {
	list, err := a.switchOff(ctx, controllers.Endpoints)
	if err != nil {
		return err
	}
	a.stopped = list
	before, err := a.fleet.Look(ctx)
	if err != nil {
		return err
	}
	old := parse(a.moving())
	if err := a.move(ctx); err != nil {
		return err
	}
	err = a.check(ctx, "controller-stopped", func(ctx context.Context, ev *evidence) error {
		if err := a.unwritten(ctx, before); err != nil {
			return err
		}
		ev.saw("kube-controller-manager ran with --controllers=%s.", list)
		ev.saw("%d of %d Pods then moved from %s to %s: EndpointSlices hold the new addresses and none of the old; the Endpoints object stayed at resourceVersion %s and holds the old and none of the new.",
			movable, backends, address.Format(old), a.moving(), before.EndpointsVersion)
		return nil
	})
	if err != nil {
		return err
	}
	err = a.check(ctx, "consumer-followed", func(ctx context.Context, ev *evidence) error {
		return a.follows(ctx, a.consumer, a.ready(), ev, fmt.Sprintf("After %d Pods had moved", movable))
	})
	if err != nil {
		return err
	}
	return a.check(ctx, "endpoints-reader-did-not", func(ctx context.Context, ev *evidence) error {
		l, err := a.left(ctx)
		if err != nil {
			return err
		}
		switch {
		case len(l.gone) == 0 || len(l.servers) == 0:
			return short("the Endpoints reader sends to no address that is gone: nothing shows that the experiment could have failed")
		case l.round.Failed() == 0:
			return short("of %d requests through the Endpoints reader none failed", len(l.round.Answers))
		case len(l.reached) > 0:
			return short("the Endpoints reader has followed: %d of the new addresses answered (%s)", len(l.reached), address.Format(l.reached))
		}
		ev.saw("%s", l)
		return nil
	})
}

// switchOff restarts the controller-manager without some controllers and returns
// its list.
func (a *stopAct) switchOff(ctx context.Context, names ...string) (string, error) {
	list, err := controllers.SwitchOff(a.Controllers, names...)
	if err != nil {
		return "", err
	}
	runs, err := controllers.Runs(list, controllers.EndpointSlice)
	if err == nil && !runs {
		err = fmt.Errorf("--controllers=%s leaves out %s: nothing would write EndpointSlices", list, controllers.EndpointSlice)
	}
	if err != nil {
		return "", err
	}
	a.off = true
	return list, a.Lab.Restart(ctx, controlplane.ControllerManager, "--controllers="+list)
}

// unwritten watches that nobody writes the Endpoints object any more.
func (a *stopAct) unwritten(ctx context.Context, before fleet.View) error {
	for end := time.Now().Add(settle); ; {
		v, err := a.fleet.Look(ctx)
		if err != nil {
			return err
		}
		if v.EndpointsVersion != before.EndpointsVersion {
			return short("the Endpoints object is still written: its resourceVersion %s became %s, and it holds %d of the %d ready addresses",
				before.EndpointsVersion, v.EndpointsVersion, len(v.Joined)-len(address.Without(v.Joined, v.Endpoints)), len(v.Joined))
		}
		if time.Now().After(end) {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// removeLast takes all Pods away. Other programs get their addresses, as in
// any cluster: a consumer that still sends there reaches them.
func (a *stopAct) removeLast(ctx context.Context) error {
	return a.check(ctx, "last-backend-removed", func(ctx context.Context, ev *evidence) (err error) {
		ready := a.ready()
		if err := a.fleet.Scale(ctx, 0, 0, a.moving()); err != nil {
			return err
		}
		if err := a.fleet.AwaitReady(ctx, address.None); err != nil {
			return err
		}
		if err := a.fleet.AwaitPods(ctx, 0); err != nil {
			return err
		}
		strangers := address.Format(ready)
		// The last listener of a Pod may outlive the Pod's object for a moment.
		if err := fleet.Eventually(ctx, func() error { return a.Lab.Listen(ctx, strangers, 8080) }); err != nil {
			return err
		}
		judged := a.follows(ctx, a.consumer, nil, ev, "After the last Pod had gone and others had its address")
		if judged == nil {
			judged = a.sayStrangers(ctx, ev)
		}
		if err := a.Lab.Unlisten(ctx, strangers); err != nil {
			return errors.Join(judged, err)
		}
		if err := a.fleet.Scale(ctx, backends-movable, movable, a.moving()); err != nil {
			return err
		}
		if err := errors.Join(a.fleet.AwaitReady(ctx, kept, a.moving()), a.fleet.AwaitPods(ctx, backends)); err != nil {
			return err
		}
		if judged != nil {
			return judged
		}
		return a.follows(ctx, a.consumer, ready, ev, "After all had come back")
	})
}

// restart kills both sides' programs and moves Pods before they start again.
func (a *stopAct) restart(ctx context.Context) error {
	a.consumer.kill()
	a.reader.kill()
	if err := a.move(ctx); err != nil {
		return err
	}
	if err := errors.Join(a.consumer.startConsumer(), a.reader.startConsumer()); err != nil {
		return err
	}
	return a.check(ctx, "consumer-restarted", func(ctx context.Context, ev *evidence) error {
		when := fmt.Sprintf("Killed with -9, and started again after %d Pods had moved", movable)
		if err := a.follows(ctx, a.consumer, a.ready(), ev, when); err != nil {
			return err
		}
		return a.sayLeft(ctx, ev)
	})
}

// cut takes the API server away from both sides while Pods move.
func (a *stopAct) cut(ctx context.Context) error {
	return a.check(ctx, "connection-cut", func(ctx context.Context, ev *evidence) error {
		a.consumer.way.cut()
		a.reader.way.cut()
		if err := a.move(ctx); err != nil {
			return err
		}
		judged := a.stays(ctx, a.consumer, parse(kept), ev, fmt.Sprintf("With its connection to the API server cut while %d Pods moved", movable))
		if err := errors.Join(a.consumer.way.mend(), a.reader.way.mend()); err != nil {
			return err
		}
		if judged != nil {
			return judged
		}
		if err := a.follows(ctx, a.consumer, a.ready(), ev, "With its connection back"); err != nil {
			return err
		}
		return a.sayLeft(ctx, ev)
	})
}

// stays waits until each of these has answered, whatever else happens: what was
// published is still there.
func (e *experiment) stays(ctx context.Context, s *side, want []netip.Addr, ev *evidence, when string) error {
	within, cancel := context.WithTimeout(ctx, e.Patience)
	defer cancel()
	var all probe.Report
	for {
		all.Answers = append(all.Answers, probe.Many(ctx, s.url, roundOf(len(want))).Answers...)
		missing := address.Without(want, all.Addresses())
		if len(missing) == 0 {
			ev.saw("%s: all %d addresses that stayed (%s) went on answering through %s; of %d requests %d failed%s.",
				when, len(want), address.Format(want), s.name, len(all.Answers), all.Failed(), because(all))
			return nil
		}
		if within.Err() != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return short("%s: %d of %d addresses that stayed did not answer any more (%s)", when, len(missing), len(want), address.Format(missing))
		}
	}
}

// wayBack starts the controllers again.
func (a *stopAct) wayBack(ctx context.Context) error {
	if err := a.Lab.Restart(ctx, controlplane.ControllerManager); err != nil {
		return err
	}
	a.off = false
	return a.check(ctx, "way-back", func(ctx context.Context, ev *evidence) error {
		ev.saw("kube-controller-manager ran with --controllers=%s again.", a.Controllers)
		return a.allAgree(ctx, ev)
	})
}

// askTheAPI looks what the API server says of the consumer.
func (a *stopAct) askTheAPI(ctx context.Context) error {
	return a.check(ctx, "no-endpoints-requests", func(_ context.Context, ev *evidence) error {
		asked, err := a.audit.Of(consumerUser, "")
		if err != nil {
			return err
		}
		switch {
		case asked.Endpoints > 0:
			return short("the API server's audit log has %d requests of the consumer for Endpoints: %s", asked.Endpoints, asked.Example)
		case asked.EndpointSlices == 0:
			return short("the API server's audit log has no request of the consumer for EndpointSlices: it proves nothing")
		}
		ev.saw("The API server's audit log has %d requests of the consumer for EndpointSlices and none for Endpoints.", asked.EndpointSlices)
		return nil
	})
}
