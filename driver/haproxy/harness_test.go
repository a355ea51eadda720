package haproxy

import (
	"context"
	"net"
	"net/netip"
	"strconv"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/publish"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newDriver returns a driver for the backend "web", changed by with.
func newDriver(t testing.TB, socket string, with ...func(*Config)) *Driver {
	t.Helper()
	config := Config{Socket: socket, Backend: "web"}
	for _, change := range with {
		change(&config)
	}
	d, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// backends makes TCP backends of "ip:port" texts.
func backends(t testing.TB, addrs ...string) []endpointset.Backend {
	t.Helper()
	var list []endpointset.Backend
	for _, a := range addrs {
		ap, err := netip.ParseAddrPort(a)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, endpointset.Backend{ID: endpointset.ID{PortName: "http", Protocol: "TCP", Addr: ap.Addr(), Number: ap.Port()}})
	}
	return list
}

// nBackends makes n backends in 10.42.0.0/16.
func nBackends(t testing.TB, n int) []endpointset.Backend {
	addrs := make([]string, n)
	for i := range addrs {
		addrs[i] = "10.42." + strconv.Itoa(i/250) + "." + strconv.Itoa(i%250+1) + ":8080"
	}
	return backends(t, addrs...)
}

func observe(t testing.TB, d *Driver) *Observed {
	t.Helper()
	seen, err := d.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return seen.(*Observed)
}

// bring observes, plans and applies once, and returns what was sent.
func bring(t testing.TB, d *Driver, desired publish.Desired) string {
	t.Helper()
	planned := d.Plan(desired, observe(t, d))
	if _, err := d.Apply(t.Context(), planned); err != nil {
		t.Fatal(err)
	}
	return planned.String()
}

// addrsIn lists the addresses of our servers that are in the given state.
func addrsIn(o *Observed, state State) []string {
	list := []string{}
	for _, s := range o.Servers {
		if s.State == state {
			list = append(list, s.Addr.String())
		}
	}
	return list
}

// counters count what a driver does on the wire.
type counters struct{ connections, writes atomic.Int64 }

type countingConn struct {
	net.Conn
	n *counters
}

func (c countingConn) Write(b []byte) (int, error) {
	c.n.writes.Add(1)
	return c.Conn.Write(b)
}

// count has d count its connections and writes.
func count(d *Driver) *counters {
	n := new(counters)
	dial := d.dial
	d.dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		n.connections.Add(1)
		return countingConn{conn, n}, err
	}
	return n
}
