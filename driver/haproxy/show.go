package haproxy

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Bits of srv_admin_state and of srv_check_state, from HAProxy's management
// guide. 0x04 of the first says that the configuration has "disabled", which
// stays set after the server was made ready: it is no state.
const (
	adminMaint = 0x01 | 0x02 | 0x20 // forced, inherited, host name not resolved
	adminDrain = 0x08 | 0x10        // forced, inherited
	checkOn    = 0x04
)

// parseServersState reads the answer to "show servers state BACKEND". Columns
// are found by their names, so that those of other versions do no harm.
func parseServersState(answer, backend string) ([]Server, error) {
	version, rest, _ := strings.Cut(answer, "\n")
	if version != "1" {
		return nil, fmt.Errorf("show servers state: format %.20q is not the known one, 1", version)
	}
	var servers []Server
	var column map[string]int
	for line := range strings.Lines(rest) {
		line = strings.TrimRight(line, "\r\n")
		header, isHeader := strings.CutPrefix(line, "# ")
		switch {
		case line == "":
		case isHeader && column == nil:
			var err error
			if column, err = columns(strings.Split(header, " "), "be_name", "srv_id", "srv_name", "srv_addr", "srv_admin_state",
				"srv_time_since_last_change", "srv_check_state", "srv_port"); err != nil {
				return nil, fmt.Errorf("show servers state: %w", err)
			}
		case column == nil:
			return nil, errors.New("show servers state: a server comes before the header")
		default:
			s, be, err := parseServer(strings.Split(line, " "), column)
			if err != nil {
				return nil, fmt.Errorf("show servers state: server %.80q: %w", s.Name, err)
			}
			if be != backend {
				return nil, fmt.Errorf("show servers state: answer for backend %.80q, not %s", be, backend)
			}
			servers = append(servers, s)
		}
	}
	if column == nil {
		return nil, errors.New("show servers state: no header")
	}
	return servers, nil
}

// backendID returns HAProxy's number of the backend in an answer to "show
// servers state". A backend without servers shows none.
func backendID(answer string) (id string, ok bool) {
	lines := strings.SplitN(answer, "\n", 4)
	if len(lines) < 3 {
		return "", false
	}
	header, isHeader := strings.CutPrefix(lines[1], "# ")
	at := slices.Index(strings.Split(header, " "), "be_id")
	row := strings.Split(lines[2], " ")
	if !isHeader || at < 0 || at >= len(row) {
		return "", false
	}
	// What is sent back to HAProxy is a number, whatever it answered.
	n, err := strconv.ParseUint(row[at], 10, 31)
	return strconv.FormatUint(n, 10), err == nil
}

// noStat is the answer to "show stat" for no servers.
const noStat = "# pxname,svname,qcur,scur\n"

// columns maps the names in a header to their places; those wanted must be
// there. No name comes twice, so a row that has as many fields as there are
// columns has a field for each.
func columns(header []string, wanted ...string) (map[string]int, error) {
	at := make(map[string]int, len(header))
	for i, name := range header {
		if _, ok := at[name]; ok {
			return nil, fmt.Errorf("two columns %.40q", name)
		}
		at[name] = i
	}
	for _, name := range wanted {
		if _, ok := at[name]; !ok {
			return nil, fmt.Errorf("no column %s", name)
		}
	}
	return at, nil
}

func parseServer(field []string, column map[string]int) (s Server, backend string, err error) {
	if len(field) < len(column) {
		return s, "", fmt.Errorf("%d fields of %d", len(field), len(column))
	}
	get := func(name string) string { return field[column[name]] }
	number := func(name string) int {
		n, e := strconv.ParseUint(get(name), 10, 31)
		if e != nil {
			err = errors.Join(err, fmt.Errorf("%s %.20q is not a number", name, get(name)))
		}
		return int(n)
	}
	s.Name, s.ID = get("srv_name"), uint32(number("srv_id"))
	if e := checkName(s.Name); e != nil {
		return s, "", e
	}
	s.State = Ready
	switch admin := number("srv_admin_state"); {
	case admin&adminMaint != 0:
		s.State = Maint
	case admin&adminDrain != 0:
		s.State = Drain
	}
	s.Since = time.Duration(number("srv_time_since_last_change")) * time.Second
	s.Checking = number("srv_check_state")&checkOn != 0
	port := number("srv_port")
	if ip, e := netip.ParseAddr(get("srv_addr")); e == nil && ip.Zone() == "" && port <= 65535 {
		s.Addr = netip.AddrPortFrom(ip.Unmap(), uint16(port))
	}
	return s, get("be_name"), err
}

