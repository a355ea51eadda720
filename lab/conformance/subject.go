package conformance

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/slicewright/slicewright/app/observe"
	"github.com/slicewright/slicewright/internal/pause"
)

// subject is a consumer as the followers of one Service see it.
type subject struct {
	consumer *Consumer
	instance *instance
	block    block
	service  string // as the scenario calls it
	reach    []reach
	views    []observe.Observer
	last     string // what was wanted before
	broke    bool   // in an earlier step
}

// reach is a place where clients connect.
type reach struct {
	target observe.Prober
	// family is the one of the ClusterIP, "" where backends of both are behind it.
	family string
}

// newSubject fills in where to look. What has no value in this scenario is left
// out.
func newSubject(c *Consumer, i *instance, b block, service string, v values) (*subject, error) {
	s := &subject{consumer: c, instance: i, block: b, service: service}
	for _, text := range c.Reach {
		filled, err := v.fill(text)
		if errors.Is(err, errNoValue) {
			continue
		}
		target, err := observe.NewProber(filled, observe.ProbeOptions{Timeout: requestTimeout})
		if err != nil {
			return nil, fmt.Errorf("%s: reach: %w", c.Name, err)
		}
		r := reach{target: target}
		switch {
		case strings.Contains(text, "${CLUSTER_IP}"):
			r.family = "IPv4"
		case strings.Contains(text, "${CLUSTER_IP6}"):
			r.family = "IPv6"
		}
		s.reach = append(s.reach, r)
	}
	for _, text := range c.View {
		filled, err := v.fill(text)
		if errors.Is(err, errNoValue) {
			continue
		}
		observer, err := observe.NewObserver(filled)
		if err != nil {
			return nil, fmt.Errorf("%s: view: %w", c.Name, err)
		}
		s.views = append(s.views, observer)
	}
	if len(s.reach)+len(s.views) == 0 {
		return nil, fmt.Errorf("%s: nothing to look at for Service %s", c.Name, service)
	}
	return s, nil
}

// requestTimeout bounds one new connection with its request; a Pod answers in
// milliseconds.
const requestTimeout = 10 * time.Second

// observe waits until the consumer does what is wanted, and says what it did:
// then, or when its time is over.
func (s *subject) observe(ctx context.Context, step int, w Want, changed time.Time, most time.Duration) (o Observation, err error) {
	text, rule := w.Set(s.consumer.Promises.Policy)
	all, err := s.block.set(text)
	if err != nil {
		return Observation{}, err
	}
	want := s.follows(all)
	o = Observation{Step: step, Service: w.ServiceName(), Want: s.block.short(want), Rule: rule}
	if ready, err := s.block.set(w.Ready); err != nil {
		return o, err
	} else if ready := s.block.short(s.follows(ready)); ready != o.Want {
		o.Ready = ready
	}
	least := s.consumer.Settle.Least.Duration
	if s.last == o.Want {
		// The old answer is the right one: give the wrong one time to come.
		least *= 2
	}
	s.last = o.Want
	if s.consumer.Control {
		most = min(most, mostOfControl)
	}
	most = max(most, s.consumer.Settle.Most.Duration, least)
	if s.broke {
		// The verdict is final. The rest is for readers of the evidence.
		most = 2 * least
	}
	defer func() { s.broke = s.broke || !o.OK }()
	if pause.For(ctx, time.Until(changed.Add(least))) != nil {
		return o, context.Cause(ctx)
	}
	for deadline := changed.Add(most); ; {
		final := time.Now().After(deadline)
		s.look(ctx, &o, want, final)
		if o.OK || final || ctx.Err() != nil {
			return o, context.Cause(ctx)
		}
		if pause.For(ctx, 100*time.Millisecond) != nil {
			return o, context.Cause(ctx)
		}
	}
}

// mostOfControl bounds how long a step waits for the control, which breaks where
// others take their time.
const mostOfControl = 20 * time.Second

// follows leaves out the families that the consumer does not follow.
func (s *subject) follows(all []netip.AddrPort) []netip.AddrPort {
	return slices.DeleteFunc(slices.Clone(all), func(a netip.AddrPort) bool {
		return !slices.Contains(s.consumer.Promises.Families, family(a))
	})
}

func family(a netip.AddrPort) string {
	if a.Addr().Is6() {
		return "IPv6"
	}
	return "IPv4"
}

// look makes new connections and reads the views, once. Unless it is the final
// look, it goes no further than the first thing that is wrong.
func (s *subject) look(ctx context.Context, o *Observation, want []netip.AddrPort, final bool) {
	o.Seen, o.View, o.ViewUnknown, o.Unknown, o.Requests, o.Failed, o.Failures = "", "", "", "", 0, 0, nil
	o.OK = true
	if len(s.views) > 0 {
		view, err := s.view(ctx)
		switch {
		case err != nil && len(s.reach) == 0:
			o.Unknown, o.OK = err.Error(), false
		case err != nil:
			// Who answers can still be seen. It is asked again until the time is over.
			o.ViewUnknown, o.OK = err.Error(), final
		default:
			o.View = s.block.short(view)
			o.OK = matches(want, view)
		}
	}
	if len(s.reach) == 0 || !o.OK && !final {
		return
	}
	var seen []netip.AddrPort
	for _, r := range s.reach {
		mine := slices.DeleteFunc(slices.Clone(want), func(a netip.AddrPort) bool { return r.family != "" && family(a) != r.family })
		p := ask(ctx, r.target, mine, final)
		seen = append(seen, p.seen...)
		o.Requests += p.requests
		o.Failed += p.failed
		for failure, n := range p.failures {
			if o.Failures == nil {
				o.Failures = map[string]int{}
			}
			o.Failures[failure] += n
		}
		if len(mine) > 0 && p.failed > 0 || !matches(mine, p.seen) {
			o.OK = false
		}
	}
	o.Seen = s.block.short(inOrder(seen))
}

// view is what the consumer says that it sends new connections to.
func (s *subject) view(ctx context.Context) ([]netip.AddrPort, error) {
	var all []netip.AddrPort
	for _, v := range s.views {
		view, err := v.Observe(ctx)
		if err != nil {
			return nil, err
		}
		for _, m := range view.Members {
			if m.Use == observe.New {
				all = append(all, netip.AddrPortFrom(m.Address.Addr().Unmap(), m.Address.Port()))
			}
		}
	}
	return inOrder(all), nil
}
