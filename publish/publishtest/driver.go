package publishtest

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/publish"
)

// A driver writes a [Balancer]. It is also the shortest example of a driver.
type driver struct{ balancer *Balancer }

// Target returns "balancer:NAME".
func (d *driver) Target() string { return "balancer:" + d.balancer.name }

// Observe returns an *observed.
func (d *driver) Observe(ctx context.Context) (publish.Observed, error) {
	o, err := d.balancer.look(ctx)
	if err != nil {
		return nil, fmt.Errorf("balancer %s: look: %w", d.balancer.name, err)
	}
	return o, nil
}

// observed is what a Balancer had.
type observed struct {
	servers []seen // sorted by address
	foreign []string
}

type seen struct {
	addr netip.AddrPort
	server
}

func (o *observed) Ours() int {
	n := 0
	for _, s := range o.servers {
		if s.ready {
			n++
		}
	}
	return n
}

func (o *observed) Foreign() []string { return o.foreign }

// ops are the commands of a plan, in their order.
type ops struct {
	commands []string
	waiting  []string
	err      error // what is wrong with the plan
}

func (o *ops) Empty() bool { return len(o.commands) == 0 && o.err == nil }

func (o *ops) Len() int { return len(o.commands) }

func (o *ops) String() string {
	var b strings.Builder
	for _, c := range o.commands {
		b.WriteString(c + "\n")
	}
	return b.String()
}

// Waiting names the servers that keep connections.
func (o *ops) Waiting() (what []string, again time.Duration) { return o.waiting, time.Second }

// Plan adds first, and takes out last.
func (d *driver) Plan(desired publish.Desired, before publish.Observed) publish.Ops {
	o, ok := before.(*observed)
	if !ok || o == nil {
		return &ops{err: fmt.Errorf("balancer %s: plan: a %T is not what this driver's Observe returns", d.balancer.name, before)}
	}
	there := map[netip.AddrPort]seen{}
	for _, s := range o.servers {
		there[s.addr] = s
	}
	var plan ops
	var add, ready, drain, remove []string
	wanted := map[netip.AddrPort]bool{}
	for _, addr := range addresses(desired.Active) {
		if wanted[addr] {
			continue // another port of the same number
		}
		wanted[addr] = true
		s, exists := there[addr]
		if !exists {
			add = append(add, "add "+addr.String())
		}
		if !s.ready {
			ready = append(ready, "ready "+addr.String())
		}
	}
	draining := map[netip.AddrPort]bool{}
	for _, addr := range addresses(desired.Draining) {
		draining[addr] = true
	}
	for _, s := range o.servers {
		switch {
		case wanted[s.addr]:
		case s.ready:
			drain = append(drain, "drain "+s.addr.String())
		case draining[s.addr]:
		case s.connections > 0:
			plan.waiting = append(plan.waiting, fmt.Sprintf("%s has %d connections", s.addr, s.connections))
		default:
			remove = append(remove, "delete "+s.addr.String())
		}
	}
	for _, commands := range [][]string{add, ready, drain, remove} {
		plan.commands = append(plan.commands, commands...)
	}
	return &plan
}

func addresses(backends []endpointset.Backend) []netip.AddrPort {
	list := make([]netip.AddrPort, len(backends))
	for i, b := range backends {
		list[i] = b.AddrPort()
	}
	return list
}

// Apply sends the commands, and stops at the first that is refused.
func (d *driver) Apply(ctx context.Context, planned publish.Ops) (publish.Result, error) {
	o, ok := planned.(*ops)
	if !ok || o == nil {
		return publish.Result{}, fmt.Errorf("balancer %s: apply: a %T is not what this driver's Plan returns", d.balancer.name, planned)
	}
	var result publish.Result
	for _, command := range o.commands {
		if err := d.balancer.exec(ctx, command); err != nil {
			return result, fmt.Errorf("balancer %s: %w", d.balancer.name, err)
		}
		result.Writes++
	}
	return result, o.err
}
