package scenario

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/slicewright/slicewright/lab/haproxy"
)

// cmdHAProxy does to HAProxy what an operator does. Its configuration is the
// script's file haproxy.cfg, which has to open the stats socket admin.sock.
func (s *script) cmdHAProxy(out io.Writer, args []string) error {
	if err := arguments(args, 1, -1); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	switch args[0] {
	case "start":
		return s.haproxy.Start(ctx)
	case "stop":
		s.haproxy.Stop()
		return nil
	case "restart":
		return s.haproxy.Restart(ctx)
	case "reload":
		return s.haproxy.Reload(ctx)
	case "set":
		answer, err := s.haproxy.Command(ctx, strings.Join(args[1:], " "))
		fmt.Fprint(out, answer)
		return err
	}
	return errUsage
}

// cmdServers waits until exactly these addresses are the backend's servers
// that get new connections; with -all, its servers in whatever state.
func (s *script) cmdServers(_ io.Writer, args []string) error {
	which := haproxy.Server.Active
	if len(args) == 3 && args[0] == "-all" {
		which = func(haproxy.Server) bool { return true }
		args = args[1:]
	}
	if err := arguments(args, 2, 2); err != nil {
		return err
	}
	want, err := parseAddresses(args[1])
	if err != nil {
		return err
	}
	return s.await(func(ctx context.Context) error {
		servers, err := s.haproxy.Servers(ctx, args[0])
		if err != nil {
			return err
		}
		return compareAddresses(want, serverAddresses(servers, which))
	})
}

// cmdFollows waits until the servers of a backend that get new connections are
// exactly the ready addresses of a Service's slices.
func (s *script) cmdFollows(_ io.Writer, args []string) error {
	if err := arguments(args, 2, 2); err != nil {
		return err
	}
	return s.await(func(ctx context.Context) error {
		want, err := s.sliceAddresses(ctx, args[1])
		if err != nil {
			return err
		}
		servers, err := s.haproxy.Servers(ctx, args[0])
		if err != nil {
			return err
		}
		return compareAddresses(want, serverAddresses(servers, haproxy.Server.Active))
	})
}

func serverAddresses(servers []haproxy.Server, which func(haproxy.Server) bool) []netip.Addr {
	var addresses []netip.Addr
	for _, server := range servers {
		if server.Address.IsValid() && which(server) {
			addresses = append(addresses, server.Address.Addr())
		}
	}
	slices.SortFunc(addresses, netip.Addr.Compare)
	return slices.Compact(addresses)
}

// awaitOpen waits until a backend's servers have a number of open connections.
func (s *script) awaitOpen(backend, number string) error {
	want, err := strconv.Atoi(number)
	if err != nil {
		return errUsage
	}
	return s.await(func(ctx context.Context) error {
		got, err := s.haproxy.OpenConnections(ctx, backend)
		if err == nil && got != want {
			err = fmt.Errorf("backend %s has %d open connections instead of %d", backend, got, want)
		}
		return err
	})
}

// cmdObserve looks at a backend again and again and, in the end, says how few
// and how many servers it had; fewer than wanted fail.
func (s *script) cmdObserve(out io.Writer, args []string) error {
	switch {
	case len(args) == 3 && args[0] == "start":
		if s.observers[args[1]] != nil {
			return fmt.Errorf("observer %q runs already", args[1])
		}
		s.observers[args[1]] = observe(s.haproxy, args[2])
		return nil
	case len(args) == 3 && args[0] == "stop":
		least, err := strconv.Atoi(args[2])
		if err != nil {
			return errUsage
		}
		o := s.observers[args[1]]
		if o == nil {
			return fmt.Errorf("no observer %q", args[1])
		}
		delete(s.observers, args[1])
		fewest, most, looks, err := o.stop()
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "fewest %d\nmost %d\nlooks %d\n", fewest, most, looks)
		if fewest < least {
			return fmt.Errorf("the backend once had %d servers instead of at least %d", fewest, least)
		}
		return nil
	}
	return errUsage
}

// observer counts the active servers of one backend until it is stopped.
type observer struct {
	cancel context.CancelFunc
	wait   sync.WaitGroup
	counts []int // written by its goroutine, read after wait
	err    error // the same
}

func observe(h *haproxy.HAProxy, backend string) *observer {
	ctx, cancel := context.WithCancel(context.Background())
	o := &observer{cancel: cancel}
	o.wait.Go(func() {
		ticker := time.NewTicker(20 * time.Millisecond)
		defer ticker.Stop()
		for {
			servers, err := h.Servers(ctx, backend)
			if err == nil {
				o.counts = append(o.counts, len(serverAddresses(servers, haproxy.Server.Active)))
			} else if ctx.Err() == nil {
				o.err = err
			}
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	})
	return o
}

func (o *observer) stop() (fewest, most, looks int, err error) {
	o.cancel()
	o.wait.Wait()
	if len(o.counts) == 0 {
		return 0, 0, 0, errors.Join(errors.New("HAProxy never answered the observer"), o.err)
	}
	return slices.Min(o.counts), slices.Max(o.counts), len(o.counts), nil
}
