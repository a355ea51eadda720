package haproxy

import (
	"context"
	"fmt"
	"net"
	"net/netip"

	"github.com/slicewright/slicewright/publish"
)

// A Driver writes the servers of one backend of one HAProxy.
type Driver struct {
	config  Config
	options string
	// serverName and a net.Dialer's method, save in tests
	name func(addr netip.AddrPort, options string) string
	dial func(ctx context.Context, network, address string) (net.Conn, error)
}

var _ publish.Driver = (*Driver)(nil)

// New returns a driver, or an error that names the field of config that is wrong.
// It does not connect: HAProxy need not run yet.
func New(config Config) (*Driver, error) {
	if config.Mode == "" {
		config.Mode = Dynamic
	}
	if err := config.validate(); err != nil {
		return nil, fmt.Errorf("haproxy: %w", err)
	}
	if config.Timeout == 0 {
		config.Timeout = DefaultTimeout
	}
	return &Driver{
		config: config, options: config.Server.String(),
		name: serverName, dial: (&net.Dialer{}).DialContext,
	}, nil
}

// Target returns "haproxy:SOCKET/BACKEND".
func (d *Driver) Target() string {
	return "haproxy:" + d.config.Socket + "/" + d.config.Backend
}

// Observe reads the backend's servers, and the servers file. It returns an
// [*Observed]. A socket with "level user" is enough for it.
func (d *Driver) Observe(ctx context.Context) (publish.Observed, error) {
	o, err := d.observe(ctx)
	if err != nil {
		return nil, d.failed("observe", err)
	}
	return o, nil
}

func (d *Driver) observe(ctx context.Context) (*Observed, error) {
	c, err := d.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	answers, err := c.exchange([]byte("show info\nshow servers state "+d.config.Backend+"\n"), 2)
	if err != nil {
		return nil, err
	}
	info, state := answers[0], answers[1]
	stat, err := c.stat(state)
	if err != nil {
		return nil, err
	}
	o, err := d.read(info, state, stat)
	if err != nil {
		return nil, err
	}
	if d.config.ServersFile != "" {
		if o.file, err = readServersFile(d.config.ServersFile); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// stat returns the answer to "show stat" for the servers of the backend that an
// answer to "show servers state" is about.
func (c *client) stat(state string) (string, error) {
	// By its number, not its name: a frontend may have the same name, and
	// "show stat" then means that one, which has no servers.
	id, ok := backendID(state)
	if !ok {
		return noStat, nil
	}
	answers, err := c.exchange([]byte("show stat "+id+" 4 -1\n"), 1)
	if err != nil {
		return "", err
	}
	return answers[0], nil
}

// read joins the three answers and parts our servers from foreign ones.
func (d *Driver) read(info, state, stat string) (*Observed, error) {
	var o Observed
	var err error
	if o.Version, err = parseInfo(info); err != nil {
		return nil, err
	}
	if d.config.Mode == Dynamic && !addsServers(o.Version) {
		return nil, fmt.Errorf("%w: it is version %.40q, and 2.6 is the first that can; use mode slots", ErrVersion, o.Version)
	}
	if len(state) > 0 && state[0] == '[' {
		_, err := judge(verbAdd, state) // a message where a table should be
		return nil, err
	}
	servers, err := parseServersState(state, d.config.Backend)
	if err != nil {
		return nil, err
	}
	loads, err := parseStat(stat, d.config.Backend)
	if err != nil {
		return nil, err
	}
	for _, s := range servers {
		l, ok := loads[s.Name]
		if !ok {
			continue // deleted between the two commands
		}
		s.Sessions, s.Idle = l.sessions, l.idle
		if d.ours(s.Name) {
			o.Servers = append(o.Servers, s)
		} else {
			o.foreign = append(o.foreign, s)
		}
	}
	return &o, nil
}

func (d *Driver) ours(name string) bool {
	if d.config.Mode == Slots {
		return isSlot(d.config.SlotPrefix, name)
	}
	return isOurs(name)
}

// failed wraps an error of one of the driver's methods.
func (d *Driver) failed(what string, err error) error {
	return fmt.Errorf("haproxy: %s backend %s at %s: %w", what, d.config.Backend, d.config.Socket, err)
}
