package scenario

import (
	"context"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/slicewright/slicewright/lab/address"
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
	want, err := address.Parse(args[1])
	if err != nil {
		return err
	}
	return s.await(func(ctx context.Context) error {
		servers, err := s.haproxy.Servers(ctx, args[0])
		if err != nil {
			return err
		}
		return address.Compare(want, serverAddresses(servers, which))
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
		return address.Compare(want, serverAddresses(servers, haproxy.Server.Active))
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
