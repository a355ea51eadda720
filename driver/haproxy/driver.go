package haproxy

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"

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
	answers, err := d.ask(ctx, "show info")
	if err != nil {
		return nil, err
	}
	o, err := d.read(answers[0], answers[1], answers[2])
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

// ask returns the answers to some commands, then to "show servers state" and "show
// stat" for the servers of the backend, all over one connection.
func (d *Driver) ask(ctx context.Context, commands ...string) ([]string, error) {
	c, err := d.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	commands = append(commands, "show servers state "+d.config.Backend)
	answers, err := c.exchange([]byte(strings.Join(commands, "\n")+"\n"), len(commands))
	if err != nil {
		return nil, err
	}
	// By its number, not its name: a frontend may have the same name, and
	// "show stat" then means that frontend, which has no servers.
	id, ok := backendID(answers[len(answers)-1])
	if !ok {
		return append(answers, noStat), nil
	}
	stat, err := c.exchange([]byte("show stat "+id+" 4 -1\n"), 1)
	return append(answers, stat...), err
}

// read parts our servers from foreign ones.
func (d *Driver) read(info, state, stat string) (*Observed, error) {
	var o Observed
	var err error
	if o.Version, err = parseInfo(info); err != nil {
		return nil, err
	}
	if d.config.Mode == Dynamic && !addsServers(o.Version) {
		return nil, fmt.Errorf("%w: it is version %.40q, and 2.6 is the first that can; use mode slots", ErrVersion, o.Version)
	}
	servers, err := parseServers(state, stat, d.config.Backend, nil)
	if err != nil {
		return nil, err
	}
	for _, s := range servers {
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
