package experiment

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/slicewright/slicewright/lab/address"
	"github.com/slicewright/slicewright/lab/probe"
)

// leftBehind is what the Endpoints reader does with what nobody writes any more.
type leftBehind struct {
	gone    []netip.Addr // that Endpoints hold and no Pod has
	servers []netip.Addr // those of gone that its load balancer sends to
	reached []netip.Addr // new ones, which only slices have, that answered all the same
	round   probe.Report
}

func (a *stopAct) left(ctx context.Context) (leftBehind, error) {
	v, err := a.fleet.Look(ctx)
	if err != nil {
		return leftBehind{}, err
	}
	servers, err := a.reader.servers(ctx)
	if err != nil {
		return leftBehind{}, err
	}
	l := leftBehind{gone: address.Without(v.Endpoints, v.Joined)}
	l.servers = common(servers, l.gone)
	l.round = probe.Many(ctx, a.reader.url, roundOf(len(v.Endpoints)))
	l.reached = common(l.round.Addresses(), address.Without(v.Joined, v.Endpoints))
	return l, nil
}

func (l leftBehind) String() string {
	return fmt.Sprintf("The Endpoints reader beside it sends to %d addresses that no Pod of the Service has any more (%s); of %d requests through it %d failed%s, and %d of the new addresses answered.",
		len(l.servers), address.Format(l.servers), len(l.round.Answers), l.round.Failed(), because(l.round), len(l.reached))
}

// sayLeft adds what the Endpoints reader does now to a check of the consumer.
func (a *stopAct) sayLeft(ctx context.Context, ev *evidence) error {
	l, err := a.left(ctx)
	if err == nil {
		ev.saw("%s", l)
	}
	return err
}

// common are the addresses that are in both, which are in order.
func common(one, other []netip.Addr) []netip.Addr {
	return address.Without(one, address.Without(one, other))
}

// sayStrangers tells whom the Endpoints reader reaches when no Pod is left.
func (a *stopAct) sayStrangers(ctx context.Context, ev *evidence) error {
	servers, err := a.reader.servers(ctx)
	if err != nil {
		return err
	}
	round := probe.Many(ctx, a.reader.url, roundOf(backends))
	ev.saw("The Endpoints reader beside it still sends to %d addresses: of %d requests through it %d were answered by strangers at %d addresses, and %d failed%s.",
		len(servers), len(round.Answers), len(round.Answers)-round.Failed(), len(round.Addresses()), round.Failed(), because(round))
	return nil
}
