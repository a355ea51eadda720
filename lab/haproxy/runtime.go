package haproxy

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Command sends one command to the runtime API and returns the answer.
func (h *HAProxy) Command(ctx context.Context, command string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", filepath.Join(h.config.Dir, h.config.Socket))
	if err != nil {
		return "", fmt.Errorf("haproxy command %q: %w", command, err)
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(deadline)
	}
	if _, err := io.WriteString(conn, command+"\n"); err != nil {
		return "", fmt.Errorf("haproxy command %q: %w", command, err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil {
		return "", fmt.Errorf("haproxy command %q: read the answer: %w", command, err)
	}
	return string(answer), nil
}

// Info returns one value of "show info".
func (h *HAProxy) Info(ctx context.Context, name string) (string, error) {
	answer, err := h.Command(ctx, "show info")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(answer) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && key == name {
			return value, nil
		}
	}
	return "", fmt.Errorf("haproxy command \"show info\": no %s in the answer", name)
}

// Server is a server of a backend as HAProxy has it.
type Server struct {
	Name    string
	Address netip.AddrPort
	// Maintenance and Drain are administrative states: neither gets a new
	// connection; in Drain open ones live on.
	Maintenance, Drain bool
}

// Active reports whether the server gets new connections, its health aside.
func (s Server) Active() bool { return !s.Maintenance && !s.Drain }

// Servers reads a backend's servers.
func (h *HAProxy) Servers(ctx context.Context, backend string) ([]Server, error) {
	answer, err := h.Command(ctx, "show servers state "+backend)
	if err != nil {
		return nil, err
	}
	return parseServers(answer)
}

// The administrative states of srv_admin_state, from HAProxy's management
// guide: forced, inherited, by configuration, by DNS, by a full slot.
const (
	maintenanceBits = 0x01 | 0x02 | 0x04 | 0x20 | 0x40
	drainBits       = 0x08 | 0x10
)

// parseServers reads the answer to "show servers state": a version line, a
// line of column names after "# ", and a line for each server.
func parseServers(answer string) ([]Server, error) {
	lines := strings.Split(strings.TrimSpace(answer), "\n")
	if len(lines) < 2 || lines[0] != "1" || !strings.HasPrefix(lines[1], "# ") {
		return nil, fmt.Errorf("show servers state: unexpected answer %.200q", answer)
	}
	header := strings.Fields(lines[1][2:])
	column := map[string]int{}
	for _, name := range []string{"srv_name", "srv_addr", "srv_port", "srv_admin_state"} {
		if column[name] = slices.Index(header, name); column[name] < 0 {
			return nil, fmt.Errorf("show servers state: no column %s", name)
		}
	}
	var servers []Server
	for _, line := range lines[2:] {
		fields := strings.Fields(line)
		if len(fields) < len(header) {
			return nil, fmt.Errorf("show servers state: short line %.200q", line)
		}
		server, err := parseServer(fields[column["srv_name"]], fields[column["srv_addr"]], fields[column["srv_port"]], fields[column["srv_admin_state"]])
		if err != nil {
			return nil, fmt.Errorf("show servers state: %w", err)
		}
		servers = append(servers, server)
	}
	return servers, nil
}

func parseServer(name, address, port, admin string) (Server, error) {
	state, err := strconv.ParseUint(admin, 10, 16)
	if err != nil {
		return Server{}, fmt.Errorf("server %s: state %q", name, admin)
	}
	s := Server{Name: name, Maintenance: state&maintenanceBits != 0, Drain: state&drainBits != 0}
	if address == "-" {
		// A slot without an address.
		return s, nil
	}
	s.Address, err = netip.ParseAddrPort(net.JoinHostPort(address, port))
	if err != nil {
		return Server{}, fmt.Errorf("server %s: %w", name, err)
	}
	return s, nil
}

// OpenConnections counts the connections that a backend's servers have.
func (h *HAProxy) OpenConnections(ctx context.Context, backend string) (int, error) {
	// The columns: 0 the backend, 1 the server, 4 scur, the current sessions.
	answer, err := h.Command(ctx, "show stat")
	if err != nil {
		return 0, err
	}
	sum, found := 0, false
	for line := range strings.Lines(answer) {
		fields := strings.Split(line, ",")
		if len(fields) < 5 || fields[0] != backend {
			continue
		}
		found = true
		if fields[1] == "BACKEND" {
			continue
		}
		n, err := strconv.Atoi(fields[4])
		if err != nil {
			return 0, fmt.Errorf("show stat: server %s: sessions %q", fields[1], fields[4])
		}
		sum += n
	}
	if !found {
		return 0, fmt.Errorf("show stat: no backend %q", backend)
	}
	return sum, nil
}
