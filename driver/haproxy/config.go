package haproxy

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A Mode is the way in which servers come and go.
type Mode string

const (
	// Dynamic adds and deletes servers. It needs HAProxy 2.6 or newer.
	Dynamic Mode = "dynamic"
	// Slots fills the servers that a server-template line made at start.
	Slots Mode = "slots"
)

// DefaultTimeout bounds one exchange with HAProxy, which answers a full batch in
// milliseconds: a second is an outage, and five leave room for a loaded machine.
const DefaultTimeout = 5 * time.Second

// Config says which backend of which HAProxy a [Driver] writes.
type Config struct {
	// Socket is the runtime API: the absolute path of a unix socket, or
	// "host:port". It must have "level admin".
	Socket string
	// Backend is the name of a backend in HAProxy's configuration.
	Backend string
	// Mode is Dynamic when empty.
	Mode Mode
	// Server holds what every server of ours is added with. In Slots mode it
	// must be zero, since there the server-template line says it.
	Server Options
	// SlotPrefix is the prefix of the server-template line, for Slots mode:
	// "srv" for "server-template srv 1-200 …".
	SlotPrefix string
	// ServersFile, when not empty, is a configuration file for HAProxy that is
	// kept up to date with the same servers, so that a restarted HAProxy has
	// them at once. It holds the whole section of Backend, because a section
	// cannot be split over files. Not for Slots mode.
	ServersFile string
	// ServersDefaults names the defaults section that the section in
	// ServersFile takes its settings from. Empty means the last one before it.
	ServersDefaults string
	// Timeout bounds one exchange with HAProxy; 0 means DefaultTimeout.
	Timeout time.Duration
}

// validate checks each field and names the first that is wrong.
func (c Config) validate() error {
	if _, err := network(c.Socket); err != nil {
		return fmt.Errorf("socket: %w", err)
	}
	if err := checkName(c.Backend); err != nil {
		return fmt.Errorf("backend: %w", err)
	}
	if c.Timeout < 0 {
		return fmt.Errorf("timeout: %v is negative", c.Timeout)
	}
	switch c.Mode {
	case Dynamic:
		if c.SlotPrefix != "" {
			return errors.New("slotPrefix: is for mode slots only")
		}
	case Slots:
		return c.validateSlots()
	default:
		return fmt.Errorf("mode: %q is neither %q nor %q", c.Mode, Dynamic, Slots)
	}
	if err := c.Server.validate(); err != nil {
		return fmt.Errorf("server.%w", err)
	}
	if c.ServersDefaults != "" {
		if c.ServersFile == "" {
			return errors.New("serversDefaults: is for serversFile, which is not set")
		}
		if err := checkName(c.ServersDefaults); err != nil {
			return fmt.Errorf("serversDefaults: %w", err)
		}
	}
	if c.ServersFile != "" && !filepath.IsAbs(c.ServersFile) {
		return fmt.Errorf("serversFile: %q is not an absolute path", c.ServersFile)
	}
	if strings.ContainsFunc(c.ServersFile, func(r rune) bool { return r < ' ' }) {
		return fmt.Errorf("serversFile: %q contains a control character", c.ServersFile)
	}
	return nil
}

func (c Config) validateSlots() error {
	if err := checkName(c.SlotPrefix); err != nil {
		return fmt.Errorf("slotPrefix: %w", err)
	}
	if c.Server != (Options{}) {
		return errors.New("server: options do not apply to mode slots; write them into the server-template line")
	}
	if c.ServersFile != "" || c.ServersDefaults != "" {
		return errors.New("serversFile: does not apply to mode slots")
	}
	return nil
}

// network returns the network of a socket address.
func network(socket string) (string, error) {
	switch {
	case socket == "":
		return "", errors.New("is empty; give the path of HAProxy's stats socket, or host:port")
	case strings.ContainsFunc(socket, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return "", fmt.Errorf("%q contains a blank or a control character", socket)
	case filepath.IsAbs(socket):
		// The kernel's limit for a unix socket's path is 108 bytes with its NUL.
		if len(socket) > 107 {
			return "", fmt.Errorf("%q is longer than the 107 bytes that a unix socket's path may have", socket)
		}
		return "unix", nil
	}
	host, port, err := net.SplitHostPort(socket)
	if err != nil || host == "" {
		return "", fmt.Errorf("%q is neither an absolute path nor host:port", socket)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", fmt.Errorf("%q: port %q is not a number from 1 to 65535", socket, port)
	}
	return "tcp", nil
}