// parseServers joins the answers to "show servers state" and "show stat", in
// HAProxy's order. A server that is in only one of them came or went between the
// two commands, and is left out. more, unless nil, is called for each row of the
// second with its server's name.
func parseServers(state, stat, backend string, more rowFunc) ([]Server, error) {
	if strings.HasPrefix(state, "[") {
		_, err := judge(verbAdd, state) // a message where a table should be
		return nil, err
	}
	servers, err := parseServersState(state, backend)
	if err != nil {
		return nil, err
	}
	loads := make(map[string]load)
	if err := readStat(stat, backend, func(name string, get func(column string) string) error {
		l, err := parseLoad(get)
		loads[name] = l
		if err == nil && more != nil {
			err = more(name, get)
		}
		return err
	}); err != nil {
		return nil, err
	}
	there := servers[:0]
	for _, s := range servers {
		if l, ok := loads[s.Name]; ok {
			s.Sessions, s.Idle = l.sessions, l.idle
			there = append(there, s)
		}
	}
	return there, nil
}

// load is how much of a server is in use; see [Server].
type load struct{ sessions, idle int }

// parseLoad reads the load of a server out of its row of "show stat".
func parseLoad(get func(column string) string) (load, error) {
	var n [4]int
	// The last two exist since HAProxy 2.2; before, a refused "del server" would
	// be the only sign.
	for i, text := range []string{get("scur"), get("qcur"), orZero(get("idle_conn_cur")), orZero(get("used_conn_cur"))} {
		v, err := strconv.ParseUint(text, 10, 31)
		if err != nil {
			return load{}, fmt.Errorf("a count of sessions: %w", err)
		}
		n[i] = int(v)
	}
	return load{sessions: n[0] + n[1], idle: n[2] + max(0, n[3]-n[0])}, nil
}

func orZero(text string) string {
	if text == "" {
		return "0"
	}
	return text
}

// A rowFunc takes a row of an answer to "show stat". get returns the text of a
// column, "" for a column that this version of HAProxy does not have; it is good
// until the function returns. An error ends the reading.
type rowFunc func(server string, get func(column string) string) error

// readStat calls row for each row of an answer to "show stat".
func readStat(answer, backend string, row rowFunc) error {
	text, ok := strings.CutPrefix(answer, "# ")
	if !ok {
		return fmt.Errorf("show stat: %.40q is no header", answer)
	}
	r := csv.NewReader(strings.NewReader(text))
	// Some columns hold texts from health checks; their quotes are not to be
	// relied on, and rows differ in length between versions.
	r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = true, -1, true
	header, err := r.Read()
	if err != nil {
		return fmt.Errorf("show stat: %w", err)
	}
	column, err := columns(header, "pxname", "svname", "qcur", "scur")
	if err != nil {
		return fmt.Errorf("show stat: %w", err)
	}
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("show stat: %w", err)
		}
		if len(fields) < len(column) || fields[column["pxname"]] != backend {
			return fmt.Errorf("show stat: %.80q is no row of backend %s", strings.Join(fields, ","), backend)
		}
		server := strings.Clone(fields[column["svname"]])
		if err := row(server, func(name string) string {
			if at, ok := column[name]; ok {
				return fields[at]
			}
			return ""
		}); err != nil {
			return fmt.Errorf("show stat: server %.80q: %w", server, err)
		}
	}
}

// parseInfo returns the version from the answer to "show info".
func parseInfo(answer string) (version string, err error) {
	named := false
	for line := range strings.Lines(answer) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "Name":
			named = true // whatever it is: distributors rename it
		case "Version":
			version = value
		}
	}
	if !named || version == "" {
		return "", fmt.Errorf("show info: %.40q says neither name nor version: %w", answer, ErrNotHAProxy)
	}
	return version, nil
}

// addsServers reports whether a HAProxy of this version can add servers: 2.6 or
// newer. A version that cannot be read is given the benefit of the doubt, for
// HAProxy's own answer to the first command then tells.
func addsServers(version string) bool {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	minor, _, _ = strings.Cut(minor, "-")
	a, errA := strconv.Atoi(major)
	b, errB := strconv.Atoi(minor)
	return errA != nil || errB != nil || a > 2 || a == 2 && b >= 6
}
