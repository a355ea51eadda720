package experiment

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/slicewright/slicewright/lab/address"
)

// playData writes slices of every shape by hand, for a Service without a
// selector. Everything in them listens, also what a slice says nothing good of:
// a consumer that sends there is answered, and so found.
func (e *experiment) playData(ctx context.Context) error {
	e.title("Slices of every shape")
	const service = "shapes"
	four := func(ranges string) []netip.Addr { return parse(ranges) }
	a := shape{name: "shapes-a", service: service, port: 8080, addresses: four("10.45.0.1-10.45.0.100")}
	b := shape{name: "shapes-b", service: service, port: 8080, addresses: four("10.45.0.101-10.45.0.200")}
	c := shape{name: "shapes-c", service: service, port: 8080, addresses: four("10.45.0.201-10.45.0.240")}
	all := parse("10.45.0.1-10.45.0.240")

	const also, others, six = "10.45.1.1", "10.45.2.1-10.45.2.4", "fd45::1-fd45::10"
	close, err := e.listen(ctx, map[string]uint16{"10.45.0.1-10.45.0.240": 8080, also: 8080, others: 9090, six: 8080})
	defer close()
	if err != nil {
		return err
	}
	if err := e.apply(ctx, fmt.Sprintf(bareServiceYAML, service)); err != nil {
		return err
	}
	if err := e.write(ctx, a, b, c); err != nil {
		return err
	}
	if err := e.openAct(ctx, Data, service); err != nil {
		return err
	}
	if err := e.consumer.start(ctx); err != nil {
		return err
	}
	// expect is one look at who answers.
	expect := func(want []netip.Addr, ev *evidence, when string) error {
		return e.follows(ctx, e.consumer, want, ev, when)
	}
	// around writes slices, looks, and puts everything back.
	around := func(do, undo func() error, looks func(*evidence) error) func(context.Context, *evidence) error {
		return func(_ context.Context, ev *evidence) error {
			if err := do(); err != nil {
				return err
			}
			judged := looks(ev)
			if err := undo(); err != nil {
				return err
			}
			return judged
		}
	}
	// beside is a slice that comes and goes beside the three.
	beside := func(s shape, want []netip.Addr, when string) func(context.Context, *evidence) error {
		come, leave := func() error { return e.write(ctx, s) }, func() error { return e.remove(ctx, s) }
		return func(ctx context.Context, ev *evidence) error {
			if err := around(come, leave, func(ev *evidence) error { return expect(want, ev, when) })(ctx, ev); err != nil {
				return err
			}
			return expect(all, ev, "And without that slice")
		}
	}
	moved := c
	moved.service = "elsewhere"
	odd := a
	odd.conditions = map[string]condition{"10.45.0.7": notReady, "10.45.0.8": terminating, "10.45.0.9": gone, "10.45.0.10": unsaid}
	back := func() error { return e.write(ctx, a, b, c) }

	for _, step := range []struct {
		name string
		do   func(context.Context, *evidence) error
	}{
		{"several-slices", func(_ context.Context, ev *evidence) error {
			return expect(all, ev, "Of slices of 100, 100 and 40")
		}},
		{"duplicates", beside(
			shape{name: "shapes-d", service: service, port: 8080, addresses: sorted(a.addresses, parse(also))},
			sorted(all, parse(also)), "With the first 100 in another slice too, and one more")},
		{"different-ports", beside(
			shape{name: "shapes-e", service: service, port: 9090, addresses: four(others)},
			sorted(all, parse(others)), "With a slice in which the port http is 9090 and not 8080")},
		{"families", beside(
			shape{name: "shapes-f", service: service, port: 8080, addresses: parse(six)},
			sorted(all, parse(six)), "With an IPv6 slice of 16")},
		{"conditions", around(func() error { return e.write(ctx, odd) }, back, func(ev *evidence) error {
			without := address.Without(all, parse("10.45.0.7-10.45.0.9"))
			return expect(without, ev, "With 10.45.0.7 not ready, 10.45.0.8 and 10.45.0.9 terminating, all three of which listen, and 10.45.0.10 without conditions")
		})},
		{"label-moved", around(func() error { return e.write(ctx, moved) }, back, func(ev *evidence) error {
			return expect(parse("10.45.0.1-10.45.0.200"), ev, "With the slice of 40 labelled for another Service")
		})},
		{"last-slice-removed", func(ctx context.Context, ev *evidence) error {
			// One that never had a server would pass without this.
			if err := expect(all, ev, "Before the last slice went"); err != nil {
				return err
			}
			return around(func() error { return e.remove(ctx, a, b, c) }, back, func(ev *evidence) error {
				return expect(nil, ev, "After the last slice had gone, whose addresses all listen")
			})(ctx, ev)
		}},
	} {
		if err := e.check(ctx, step.name, step.do); err != nil {
			return err
		}
		if err := e.consumer.alive(); err != nil {
			return err
		}
	}
	return nil
}

// listen opens listeners and returns what closes them.
func (e *experiment) listen(ctx context.Context, ports map[string]uint16) (closeAll func(), err error) {
	closeAll = func() {
		for ranges := range ports {
			// What is not closed here ends with the lab.
			_ = e.Lab.Unlisten(context.WithoutCancel(ctx), ranges)
		}
	}
	var errs []error
	for ranges, port := range ports {
		errs = append(errs, e.Lab.Listen(ctx, ranges, port))
	}
	return closeAll, errors.Join(errs...)
}

// sorted joins sets in order.
func sorted(sets ...[]netip.Addr) []netip.Addr {
	all := slices.Concat(sets...)
	slices.SortFunc(all, netip.Addr.Compare)
	return slices.Compact(all)
}
