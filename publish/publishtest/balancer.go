package publishtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/slicewright/slicewright/publish"
)

// A Balancer is a load balancer in memory. It takes commands as lines of text and
// refuses those that a load balancer would refuse:
//
//	add ADDRESS:PORT     a new server, drained; nothing if it is there
//	ready ADDRESS:PORT   it gets new connections
//	drain ADDRESS:PORT   it gets no new connections and keeps its open ones
//	delete ADDRESS:PORT  only a drained server without connections; nothing if
//	                     it is gone
//
// It knows no time, so that [publish.Desired].DrainTimeout has no meaning to it.
// Create it with [NewBalancer]. All methods may be called from any goroutine.
type Balancer struct {
	name string

	mu       sync.Mutex // guards what follows
	servers  map[netip.AddrPort]*server
	foreign  []string
	commands []string
	refusal  error         // of each command; nil: commands are taken
	delay    time.Duration // of each look and each command
	left     int           // commands until the connection breaks; below 0: it does not
}

type server struct {
	ready       bool
	connections int
}

// errCut is what a driver sees when the connection breaks.
var errCut = errors.New("the connection is broken")

// NewBalancer returns a load balancer without servers. Its driver's Target is
// "balancer:" and the name.
func NewBalancer(name string) *Balancer {
	return &Balancer{name: name, servers: map[netip.AddrPort]*server{}, left: -1}
}

// Driver returns a new driver of the load balancer. Several drivers are as several
// processes: each knows only what the load balancer has.
func (b *Balancer) Driver() publish.Driver { return &driver{b} }

// Active returns the servers that get new connections as "ip:port", sorted.
func (b *Balancer) Active() []string { return b.list(true) }

// Draining returns the servers that get no new connections, sorted.
func (b *Balancer) Draining() []string { return b.list(false) }

func (b *Balancer) list(ready bool) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := []string{}
	for _, addr := range b.sorted() {
		if b.servers[addr].ready == ready {
			list = append(list, addr.String())
		}
	}
	return list
}

// sorted returns the addresses of all servers. mu is held.
func (b *Balancer) sorted() []netip.AddrPort {
	all := make([]netip.AddrPort, 0, len(b.servers))
	for addr := range b.servers {
		all = append(all, addr)
	}
	slices.SortFunc(all, netip.AddrPort.Compare)
	return all
}

// Commands returns the commands that were carried out since the start.
func (b *Balancer) Commands() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.commands)
}

// Restart takes all servers away, as a load balancer that keeps nothing over a
// restart.
func (b *Balancer) Restart() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.servers)
}

// Refuse makes each command fail with err; nil ends that. Looks still succeed.
func (b *Balancer) Refuse(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refusal = err
}

// Delay makes each look and each command take d.
func (b *Balancer) Delay(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.delay = d
}

// CutAfter breaks the connection after n more commands: all that follows fails,
// until it is called again with -1.
func (b *Balancer) CutAfter(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left = n
}

// Connect gives a server a number of open connections. It is an error if there is
// no such server.
func (b *Balancer) Connect(address string, connections int) error {
	addr, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.servers[addr]
	if s == nil {
		return fmt.Errorf("no server %s", address)
	}
	s.connections = connections
	return nil
}

// AddForeign adds a server that is not the driver's. It is left alone.
func (b *Balancer) AddForeign(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.foreign = append(b.foreign, name)
}

// wait lets the delay pass.
func (b *Balancer) wait(ctx context.Context) error {
	b.mu.Lock()
	delay := b.delay
	b.mu.Unlock()
	if delay <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// look returns what is there.
func (b *Balancer) look(ctx context.Context) (*observed, error) {
	if err := b.wait(ctx); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left == 0 {
		return nil, errCut
	}
	o := &observed{foreign: slices.Clone(b.foreign)}
	for _, addr := range b.sorted() {
		o.servers = append(o.servers, seen{addr, *b.servers[addr]})
	}
	return o, nil
}

// exec carries out one command.
func (b *Balancer) exec(ctx context.Context, command string) error {
	if err := b.wait(ctx); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.left == 0:
		return errCut
	case b.refusal != nil:
		return fmt.Errorf("%s: %w", command, b.refusal)
	}
	verb, argument, _ := strings.Cut(command, " ")
	addr, err := netip.ParseAddrPort(argument)
	if err != nil || addr.Port() == 0 || addr.Addr().Is4In6() || addr.Addr().Zone() != "" {
		return fmt.Errorf("%q: %q is not the address of a server", command, argument)
	}
	if err := b.change(verb, addr); err != nil {
		return fmt.Errorf("%q: %w", command, err)
	}
	if b.left > 0 {
		b.left--
	}
	b.commands = append(b.commands, command)
	return nil
}

// change carries out a command whose address is right. mu is held.
func (b *Balancer) change(verb string, addr netip.AddrPort) error {
	s := b.servers[addr]
	switch verb {
	case "add":
		if s == nil {
			b.servers[addr] = &server{}
		}
		return nil
	case "delete":
		switch {
		case s == nil:
		case s.ready:
			return errors.New("only a drained server can be deleted")
		case s.connections > 0:
			return fmt.Errorf("the server has %d connections", s.connections)
		default:
			delete(b.servers, addr)
		}
		return nil
	case "ready", "drain":
		if s == nil {
			return errors.New("no such server")
		}
		s.ready = verb == "ready"
		return nil
	}
	return fmt.Errorf("no command %q", cmp.Or(verb, "(empty)"))
}
