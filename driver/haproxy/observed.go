package haproxy

import (
	"fmt"
	"net/netip"
	"strconv"
	"time"
)

// A State is what HAProxy's administrator, here the driver, wants of a server.
// Health checks are another matter: a server that is Ready may be down.
type State uint8

const (
	// Maint: no traffic, no checks. A server added at run time starts here.
	Maint State = iota
	// Drain: no new connections, the open ones live on.
	Drain
	// Ready: takes connections.
	Ready
)

// String returns the word that HAProxy's commands use.
func (s State) String() string {
	switch s {
	case Maint:
		return "maint"
	case Drain:
		return "drain"
	case Ready:
		return "ready"
	}
	return "State(" + strconv.Itoa(int(s)) + ")"
}

// A Server is one server of a backend, as HAProxy reports it.
type Server struct {
	Name string
	// ID is its number in the backend.
	ID uint32
	// Addr is where it sends connections. It is the zero AddrPort for what is
	// no IP address: a unix socket, or a host name not resolved.
	Addr  netip.AddrPort
	State State
	// Sessions counts the sessions on it and those that wait in its queue.
	Sessions int
	// Idle counts connections that no session uses: kept for the next one, or
	// not closed yet. HAProxy does not delete a server that has one; it closes
	// them itself when the server goes into maintenance.
	Idle int
	// Since is how long ago its state last changed, in whole seconds. A health
	// check that changes its mind counts too, and starts it again.
	Since time.Duration
	// Checking says that health checks are configured and enabled.
	Checking bool
}

// Observed is what a backend had when it was read. It implements
// [publish.Observed].
type Observed struct {
	// Version is HAProxy's, such as "2.6.12-1+deb12u4".
	Version string
	// Servers are ours, in HAProxy's order. In Slots mode they are all slots,
	// the free ones included.
	Servers []Server

	foreign []Server
	file    []byte // the content of the servers file; nil if there is no file
}

// Ours counts our servers that may get a new connection.
func (o *Observed) Ours() int {
	n := 0
	for _, s := range o.Servers {
		if s.State == Ready {
			n++
		}
	}
	return n
}

// Foreign lists the servers of the backend that are not ours, each with its
// address and state, in HAProxy's order.
func (o *Observed) Foreign() []string {
	var list []string
	for _, s := range o.foreign {
		addr := "no IP address"
		if s.Addr.IsValid() {
			addr = s.Addr.String()
		}
		list = append(list, fmt.Sprintf("%s (%s, %s)", s.Name, addr, s.State))
	}
	return list
}
